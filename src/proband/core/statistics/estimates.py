r"""Influence values, and the intervals and tests that follow from them and their spread (spread.py).

How much each item moves an estimate: if item i counted (1 + e) times, the estimate would move by e u_i / n, so that one
theory serves means and metrics over sets alike. For a mean, u_i = x_i - mean. For the mean over strata of their means,
u_i = n/(S n_s) (x_i - mean_s); strata of one item are collapsed into one, which errs on the safe side. A metric over
sets is any function of records and weights; its influence values are found by counting a few neighbouring records twice
and not at all,

    u = [T(1 + w) - T(1 - w)] (n^2 - b^2) / 2bn,      w = 1 for b records, 0 for the others,

where the b records have the same labels (all columns but the first) and scores (the first column) next to each other.
With about sqrt(n)/2 of them at a time the derivative also exists for metrics that jump (recall at a given precision),
and the step to both sides cancels the curvature of those that do not (area under a curve).

In what follows n_e is the effective number of items, nu the degrees of freedom, t Student's quantile at .975.

Shares (means of numbers between 0 and 1, metrics over sets in that unit): Wilson's interval (spread.py).

Differences of shares (Bonett and Price's interval at n_e; d~ is drawn towards 0 by half an item):

    d~ = d n_e / (n_e + 1/2),    se^2 = {[n_e mean(d^2) + 1/2] / (n_e + 1/2) - d~^2} / (n_e + 1/2)

Other numbers: d~ = d, se^2 = sum u^2 / (n - n/n_e) / n_e. The interval is d~ +- t se with 1/nu' = 1/nu + 1/(n-1), and p
comes from the same t: the interval leaves out zero if and only if p < 0.05.

Where a system was trained several times, the spread of its runs is added to the variance. Where items have clusters of
several kinds, an interval is the union of those for every selection of kinds (clusters.py), and p the largest: both
agree as before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats, Ints, Neighbours
from proband.core.statistics.resampling import percentiles
from proband.core.statistics.spread import (
    OTHER,
    SHARE,
    Seeds,
    Spread,
    detectable,
    ends,
    p_value,
    seeds_of,
    seeds_part,
    share_ends,
    share_p,
    share_variance,
    spread,
    standing_in,
    training,
    with_seeds,
)

# ---- influence values ------------------------------------------------------------------------------------------------


SetMetric = Callable[[Floats, Floats], float]  # of records and their weights
PLACES = 100  # at which the influence on a metric over sets is measured; the records between share the nearest one


def of_mean(x: Floats, strata: Ints | None = None) -> tuple[float, Floats]:
    """A mean (with `strata`, a number from 0 per item: the mean over them of their means) and its influence values.

    >>> of_mean(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    (0.75, array([ 0.70710678, -0.70710678,  0.        ,  0.        ]))
    """
    if strata is None:
        return float(x.mean()), x - x.mean()
    sizes = np.bincount(strata)
    means = np.bincount(strata, weights=x) / sizes
    lost = np.sqrt(sizes / np.maximum(sizes - 1, 1))  # a degree of freedom each
    centre, lone = means.copy(), sizes == 1
    if lone.any():  # one item says nothing of the spread within its stratum: such strata are taken together
        count = int(lone.sum())
        centre[lone] = means[lone].mean() if count > 1 else means.mean()
        lost[lone] = np.sqrt(count / max(count - 1, 1))
    return float(means.mean()), (lost * len(x) / (len(sizes) * sizes))[strata] * (x - centre[strata])


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


@dataclass(frozen=True)
class Measured:
    """One system: its value in each of its runs, and the influence of every item on it (runs x items). `trained`:
    another training seed would have given another system."""

    values: Floats
    influence: Floats
    trained: bool = False
    draws: Floats | None = None  # of a metric that jumps: its value in each draw of clusters (resampling.py)

    @classmethod
    def of_means(cls, x: Floats, *, trained: bool = False) -> Measured:
        """A system whose value is the mean of its numbers (runs x items)."""
        values = x.mean(axis=1)
        return cls(values, x - values[:, None], trained)

    @property
    def value(self) -> float:
        return float(self.values.mean())

    @property
    def mean_influence(self) -> Floats:
        mean: Floats = self.influence[0] if len(self.influence) == 1 else self.influence.mean(axis=0)
        return mean

    @property
    def seeds(self) -> Seeds:
        return seeds_of(self.values, self.influence, trained=self.trained)


def on_all_items(a: Measured, b: Measured) -> tuple[Measured, Measured]:
    """Two selections of items, each measured on the items of both: those of the other do not move it.

    >>> one, other = on_all_items(Measured.of_means(np.array([[1.0, 0.0]])), Measured.of_means(np.array([[0.5]])))
    >>> one.influence.tolist(), other.influence.tolist()
    ([[0.75, -0.75, 0.0]], [[0.0, 0.0, 0.0]])
    """
    size, rest = a.influence.shape[1], b.influence.shape[1]
    first = np.pad((size + rest) / size * a.influence, ((0, 0), (0, rest)))
    second = np.pad((size + rest) / rest * b.influence, ((0, 0), (size, 0)))
    return Measured(a.values, first, a.trained), Measured(b.values, second, b.trained)


# ---- one system ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A 95 % interval. `few`: too few clusters to tell anything; `from_seeds`: the share of the variance that is due to
    training seeds (None where there was one run)."""

    low: float
    high: float
    few: bool
    from_seeds: float | None = None


def interval(measured: Measured, shared: Neighbours, *, share: bool) -> Interval:
    """The interval of a value; `share`: it cannot leave [0, 1].

    >>> from proband.core.statistics.clusters import Clusters
    >>> x = np.array([1.0] * 30 + [0.0] * 10)
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(40)]))
    >>> both = interval(Measured.of_means(x[None]), shared, share=True)
    >>> round(both.low, 3), round(both.high, 3), both.few
    (0.598, 0.858, False)
    """
    seeds, draws = measured.seeds, measured.draws
    if draws is not None:
        parts = [each.ends() for each in percentiles(measured.value, draws, shared, [seeds])]
        low, high = min(low for low, _ in parts), max(high for _, high in parts)
        low, high = (max(low, 0.0), min(high, 1.0)) if share else (low, high)
        own = float(draws.var(axis=1).max())
    else:
        value, u = np.array(measured.value), measured.mean_influence
        low, high = map(float, value_ends(value, u, shared, share=share, seeds=seeds))
        several = shared.readings if seeds.count > 1 else ()  # else nothing is due to seeds
        own = max((float(_own_variance(value, u, each, share=share)) for each in several), default=0.0)
    return Interval(low=low, high=high, few=shared.few, from_seeds=seeds_part(own, [seeds]))


def value_ends(
    value: Floats, u: Floats, shared: Neighbours, *, share: bool, seeds: Seeds | None = None
) -> tuple[Floats, Floats]:
    """Both ends of the intervals of values with their influence values (the items are the last axis)."""
    seeds, both = seeds or Seeds(), []
    for each in shared.readings:
        of_items = spread(u, each, SHARE if share else OTHER)
        if share:
            both.append(share_ends(value, of_items, each, seeds=seeds))
        else:
            centre, own, freedom = _plain(value, of_items, each)
            both.append(ends(centre, *with_seeds(own, freedom, [seeds])))
    return np.min([low for low, _ in both], axis=0), np.max([high for _, high in both], axis=0)


def _own_variance(value: Floats, u: Floats, shared: Neighbours, *, share: bool) -> Floats:
    """The variance that is due to the items."""
    of_items = spread(u, shared, SHARE if share else OTHER)
    return share_variance(value, of_items) if share else _plain(value, of_items, shared)[1]


def p_against(constant: float, measured: Measured, shared: Neighbours, *, share: bool) -> float:
    """The p-value of a value against a constant, two-sided: below 0.05 if and only if the interval leaves it out.

    >>> from proband.core.statistics.clusters import Clusters
    >>> x = np.array([1.0] * 30 + [0.0] * 10)
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(40)]))
    >>> three_quarters = Measured.of_means(x[None])
    >>> [round(p_against(c, three_quarters, shared, share=True), 3) for c in (0.59, 0.598, 0.75, 0.858)]
    [0.04, 0.05, 1.0, 0.05]
    """
    seeds, value, p = measured.seeds, np.array(measured.value), 0.0
    if measured.draws is not None:
        return max(each.p_against(constant) for each in percentiles(measured.value, measured.draws, shared, [seeds]))
    for each in shared.readings:
        of_items = spread(measured.mean_influence, each, SHARE if share else OTHER)
        if share:
            own_p = share_p(value, constant, of_items, each, seeds=seeds)
        else:
            centre, own, freedom = _plain(value, of_items, each)
            own_p = p_value(centre - constant, *with_seeds(own, freedom, [seeds]))
        p = max(p, float(own_p))
    return p


def _plain(value: Floats, of_items: Spread, shared: Neighbours) -> tuple[Floats, Floats, Floats]:
    """The centre, the variance and the degrees of freedom of a number that is no share. Such numbers may be skewed, and
    few clusters do not show it: with G effective clusters the error is 1 + 0.4/G times as large."""
    centre, error, freedom = difference_of(value, of_items, shared, share=False, least=value**2 / shared.items)
    if shared.pairs:
        error = error * (1 + 0.4 / shared.effective)
    return centre, error**2, freedom


# ---- two systems, or two selections ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference with its interval, the p-value of the same t, and the difference that would be seen four times in
    five. `training` is what must be said where a net was trained once (spread.py)."""

    difference: float
    low: float
    high: float
    p: float
    detectable: float
    few: bool
    from_seeds: float | None = None
    training: str = ""


@dataclass(frozen=True)
class DifferenceEnds:
    """The interval of a difference, its p-value, the detectable difference and the variance that is due to items."""

    low: Floats
    high: Floats
    p: Floats
    detectable: Floats
    own: Floats


def compare(a: Measured, b: Measured, shared: Neighbours, *, share: bool, margin: float = 0.0) -> Difference:
    """Two systems on the same items: a - b, tested against `margin`.

    >>> from proband.core.statistics.clusters import Clusters
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(330)]))
    >>> right, wrong = (Measured(np.array([x]), np.zeros((1, 330))) for x in (1.0, 0.0))
    >>> ahead = compare(right, wrong, shared, share=True)
    >>> round(ahead.low, 4), ahead.high, ahead.p < 1e-9
    (0.9925, 1.0, True)
    """
    value, seeds = a.value - b.value, (a.seeds, b.seeds)
    if a.draws is not None and b.draws is not None:
        both = _drawn_ends(value, a.draws - b.draws, shared, margin=margin, seeds=standing_in(*seeds))
        return _difference(value, both, shared, share=share, seeds=seeds)
    own = (a.mean_influence**2).mean() + (b.mean_influence**2).mean() + value**2
    u, least = a.mean_influence - b.mean_influence, float(own) / shared.items
    return difference(value, u, shared, share=share, margin=margin, least=least, seeds=seeds)


def difference(
    value: float,
    u: Floats,
    shared: Neighbours,
    *,
    share: bool,
    margin: float = 0.0,
    least: float = 0.0,
    seeds: Sequence[Seeds] = (),
) -> Difference:
    """Any difference with its influence values; `least` is added to their sum of squares, so that numbers without any
    spread are not taken for certain; `seeds` are those of the two systems, or of the difference itself."""
    both = difference_ends(
        np.array(value), u, shared, share=share, margin=margin, least=np.array(least), seeds=_counted(seeds)
    )
    return _difference(value, both, shared, share=share, seeds=seeds)


def _difference(
    value: float, both: DifferenceEnds, shared: Neighbours, *, share: bool, seeds: Sequence[Seeds]
) -> Difference:
    """A difference of shares lies between -1 and 1."""
    low, high = float(both.low), float(both.high)
    return Difference(
        difference=value,
        low=max(low, -1.0) if share else low,
        high=min(high, 1.0) if share else high,
        p=float(both.p),
        detectable=float(both.detectable),
        few=shared.few,
        from_seeds=seeds_part(float(both.own), _counted(seeds)),
        training=training(*seeds),
    )


def _counted(seeds: Sequence[Seeds]) -> Sequence[Seeds]:
    return standing_in(*seeds) if len(seeds) == 2 else seeds


def _drawn_ends(
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
) -> DifferenceEnds:
    """Of differences with their influence values (the items are the last axis)."""
    parts = []
    for each in shared.readings:
        centre, error, freedom = difference_of(value, spread(u, each), each, share=share, least=least)
        own = error**2
        error, freedom = with_seeds(own, freedom, seeds)
        low, high = ends(centre, error, freedom)
        parts.append((low, -high, -p_value(centre - margin, error, freedom), -detectable(error, freedom), -own))
    low, high, p, seen, own = np.min(parts, axis=0)
    return DifferenceEnds(low, -high, -p, -seen, -own)


def difference_of(
    value: Floats, of_items: Spread, shared: Neighbours, *, share: bool, least: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """The centre of the interval, its standard error and degrees of freedom."""
    n, number = shared.items, of_items.number
    if share:
        more = number + 0.5
        centre = value * number / more
        variance = ((number * (of_items.square + value**2) + 0.5) / more - centre**2) / more
    else:
        centre, rest = value, np.maximum(n - n / number, 0.5)
        variance = (n * of_items.square + (0.0 if least is None else least)) / rest / number
    return centre, np.sqrt(variance), 1 / (1 / of_items.freedom + 1 / max(n - 1, 1))


# ---- many tests ------------------------------------------------------------------------------------------------------


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(np.asarray(p), kind="stable")
    out, running = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[at]))
        out[at] = running
    return out
