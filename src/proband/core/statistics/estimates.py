r"""Intervals and tests from influence values (influence.py) and their spread (spread.py).

n_e is the effective number of items, nu the degrees of freedom, t Student's quantile at .975.

Shares (means of numbers between 0 and 1, metrics over sets in that unit): Wilson's interval (shares.py).

Differences of shares (Bonett and Price's interval at n_e; d~ is drawn towards 0 by half an item):

    d~ = d n_e / (n_e + 1/2),    se^2 = {[n_e mean(d^2) + 1/2] / (n_e + 1/2) - d~^2} / (n_e + 1/2)

Other numbers: d~ = d, se^2 = sum u^2 / (n - n/n_e) / n_e. The interval is d~ +- t se with 1/nu' = 1/nu + 1/(n-1), and p
comes from the same t: the interval leaves out zero if and only if p < 0.05.

Where a system was trained several times, the spread of its runs is added to the variance (seeds.py).

Where items have clusters of several kinds, an interval is the union of those for every selection of kinds
(clusters.py), and p the largest: both agree as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.resampling import percentiles
from proband.core.statistics.seeds import (
    Seeds,
    detectable,
    ends,
    p_value,
    seeds_of,
    seeds_part,
    standing_in,
    training,
    with_seeds,
)
from proband.core.statistics.spread import OTHER, SHARE, Spread, share_ends, share_p, share_variance, spread


@dataclass(frozen=True)
class Measured:
    """One system: its value in each of its runs, and the influence of every item on it (runs x items). `trained`:
    another training seed would have given another system."""

    values: Floats
    influence: Floats
    trained: bool = False
    draws: Floats | None = None  # of a metric that jumps: its value in each draw of clusters (resampling.py)

    @classmethod
    def of_means(cls, x: Floats, *, trained: bool) -> Measured:
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


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A 95 % interval. `few`: too few clusters to tell anything; `from_seeds`: the share of the variance that is due to
    training seeds (None where there was one run)."""

    low: float
    high: float
    few: bool
    from_seeds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference with its interval, the p-value of the same t, and the difference that would be seen four times in
    five. `training` is what must be said where a net was trained once (seeds.py)."""

    difference: float
    low: float
    high: float
    p: float
    detectable: float
    few: bool
    from_seeds: float | None = None
    training: str = ""


# ---- one system ----------------------------------------------------------------------------------------------------


def interval(measured: Measured, shared: Neighbours, *, share: bool) -> Interval:
    """The interval of a value; `share`: it cannot leave [0, 1].

    >>> from proband.core.statistics.clusters import Clusters
    >>> x = np.array([1.0] * 30 + [0.0] * 10)
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(40)]), np.arange(40))
    >>> found = interval(Measured(x[:1] * 0.75, (x - 0.75)[None]), shared, share=True)
    >>> round(found.low, 3), round(found.high, 3), found.few
    (0.598, 0.858, False)
    """
    if measured.draws is not None:
        return _drawn_interval(measured, measured.draws, shared, share=share)
    seeds, value, u = measured.seeds, np.array(measured.value), measured.mean_influence
    low, high = value_ends(value, u, shared, share=share, seeds=seeds)
    own = max(float(_own_variance(value, u, each, share=share)) for each in shared.readings)
    return Interval(low=float(low), high=float(high), few=shared.few, from_seeds=seeds_part(own, [seeds]))


def _drawn_interval(measured: Measured, draws: Floats, shared: Neighbours, *, share: bool) -> Interval:
    """An interval from the draws of a metric that jumps."""
    both = [each.ends() for each in percentiles(measured.value, draws, shared, [measured.seeds])]
    low, high = min(low for low, _ in both), max(high for _, high in both)
    return Interval(
        low=max(low, 0.0) if share else low,
        high=min(high, 1.0) if share else high,
        few=shared.few,
        from_seeds=seeds_part(float(draws.var(axis=1).max()), [measured.seeds]),
    )


def value_ends(
    value: Floats, u: Floats, shared: Neighbours, *, share: bool, seeds: Seeds | None = None
) -> tuple[Floats, Floats]:
    """Both ends of the intervals of values with their influence values (the items are the last axis)."""
    seeds, both = seeds or Seeds(), []
    for each in shared.readings:
        result = spread(u, each, SHARE if share else OTHER)
        if share:
            both.append(share_ends(value, result, each, seeds=seeds))
        else:
            centre, own, freedom = _plain(value, result, each)
            both.append(ends(centre, *with_seeds(own, freedom, [seeds])))
    return np.min([low for low, _ in both], axis=0), np.max([high for _, high in both], axis=0)


def _own_variance(value: Floats, u: Floats, shared: Neighbours, *, share: bool) -> Floats:
    """The variance that is due to the items."""
    result = spread(u, shared, SHARE if share else OTHER)
    return share_variance(value, result) if share else _plain(value, result, shared)[1]


def p_against(constant: float, measured: Measured, shared: Neighbours, *, share: bool) -> float:
    """The p-value of a value against a constant, two-sided: below 0.05 if and only if the interval leaves it out.

    >>> from proband.core.statistics.clusters import Clusters
    >>> x = np.array([1.0] * 30 + [0.0] * 10)
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(40)]), np.arange(40))
    >>> three_quarters = Measured(x[:1] * 0.75, (x - 0.75)[None])
    >>> [round(p_against(c, three_quarters, shared, share=True), 3) for c in (0.59, 0.598, 0.75, 0.858)]
    [0.04, 0.05, 1.0, 0.05]
    """
    seeds, value, p = measured.seeds, np.array(measured.value), 0.0
    if measured.draws is not None:
        return max(each.p_against(constant) for each in percentiles(measured.value, measured.draws, shared, [seeds]))
    for each in shared.readings:
        result = spread(measured.mean_influence, each, SHARE if share else OTHER)
        if share:
            own_p = share_p(value, constant, result, each, seeds=seeds)
        else:
            centre, own, freedom = _plain(value, result, each)
            own_p = p_value(centre - constant, *with_seeds(own, freedom, [seeds]))
        p = max(p, float(own_p))
    return p


def _plain(value: Floats, result: Spread, shared: Neighbours) -> tuple[Floats, Floats, Floats]:
    """The centre, the variance and the degrees of freedom of a number that is no share. Such numbers may be skewed, and
    few clusters do not show it: with G effective clusters the error is 1 + 0.4/G times as large."""
    centre, error, freedom = difference_of(value, result, shared, share=False, least=value**2 / shared.items)
    if shared.pairs:
        error = error * (1 + 0.4 / shared.effective)
    return centre, error**2, freedom


# ---- two systems, or two selections --------------------------------------------------------------------------------


def compare(a: Measured, b: Measured, shared: Neighbours, *, share: bool, margin: float = 0.0) -> Difference:
    """Two systems on the same items: a - b, tested against `margin`.

    >>> from proband.core.statistics.clusters import Clusters
    >>> shared = Neighbours.of(Clusters.of([(str(i),) for i in range(330)]), np.arange(330))
    >>> right, wrong = (Measured(np.array([x]), np.zeros((1, 330))) for x in (1.0, 0.0))
    >>> found = compare(right, wrong, shared, share=True)
    >>> round(found.low, 4), found.high, found.p < 1e-9
    (0.9925, 1.0, True)
    """
    u = a.mean_influence - b.mean_influence
    own = (a.mean_influence**2).mean() + (b.mean_influence**2).mean() + (a.value - b.value) ** 2
    least, seeds = float(own) / shared.items, (a.seeds, b.seeds)
    if a.draws is not None and b.draws is not None:
        return _drawn(a.value - b.value, a.draws - b.draws, shared, share=share, margin=margin, seeds=seeds)
    return difference(a.value - b.value, u, shared, share=share, margin=margin, least=least, seeds=seeds)


def _drawn(
    value: float, draws: Floats, shared: Neighbours, *, share: bool, margin: float, seeds: Sequence[Seeds]
) -> Difference:
    """A difference from the draws of both systems."""
    counted = standing_in(*seeds) if len(seeds) == 2 else seeds
    result = percentiles(value, draws, shared, counted)
    low, high = min(each.ends()[0] for each in result), max(each.ends()[1] for each in result)
    return Difference(
        difference=value,
        low=max(low, -1.0) if share else low,
        high=min(high, 1.0) if share else high,
        p=max(each.p_against(margin) for each in result),
        detectable=max(each.detectable() for each in result),
        few=shared.few,
        from_seeds=seeds_part(float(draws.var(axis=1).max()), counted),
        training=training(*seeds),
    )


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
    counted = standing_in(*seeds) if len(seeds) == 2 else seeds
    result = difference_ends(
        np.array(value), u, shared, share=share, margin=margin, least=np.array(least), seeds=counted
    )
    low, high = (np.maximum(result.low, -1.0), np.minimum(result.high, 1.0)) if share else (result.low, result.high)
    return Difference(
        difference=value,
        low=float(low),
        high=float(high),
        p=float(result.p),
        detectable=float(result.detectable),
        few=shared.few,
        from_seeds=seeds_part(float(result.own), counted),
        training=training(*seeds),
    )


@dataclass(frozen=True)
class DifferenceEnds:
    """The interval of a difference, its p-value, the detectable difference and the variance that is due to items."""

    low: Floats
    high: Floats
    p: Floats
    detectable: Floats
    own: Floats


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
    value: Floats, result: Spread, shared: Neighbours, *, share: bool, least: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """The centre of the interval, its standard error and degrees of freedom."""
    n, number = shared.items, result.number
    if share:
        more = number + 0.5
        centre = value * number / more
        square = (number * (result.square + value**2) + 0.5) / more - centre**2
        variance = square / more
    else:
        rest = np.maximum(n - n / number, 0.5)
        centre = value
        variance = (n * result.square + (0.0 if least is None else least)) / rest / number
    freedom = 1 / (1 / result.freedom + 1 / max(n - 1, 1))
    return centre, np.sqrt(variance), freedom


# ---- many tests ----------------------------------------------------------------------------------------------------


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
