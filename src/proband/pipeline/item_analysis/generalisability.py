"""Can these items rank these systems? The variance of systems and of their error (generalisability theory).

What all systems share does not change their order: with y_si the answer of system s to item i less the item's mean over
systems, the error of the mean of a system is that of the mean of y over clusters, and

    reliability = var(systems) / (var(systems) + var(error)),    var(systems) = var(means) - var(error)

is the correlation of the systems' means on two such sets of items (Brennan 2001, chapter 2). With G' clusters instead
of G the error is G / G' times as large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Clusters, Design, Floats
from proband.stats.variance import known

BLOCKS = 40  # of clusters, each left out once


@dataclass(frozen=True, kw_only=True)
class Reliability:
    value: float
    low: float
    high: float
    clusters: int
    few: bool

    def needed(self, wanted: float) -> list[int | None]:
        """Clusters for a reliability: by the estimate and by both ends of its interval. None: no number is enough.

        >>> Reliability(value=0.8, low=0.7, high=0.9, clusters=20, few=False).needed(0.9)
        [45, 78, 20]
        """
        times = [(1 - now) / now if now > 0 else None for now in (self.value, self.low, self.high)]
        ratio = self.clusters * wanted / (1 - wanted)
        return [None if each is None else math.ceil(ratio * each - 1e-9) for each in times]


def reliability(right: Floats, clusters: Clusters) -> Reliability:
    """Of systems x items. The interval is a jackknife over blocks of clusters (of the kind that has fewest), on the
    logit of the reliability."""
    from scipy.special import expit, logit
    from scipy.stats import t

    design = clusters.design()
    value, about = _ratio(right, design), known(design)
    parts = _without_blocks(right, clusters, design)
    blocks, low, high = len(parts), 0.0, 1.0
    if blocks > 2 and 0 < value < 1:
        spread = float(np.var(logit(np.clip(parts, 1e-4, 1 - 1e-6)), ddof=1))
        half = t.ppf(0.975, blocks - 1) * math.sqrt((blocks - 1) ** 2 / blocks * spread)
        low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    return Reliability(value=value, low=low, high=high, clusters=about.clusters, few=about.few)


def _ratio(right: Floats, design: Design) -> float:
    """The reliability. Of deviations from a mean of variance v, squares and products are smaller by v."""
    systems, n = right.shape
    y = right - right.mean(axis=0)
    means = y.mean(axis=1)
    u = y - means[:, None]
    square = float((u**2).mean(axis=1).sum()) / (systems - 1)
    pairs = float(design.neighbour_sums(np.ones(n)).sum()) - n
    product = float((u * design.neighbour_sums(u)).sum() - (u**2).sum()) / pairs / (systems - 1) if pairs else 0.0
    error = (n * square + pairs * product) / n**2 / max(1 - 1 / n - pairs / n**2, 1e-9)
    error = max(error, square / n)  # a negative correlation of clusters is chance
    own = max(float((means**2).sum()) / (systems - 1) - error, 0.0)
    return own / (own + error) if own + error > 0 else 0.0


def _without_blocks(right: Floats, clusters: Clusters, design: Design) -> Floats:
    """The reliability without each block of clusters."""
    kind = min(design.kinds, key=lambda each: each.count)
    blocks = kind.group % min(BLOCKS, kind.count)
    left = [np.setdiff1d(np.arange(design.items), kind.items[blocks == at]) for at in range(int(blocks.max()) + 1)]
    return np.array([_ratio(right[:, rows], clusters.weighted(rows)) for rows in left if len(rows) > 1])
