"""Can these items rank these systems? Variance components of systems, items and clusters (generalisability theory).

An answer is a sum of the system, the item, what the system has in common with the cluster and with the item. What all
systems share does not change their order: with y_si the answer less the item's mean over systems, the error of the mean
of a system is that of the mean of y over clusters, and

    reliability = var(systems) / (var(systems) + var(error)),    var(systems) = var(means) - var(error)

is the correlation of the systems' means on two such sets of items. With G' clusters instead of G the error is G / G'
times as large. Prompts and training seeds of one system are treated likewise: what their means differ by beyond the
error of items is their own variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Clusters, Design, Floats
from proband.stats.variance import known

BLOCKS = 40  # of clusters, each left out once


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """`alone`: what it would be if items shared nothing. `needed`: the clusters for a reliability (None: no number of
    them, since the systems do not differ)."""

    value: float
    low: float
    high: float
    alone: float
    systems: float  # variances
    in_clusters: float
    in_items: float
    clusters: int
    few: bool

    @property
    def same_order(self) -> float:
        """The chance that two of the systems stand in the same order on another set of as many clusters."""
        return 0.5 + math.asin(min(max(self.value, 0.0), 1.0)) / math.pi

    def needed(self, wanted: float, at: float | None = None) -> int | None:
        """Clusters for a reliability; `at`: if it were so much now.

        >>> Reliability(value=0.8, low=0.7, high=0.9, alone=0.9, systems=1, in_clusters=1, in_items=1, clusters=20,
        ...     few=False).needed(0.9)
        45
        """
        now = self.value if at is None else at
        return math.ceil(self.clusters * wanted / (1 - wanted) * (1 - now) / now - 1e-9) if now > 0 else None

    def all_needed(self, wanted: float) -> list[int | None]:
        """Now, and at both ends of the interval."""
        return [self.needed(wanted, at) for at in (None, self.low, self.high)]


def reliability(right: Floats, clusters: Clusters) -> Reliability:
    """Of systems x items. The interval is a jackknife over blocks of clusters (of the kind that has fewest), on the
    logit of the reliability."""
    from scipy.stats import t

    design = clusters.design()
    systems, error, in_clusters, in_items = _components(right, design)
    value = _ratio(systems, error)
    parts = _without_blocks(right, clusters, design)
    blocks, low, high = len(parts), 0.0, 1.0
    if blocks > 2 and 0 < value < 1:
        logits = np.log(np.clip(parts, 1e-4, 1 - 1e-6) / (1 - np.clip(parts, 1e-4, 1 - 1e-6)))
        half = t.ppf(0.975, blocks - 1) * math.sqrt((blocks - 1) ** 2 / blocks * float(np.var(logits, ddof=1)))
        low, high = (1 / (1 + math.exp(-(math.log(value / (1 - value)) + side * half))) for side in (-1, 1))
    return Reliability(
        value=value,
        low=low,
        high=high,
        alone=_ratio(*_components(right, None)[:2]),
        systems=systems,
        in_clusters=in_clusters,
        in_items=in_items,
        clusters=known(design).clusters,
        few=known(design).few,
    )


def _ratio(systems: float, error: float) -> float:
    return max(systems, 0.0) / (max(systems, 0.0) + error) if systems + error > 0 else 0.0


def _components(right: Floats, design: Design | None) -> tuple[float, float, float, float]:
    """The variance of systems and that of the error of a mean; those of systems within clusters and within items. Of
    deviations from a mean of variance v, squares and products are smaller by v."""
    systems, n = right.shape
    y = right - right.mean(axis=0)
    means = y.mean(axis=1)
    u = y - means[:, None]
    square = float((u**2).mean(axis=1).sum()) / (systems - 1)
    pairs = float(design.neighbour_sums(np.ones(n)).sum()) - n if design is not None else 0.0
    product = 0.0
    if design is not None and pairs:
        product = float((u * design.neighbour_sums(u)).sum() - (u**2).sum()) / pairs / (systems - 1)
    error = (n * square + pairs * product) / n**2 / max(1 - 1 / n - pairs / n**2, 1e-9)
    error = max(error, square / n)  # a negative correlation of clusters is chance
    own = float((means**2).sum()) / (systems - 1) - error
    common = max(product + error, 0.0) if pairs else 0.0
    return own, error, common, max(square + error - common, 0.0)


def _without_blocks(right: Floats, clusters: Clusters, design: Design) -> Floats:
    """The reliability without each block of clusters."""
    kind = min(design.kinds, key=lambda each: each.count)
    blocks = kind.group % min(BLOCKS, kind.count)
    results = []
    for block in range(int(blocks.max()) + 1):
        rows = np.setdiff1d(np.arange(design.items), kind.items[blocks == block])
        if len(rows) > 1:
            systems, error, *_ = _components(right[:, rows], clusters.weighted(rows))
            results.append(_ratio(systems, error))
    return np.array(results)


def facet(groups: Sequence[Floats], clusters: Clusters) -> float:
    """The variance of what the means of runs differ by that should be one system's (its prompts, its seeds): the mean
    over the groups of such runs (runs x items)."""
    design = clusters.design()
    return max(float(np.mean([_components(group, design)[0] for group in groups])), 0.0)
