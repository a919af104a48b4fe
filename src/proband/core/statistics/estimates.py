r"""The intervals and tests that follow from influence values (influence.py) and their spread (spread.py).

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

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.resampling import percentiles
from proband.core.statistics.spread import (
    OTHER,
    SHARE,
    Seeds,
    Spread,
    detectable,
    ends,
    p_value,
    share_ends,
    share_p,
    share_variance,
    spread,
    with_seeds,
)

# ---- one value -------------------------------------------------------------------------------------------------------


Known = tuple[Floats, Floats]  # a variance with its degrees of freedom


def value_ends(
    value: Floats, u: Floats, shared: Neighbours, *, share: bool, seeds: Seeds | None = None, least: Known | None = None
) -> tuple[Floats, Floats]:
    """Both ends of the intervals of values with their influence values (the items are the last axis). `least`: a
    variance that it has at least, with fewer degrees of freedom (strata.py)."""
    seeds, both = seeds or Seeds(), []
    for each in shared.readings:
        of_items = spread(u, each, SHARE if share else OTHER)
        if share:
            both.append(share_ends(value, at_least(value, of_items, least), each, seeds=seeds))
        else:
            centre, own, freedom = _plain(value, of_items, each)
            if least is not None:
                own, freedom = np.maximum(own, least[0]), np.minimum(freedom, least[1])
            both.append(ends(centre, *with_seeds(own, freedom, [seeds])))
    return np.min([low for low, _ in both], axis=0), np.max([high for _, high in both], axis=0)


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
        _, own, freedom = _plain(value, of_items, each)
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
    return share_variance(value, of_items) if share else _plain(value, of_items, shared)[1]


def at_least(value: Floats, of_items: Spread, least: Known | None) -> Spread:
    """The spread of a share whose variance is at least so large."""
    if least is None:
        return of_items
    number = of_items.number * np.minimum(1.0, share_variance(value, of_items) / least[0])
    return replace(of_items, number=number, freedom=np.minimum(of_items.freedom, least[1]), fixed=True)


def value_p(
    constant: float,
    value: Floats,
    u: Floats,
    shared: Neighbours,
    *,
    share: bool,
    seeds: Seeds | None = None,
    least: Known | None = None,
) -> Floats:
    """The p-values of values against a constant, two-sided: below 0.05 if and only if the interval leaves it out."""
    seeds, results = seeds or Seeds(), []
    for each in shared.readings:
        of_items = spread(u, each, SHARE if share else OTHER)
        if share:
            results.append(share_p(value, constant, at_least(value, of_items, least), each, seeds=seeds))
        else:
            centre, own, freedom = _plain(value, of_items, each)
            if least is not None:
                own, freedom = np.maximum(own, least[0]), np.minimum(freedom, least[1])
            results.append(p_value(centre - constant, *with_seeds(own, freedom, [seeds])))
    largest: Floats = np.max(results, axis=0)
    return largest


def _plain(value: Floats, of_items: Spread, shared: Neighbours) -> tuple[Floats, Floats, Floats]:
    """The centre, the variance and the degrees of freedom of a number that is no share. Such numbers may be skewed, and
    few clusters do not show it: with G effective clusters the error is 1 + 0.4/G times as large."""
    centre, error, freedom = difference_of(value, of_items, shared, share=False, least=value**2 / shared.items)
    if shared.pairs:
        error = error * (1 + 0.4 / shared.effective)
    return centre, error**2, freedom


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
    """The same from the draws of both systems (resampling.py)."""
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
