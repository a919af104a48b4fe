r"""Differences, metrics over sets and the bootstrap: intervals and tests from influence values and their spread.

The interval of a difference is d~ +- t se (spread.py) with 1/nu' = 1/nu + 1/(n-1), and p comes from the same t: the
interval leaves out zero if and only if p < 0.05. Where a system was trained several times, the spread of its runs is
added to the variance. Where items have clusters of several kinds, an interval is the union of those for every selection
of kinds (clusters.py), and p the largest: both agree as before.

A metric over sets is any function of records and weights; its influence values are found by counting a few neighbouring
records twice and not at all,

    u = [T(1 + w) - T(1 - w)] (n^2 - b^2) / 2bn,      w = 1 for b records, 0 for the others,

where the b records have the same labels (all columns but the first) and scores (the first column) next to each other.
With about sqrt(n)/2 of them at a time the derivative also exists for metrics that jump (recall at a given precision),
and the step to both sides cancels the curvature of those that do not (area under a curve).

Metrics over sets that jump (recall at a given precision, areas near 0): the bootstrap by cluster.

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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats, Ints, Neighbours
from proband.core.statistics.spread import (
    OTHER,
    POWER,
    SHARE,
    Known,
    Seeds,
    Spread,
    detectable,
    difference_of,
    ends,
    p_value,
    plain_parts,
    quantile,
    share_variance,
    spread,
    with_seeds,
)

SetMetric = Callable[[Floats, Floats], float]  # of records and their weights
PLACES = 100  # at which the influence on a metric over sets is measured; the records between share the nearest one
DRAWS, MANY, AT_ONCE = 1000, 5000, 250  # for an interval, for a small p-value, at a time

# ---- influence values ------------------------------------------------------------------------------------------------


def of_set(of: SetMetric, records: Floats, strata: Ints | None = None) -> tuple[float, Floats]:
    """A metric over sets (with `strata`, the mean over them of its values) and its influence values.

    >>> total = lambda records, weights: float(weights @ records[:, 0] / weights.sum())
    >>> of_set(total, np.array([[1.0], [0.0], [1.0], [0.0]]))
    (0.5, array([ 0.5, -0.5,  0.5, -0.5]))
    """
    if strata is not None:
        values, u = [], np.empty(len(records))
        count = int(strata.max()) + 1
        for stratum in range(count):
            members = np.flatnonzero(strata == stratum)
            value, own = of_set(of, records[members])
            values.append(value)
            u[members] = own * len(records) / (count * len(members))
        return float(np.mean(values)), u
    return of(records, np.ones(len(records))), _derivative(of, records)


def _derivative(of: SetMetric, records: Floats) -> Floats:
    n = len(records)
    order = np.lexsort(records.T)  # by the last column first: the same labels together, in the order of their scores
    ordered = records[order]
    step = max(1, math.ceil(n / PLACES))
    starts = np.flatnonzero(np.r_[True, (ordered[1:, 1:] != ordered[:-1, 1:]).any(axis=1)])
    u, weights = np.zeros(n), np.ones(n)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), n]):
        width = max(step, 1, round(math.sqrt(end - start) / 2))
        for left in range(start, end, step):
            low = max(start, min(left + (min(step, end - left) - width) // 2, end - width))
            high = min(end, low + width)
            weights[low:high] = 2.0
            more = of(ordered, weights)
            weights[low:high] = 0.0
            less = of(ordered, weights) if weights.any() else more
            weights[low:high] = 1.0
            u[order[left : left + min(step, end - left)]] = (
                (more - less) * (n**2 - (high - low) ** 2) / (2 * n * (high - low))
            )
    centred: Floats = u - u.mean()
    return centred


# ---- metrics over sets -----------------------------------------------------------------------------------------------


LEAST_TELLING = 3.0  # items that decide a value, of one that none seems to move
AS_MANY = 10.0  # items that tell nothing count as so many beside each that does, where a value is drawn towards 1/2


def _deciding(of_items: Spread, shared: Neighbours) -> Floats:
    """k: a metric over a set may rest on a few items (the true ones that score low)."""
    return np.minimum(np.maximum(of_items.telling, LEAST_TELLING), float(shared.items))


def few_telling(variance: Floats, freedom: Floats, of_items: Spread, shared: Neighbours) -> Known:
    """With k items that tell anything, the variance is 1 + 2/k times what the influence values show (with G effective
    clusters also 1 + 2/G times), and is known no better than their kurtosis n/k allows: 2n / (n/k - 1) degrees of
    freedom."""
    n, k = float(shared.items), _deciding(of_items, shared)
    more = (1 + 2 / k) * (1 + (2 / shared.effective if shared.pairs else 0.0))
    return variance * more, 1 / (1 / freedom + (n - k) / (2 * n * k))


def _on_logits(
    value: Floats, u: Floats, shared: Neighbours, seeds: Seeds | None
) -> list[tuple[Floats, Floats, Floats]]:
    """Of a metric over a set that lies between 0 and 1: the centre, error and degrees of freedom of log(y / (1 - y)),
    in every reading. Near 1 the distribution of such a metric is skewed, that of its logit is not; and its centre is
    drawn towards 1/2 by half an item of as many as the deciding ones stand for."""
    parts = []
    for each in shared.readings:
        of_items = spread(u, each, OTHER)
        _, own, freedom = plain_parts(value, of_items, each)
        error, freedom = with_seeds(*few_telling(own, freedom, of_items, each), [seeds or Seeds()])
        y = (value * of_items.number + 0.5) / (of_items.number + 1)
        number = np.minimum(of_items.number, AS_MANY * _deciding(of_items, each))
        centre = (value * number + 0.5) / (number + 1)
        parts.append((np.log(centre / (1 - centre)), error / (y * (1 - y)), freedom))
    return parts


def set_ends(value: Floats, u: Floats, shared: Neighbours, *, seeds: Seeds | None = None) -> tuple[Floats, Floats]:
    """Both ends of the interval of a metric over a set between 0 and 1."""
    both = [ends(*part) for part in _on_logits(value, u, shared, seeds)]
    low, high = np.min([low for low, _ in both], axis=0), np.max([high for _, high in both], axis=0)
    return np.minimum(1 / (1 + np.exp(-low)), value), np.maximum(1 / (1 + np.exp(-high)), value)


def set_p(constant: float, value: Floats, u: Floats, shared: Neighbours, *, seeds: Seeds | None = None) -> Floats:
    """Its p-value against a constant."""
    with np.errstate(divide="ignore"):
        at = np.log(constant) - np.log1p(-constant)
    parts = [p_value(centre - at, error, freedom) for centre, error, freedom in _on_logits(value, u, shared, seeds)]
    low, high = set_ends(value, u, shared, seeds=seeds)
    p: Floats = np.max(parts, axis=0)
    return np.where((low <= constant) & (constant <= high), np.maximum(p, 0.05), p)


def own_variance(value: Floats, u: Floats, shared: Neighbours, *, share: bool) -> Floats:
    """The variance that is due to the items."""
    of_items = spread(u, shared, SHARE if share else OTHER)
    return share_variance(value, of_items) if share else plain_parts(value, of_items, shared)[1]


# ---- a difference ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DifferenceEnds:
    """The interval of a difference, its p-value, the detectable difference and the variance that is due to items."""

    low: Floats
    high: Floats
    p: Floats
    detectable: Floats
    own: Floats


def drawn_ends(
    value: float, draws: Floats, shared: Neighbours, *, margin: float, seeds: Sequence[Seeds]
) -> DifferenceEnds:
    """The same from the draws of both systems."""
    parts = [
        (*each.ends(), each.p_against(margin), each.detectable()) for each in percentiles(value, draws, shared, seeds)
    ]
    low, high, p, seen = (np.array(each) for each in zip(*parts))
    return DifferenceEnds(low.min(), high.max(), p.max(), seen.max(), draws.var(axis=1).max())


def difference_ends(
    value: Floats,
    u: Floats,
    shared: Neighbours,
    *,
    share: bool,
    margin: float = 0.0,
    least: Floats | None = None,
    seeds: Sequence[Seeds] = (),
    over_strata: Known | None = None,
    of_sets: bool = False,
) -> DifferenceEnds:
    """Of differences with their influence values (the items are the last axis). `of_sets`: of metrics over sets."""
    parts = []
    for each in shared.readings:
        of_items = spread(u, each)
        centre, error, freedom = difference_of(value, of_items, each, share=share and not of_sets, least=least)
        own = error**2
        if of_sets:
            own, freedom = few_telling(own, freedom, of_items, each)
        if over_strata is not None:
            own, freedom = np.maximum(own, over_strata[0]), np.minimum(freedom, over_strata[1])
        error, freedom = with_seeds(own, freedom, seeds)
        low, high = ends(centre, error, freedom)
        parts.append((low, -high, -p_value(centre - margin, error, freedom), -detectable(error, freedom), -own))
    low, high, p, seen, own = np.min(parts, axis=0)
    return DifferenceEnds(low, -high, -p, -seen, -own)


# ---- the bootstrap by cluster ----------------------------------------------------------------------------------------


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
