r"""Intervals and tests from influence values (influence.py) and their spread (spread.py).

n_e is the effective number of items, nu the degrees of freedom, t Student's quantile at .975.

Shares (means of numbers between 0 and 1, metrics over sets in that unit): Wilson's interval with c = v t^2 / n_e in
place of z^2/n, where v compares the spread of the numbers with that of zeros and ones (v = 1 for them).

Differences of shares (Bonett and Price's interval at n_e; d~ is drawn towards 0 by half an item):

    d~ = d n_e / (n_e + 1/2),    se^2 = {[n_e mean(d^2) + 1/2] / (n_e + 1/2) - d~^2} / (n_e + 1/2)

Other numbers: d~ = d, se^2 = sum u^2 / (n - n/n_e) / n_e. The interval is d~ +- t se with 1/nu' = 1/nu + 1/(n-1), and p
comes from the same t: the interval leaves out zero if and only if p < 0.05.

Where a system was trained several times, the spread of its S runs is a second source of chance: V = s^2/S, less what
the items' own noise explains of it, is added to the variance, with Satterthwaite's degrees of freedom for the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.spread import OTHER, SHARE, Spread, effective, spread

LEVEL = 0.975
POWER = 0.8
PATH = 12  # counts near 0 over which the end of a share's interval is made monotone


@dataclass(frozen=True)
class Measured:
    """One system: its value in each of its runs, and the influence of every item on it (runs x items)."""

    values: Floats
    influence: Floats

    @property
    def value(self) -> float:
        return float(self.values.mean())

    @property
    def mean_influence(self) -> Floats:
        mean: Floats = self.influence[0] if len(self.influence) == 1 else self.influence.mean(axis=0)
        return mean

    @property
    def seeds(self) -> Seeds:
        return seeds_of(self.values, self.influence)


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of a mean over them."""

    count: int = 1
    variance: float = 0.0


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
    five."""

    difference: float
    low: float
    high: float
    p: float
    detectable: float
    few: bool
    from_seeds: float | None = None


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
    seeds, value = measured.seeds, np.array(measured.value)
    found = spread(measured.mean_influence, shared, SHARE if share else OTHER)
    if share:
        own = _share_variance(value, found)
        low, high = share_ends(value, found, shared, seeds=seeds)
    else:
        least = np.array(measured.value**2 / shared.items)
        centre, error, freedom = difference_of(value, found, shared, share=False, least=least)
        own = error**2
        low, high = _ends(centre, *_with_seeds(own, freedom, [seeds]))
    return Interval(low=float(low), high=float(high), few=shared.few, from_seeds=_part(float(own), [seeds]))


def share_ends(mean: Floats, found: Spread, shared: Neighbours, *, seeds: Seeds | None = None) -> tuple[Floats, Floats]:
    """Both ends for a share. Near 0 and 1 the correlation of neighbours is known less and less well, and its prior may
    widen an interval as the mean moves outward: an end is never inside those of means still further out (at the same
    correlation)."""
    seeds = seeds or Seeds()
    low, high = 1 - _upper(1 - mean, found, shared, seeds), _upper(mean, found, shared, seeds)
    return np.minimum(low, mean), np.maximum(high, mean)  # but for rounding


def _upper(mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Floats:
    ends = [_wilson_end(mean, mean, found, shared, seeds)]
    if np.any(mean * shared.items < PATH):
        for count in range(PATH):
            y = np.minimum(mean, count / shared.items)
            telling = np.minimum(found.telling, shared.items * y * (1 - y) / ((1 - y) ** 3 + y**3))
            number, freedom = effective(found.correlation, telling, shared, SHARE)
            before = replace(found, telling=telling, number=number, freedom=freedom)
            ends.append(np.where(y < mean, _wilson_end(y, mean, before, shared, seeds), 0.0))
    highest: Floats = np.max(ends, axis=0)
    return highest


def _ratio(mean: Floats, found: Spread) -> Floats:
    """v: the spread of the numbers beside that of zeros and ones with their mean, one item of which is added."""
    binary = mean * (1 - mean)
    ratio = np.where(binary > 1e-12, found.square / np.where(binary > 1e-12, binary, 1.0), 1.0)
    return (found.number * ratio + 1) / (found.number + 1)


def _share_variance(mean: Floats, found: Spread) -> Floats:
    inside = (mean * found.number + 0.5) / (found.number + 1)
    variance: Floats = inside * (1 - inside) * _ratio(mean, found) / found.number
    return variance


def _wilson_end(y: Floats, mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Floats:
    """The upper end at the mean y, with the ratio v of the mean that was seen."""
    ratio, number = _ratio(mean, found), found.number
    own = _share_variance(mean, found)
    total, freedom = _with_seeds(own, found.freedom, [seeds])
    c = quantile(freedom) ** 2 * ratio * (total**2 / own) / number
    upper: Floats = (y + c / 2 + np.sqrt(c * y * (1 - y) + c**2 / 4)) / (1 + c)
    return np.minimum(upper, 1.0)


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
    return difference(a.value - b.value, u, shared, share=share, margin=margin, least=least, seeds=seeds)


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
    spread are not taken for certain."""
    centre, error, freedom = difference_of(
        np.array(value), spread(u, shared), shared, share=share, least=np.array(least)
    )
    own = float(error**2)
    error, freedom = _with_seeds(error**2, freedom, seeds)
    low, high = _ends(centre, error, freedom)
    if share:
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return Difference(
        difference=value,
        low=float(low),
        high=float(high),
        p=float(p_value(centre - margin, error, freedom)),
        detectable=float(detectable(error, freedom)),
        few=shared.few,
        from_seeds=_part(own, seeds),
    )


def difference_of(
    value: Floats, found: Spread, shared: Neighbours, *, share: bool, least: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """The centre of the interval, its standard error and degrees of freedom."""
    n, number = shared.items, found.number
    if share:
        more = number + 0.5
        centre = value * number / more
        square = (number * (found.square + value**2) + 0.5) / more - centre**2
        variance = square / more
    else:
        rest = np.maximum(n - n / number, 0.5)
        centre = value
        variance = (n * found.square + (0.0 if least is None else least)) / rest / number
    freedom = 1 / (1 / found.freedom + 1 / max(n - 1, 1))
    return centre, np.sqrt(variance), freedom


# ---- training seeds ------------------------------------------------------------------------------------------------


def seeds_of(values: Floats, influence: Floats) -> Seeds:
    """What the runs of one system differ by beyond the noise of single items (an interaction of item and seed, which
    the items' variance has counted already).

    >>> u = np.tile([0.5, -0.5], (3, 10))
    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), u).variance, 5), seeds_of(np.array([0.5] * 3), u).variance
    (0.00333, 0.0)
    """
    count, items = influence.shape
    if count < 2:
        return Seeds()
    noise = ((influence - influence.mean(axis=0)) ** 2).sum() / (max(items - 1, 1) * (count - 1))
    net = values.var(ddof=1) / count - noise / (items * count)
    return Seeds(count, max(0.0, float(net)))


def _with_seeds(own: Floats, freedom: Floats, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom (Satterthwaite)."""
    more = sum(each.variance for each in seeds)
    if not more:
        return np.sqrt(own), freedom
    below = own**2 / freedom + sum(each.variance**2 / (each.count - 1) for each in seeds if each.count > 1)
    return np.sqrt(own + more), (own + more) ** 2 / below


def _part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = sum(each.variance for each in seeds)
    return more / (own + more) if own + more else 0.0


# ---- Student's t ---------------------------------------------------------------------------------------------------


def quantile(freedom: Floats, level: float = LEVEL) -> Floats:
    from scipy.special import stdtrit

    found: Floats = stdtrit(freedom, level)
    return found


def p_value(distance: Floats, error: Floats, freedom: Floats) -> Floats:
    """Two-sided; 1 where nothing differs and nothing varies."""
    from scipy.special import stdtr

    t = np.where(error > 0, np.abs(distance) / np.where(error > 0, error, 1.0), np.where(distance == 0, 0.0, np.inf))
    return np.where(t == 0, 1.0, 2 * stdtr(freedom, -t))


def _ends(centre: Floats, error: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    half = quantile(freedom) * error
    return centre - half, centre + half


def detectable(error: Floats, freedom: Floats) -> Floats:
    """The true difference that a test at 0.05 sees four times in five: (t_.975 + t_.8) x standard error.

    >>> float(detectable(np.array(0.01), np.array(np.inf))).__round__(4)
    0.028
    """
    return (quantile(freedom) + quantile(freedom, POWER)) * error


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
