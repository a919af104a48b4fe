r"""Metrics over sets that jump (recall at a given precision, areas near 0): the bootstrap by cluster.

Such a metric has no derivative that says how far it may be off, so clusters are drawn with replacement and the metric
is computed anew. A record weighs 1 + sum over its clusters of (times drawn - 1), at least 0. The interval is the
percentile interval with wider levels, because G clusters show less spread than there is and their spread is an estimate
(Student's t with G - 1 degrees of freedom):

    Phi(-+ k t_(G-1)),      k = sqrt(G/(G-1)) (1 + 1/G),

and the p-value of a constant is the level whose interval ends there, so that both agree. Beyond all draws it comes
from t = distance / (k s), s being the standard deviation of the draws. Two systems get the same draws. One stray draw
of a few hundred would decide a small p-value: such a one comes from 5,000.

What is estimated is the value expected of *another set with as many clusters*. Recall at a precision is the best of
many thresholds and therefore higher on a small set than on a large one, in the mean; no interval takes that away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.spread import POWER, Seeds, quantile

DRAWS, MANY, AT_ONCE = 1000, 5000, 250  # for an interval, for a small p-value, at a time


def draws_of(values: Sequence[Callable[[Floats], float]], shared: Neighbours, count: int = DRAWS) -> Floats:
    """The mean of some functions of weights (one per run of a system) in every draw (readings x draws).

    >>> from proband.core.statistics.clusters import Clusters
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(50)]))
    >>> x = np.arange(50.0)
    >>> draws = draws_of([lambda w: float(w @ x / w.sum())], shared)
    >>> draws.shape, bool(abs(draws.std() - x.std() / 50**0.5) < 0.2)
    ((1, 1000), True)
    """
    out = []
    for each in shared.readings:
        rng = np.random.default_rng([each.items, each.clusters])
        results: list[float] = []
        for _ in range(count // AT_ONCE):
            drawn = rng.multinomial(each.clusters, np.full(each.clusters, 1 / each.clusters), size=AT_ONCE) - 1.0
            of_cells: Floats = np.maximum(1 + (each.belongs @ drawn.T).T, 0.0)
            results += [float(np.mean([value(w[each.cell]) for value in values])) for w in of_cells]
        out.append(results)
    return np.array(out)


@dataclass(frozen=True)
class Percentiles:
    """A value, its draws in one reading, and the effective clusters behind them."""

    value: float
    draws: Floats
    clusters: float

    @property
    def freedom(self) -> Floats:
        return np.array(max(self.clusters - 1, 1.0))

    @property
    def wider(self) -> float:
        """k above."""
        groups = max(self.clusters, 2.0)
        return float(np.sqrt(groups / (groups - 1)) * (1 + 1 / groups))

    @property
    def error(self) -> float:
        return float(self.draws.std()) * self.wider

    def ends(self) -> tuple[float, float]:
        from scipy.special import ndtr

        level = float(ndtr(-self.wider * quantile(self.freedom)))
        place, ordered = max(1, int(np.ceil(level * len(self.draws)))), np.sort(self.draws)
        return min(float(ordered[place - 1]), self.value), max(float(ordered[-place]), self.value)

    def p_against(self, constant: float) -> float:
        """Below 0.05 if and only if the constant lies outside of the ends."""
        from scipy.special import ndtri, stdtr

        if constant == self.value:
            return 1.0
        beyond = self.draws <= constant if constant < self.value else self.draws >= constant
        count = int(beyond.sum())
        share = min(max(count, 0.5) / len(self.draws), 0.5)
        p = 2 * float(stdtr(self.freedom, ndtri(share) / self.wider))
        if count or not self.error:
            return p
        return min(p, 2 * float(stdtr(self.freedom, -abs(self.value - constant) / self.error)))

    def detectable(self) -> float:
        return float(quantile(self.freedom) + quantile(self.freedom, POWER)) * self.error


def percentiles(value: float, draws: Floats, shared: Neighbours, seeds: Sequence[Seeds] = ()) -> list[Percentiles]:
    """For every reading of the clusters; training seeds move each draw by a t with their degrees of freedom."""
    moved = np.zeros(draws.shape[1])
    for at, each in enumerate(seeds):
        if each.count > 1 and each.variance:
            rng = np.random.default_rng([at, each.count])
            moved = moved + np.sqrt(each.variance) * rng.standard_t(each.count - 1, draws.shape[1])
    return [Percentiles(value, own + moved, each.effective) for own, each in zip(draws, shared.readings)]
