"""How far a mean may be off where items share material.

An estimate is, up to a constant, the mean of influence values u_i (x_i less the mean, where it is a mean). With n
items, N ordered pairs of neighbours, deg_i neighbours of item i, r = sum deg_i^2, A = sum u_i^2, B = sum of u_i u_j
over pairs of neighbours, the correlation rho of neighbours solves E[A], E[B] given that the u have been centred:

    rho = [A N/n + B (n-1)] / [A (N - 2r/n + N^2/n^2) + B N/n]
    rho_1 = min(1, max(0, rho + (0.35 + 1.5/G) sqrt(2/N)))        a margin for its own error; G eff. clusters
    rho_2 = [I rho_1 + w max(rho_1, q/m)] / (I + w)                a weak prior; m clusters per item,
            I = k(k-1)/2,  k = (sum v)^2 / sum v^2                 k items tell anything: v = u_i^2; for shares, whose
                                                                   spread shrinks near 0 and 1, also k clusters:
                                                                   v = (sum of u over a cluster)^2, the smaller k

The variance of the mean is then D sigma^2 / n with the design effect D = 1 + rho_2 N/n; n_e = n/D is the number of
independent items that would say as much. D is known as well as the number of clusters allows: with G effective
clusters, nu = (G-1) (D/(D-1))^2 degrees of freedom.

Shares (means of numbers between 0 and 1): Wilson's interval for clustered items, and the test that inverts it.

The ends x of the interval around the mean y solve

    (y - x)^2 = t^2 kappa x (1 - x),      kappa = v/n_e, times what training seeds add,

with Student's quantile t, the effective number of items n_e and the spread v of the numbers relative to that of zeros
and ones (v = 1 for them). For a constant c in place of x, t = |y - c| / sqrt(kappa c (1 - c)) gives a p-value that is
below 0.05 if and only if c is outside the interval.

Near 0 and 1 the correlation of neighbours is known less and less well, and its prior may widen an interval as the mean
moves outward: an end is never inside those of means still further out (at the same correlation), and p is the largest
over the same means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.seeds import Seeds, p_value, quantile, with_seeds


def margin(effective: float) -> float:
    """In standard errors of rho: what is added to it, more where there are few clusters."""
    return 0.35 + 1.5 / effective


@dataclass(frozen=True)
class Prior:
    """w and q above, and whether clusters are counted beside items."""

    weight: float
    least: float
    by_cluster: bool


SHARE = Prior(6.0, 0.15, True)  # of the mean of zeros and ones
OTHER = Prior(3.0, 0.1, False)  # of differences, and of numbers of any size


@dataclass(frozen=True)
class Spread:
    """Of some influence values (the arrays have one entry per set of them): their mean square, the correlation of
    neighbours before the prior, how many items or clusters tell anything, the effective number of items and the degrees
    of freedom."""

    square: Floats
    correlation: Floats
    telling: Floats
    number: Floats
    freedom: Floats


def spread(u: Floats, shared: Neighbours, prior: Prior = OTHER) -> Spread:
    """The items are the last axis of `u`.

    >>> from proband.core.statistics.clusters import Clusters
    >>> u = np.array([1.0, 1.0, -1.0, -1.0] * 5)
    >>> alone = Neighbours.of(Clusters.of([(str(i),) for i in range(20)]), np.arange(20))
    >>> pairs = Neighbours.of(Clusters.of([(str(i // 2),) for i in range(20)]), np.arange(20))
    >>> float(spread(u, alone).number), float(spread(u, pairs).number)
    (20.0, 10.0)
    """
    correlation = neighbours_correlation(u, shared)
    telling = _telling(u**2)
    if prior.by_cluster:
        telling = np.minimum(telling, _telling(shared.cluster_sums(u) ** 2))
    number, freedom = effective(correlation, telling, shared, prior)
    return Spread((u**2).mean(axis=-1), correlation, telling, number, freedom)


def _telling(v: Floats) -> Floats:
    """(sum v)^2 / sum v^2: how many of the numbers are not negligible."""
    below = (v**2).sum(axis=-1)
    found: Floats = v.sum(axis=-1) ** 2 / np.where(below > 0, below, 1.0)
    return found


def neighbours_correlation(u: Floats, shared: Neighbours, *, safe: bool = True) -> Floats:
    """rho_1 above (rho itself where it need not be `safe`); 0 where there are no neighbours or no spread."""
    n, pairs, squares = shared.items, shared.pairs, float((shared.degree**2).sum())
    a = (u**2).sum(axis=-1)
    if not pairs or n < 2:
        return np.zeros_like(a)
    b, more = shared.products(u), margin(shared.effective) * np.sqrt(2 / pairs) if safe else 0.0
    below = a * (pairs - 2 * squares / n + pairs**2 / n**2) + b * pairs / n
    usable = (a > 0) & (below > 1e-12 * np.abs(a) * pairs)
    rho = np.where(usable, (a * pairs / n + b * (n - 1)) / np.where(usable, below, 1.0), np.where(a > 0, 1.0, 0.0))
    clipped: Floats = np.clip(rho + np.where(a > 0, more, 0.0), 0.0, 1.0)
    return clipped


def effective(correlation: Floats, telling: Floats, shared: Neighbours, prior: Prior) -> tuple[Floats, Floats]:
    """The effective number of items and the degrees of freedom, where `telling` items say anything."""
    informed = np.maximum(telling * (telling - 1) / 2, 0.0)
    expected = np.maximum(correlation, prior.least / shared.ways)
    rho = (informed * correlation + prior.weight * expected) / (informed + prior.weight)
    more = rho * shared.pairs / shared.items  # D - 1
    groups = max(shared.effective, 2.0) - 1
    with np.errstate(divide="ignore"):
        freedom = np.where(more > 0, groups * ((1 + more) / np.where(more > 0, more, 1.0)) ** 2, np.inf)
    return shared.items / (1 + more), freedom


# ---- shares ----------------------------------------------------------------------------------------------------------


PATH = 12  # counts near 0 over which the end of an interval is made monotone
Scaled = tuple[Floats, Floats, Floats]  # a mean y, its kappa and degrees of freedom


def share_ends(mean: Floats, found: Spread, shared: Neighbours, *, seeds: Seeds | None = None) -> tuple[Floats, Floats]:
    """Both ends of the interval."""
    seeds = seeds or Seeds()
    low, high = 1 - _upper(1 - mean, found, shared, seeds), _upper(mean, found, shared, seeds)
    return np.minimum(low, mean), np.maximum(high, mean)  # but for rounding


def share_p(mean: Floats, constant: float, found: Spread, shared: Neighbours, *, seeds: Seeds | None = None) -> Floats:
    """The p-value of a mean that would be `constant`, two-sided; 1 where it is."""
    seeds = seeds or Seeds()
    above, below = (
        _p_above(c, *_outward(m, found, shared, seeds)).max(axis=0)
        for m, c in ((mean, constant), (1 - mean, 1 - constant))
    )
    return np.where(mean == constant, 1.0, np.where(mean < constant, above, below))


def _upper(mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Floats:
    highest: Floats = _end(*_outward(mean, found, shared, seeds)).max(axis=0)
    return highest


def _end(y: Floats, kappa: Floats, freedom: Floats) -> Floats:
    """The upper end x of the equation above."""
    c = quantile(freedom) ** 2 * kappa
    upper: Floats = (y + c / 2 + np.sqrt(c * y * (1 - y) + c**2 / 4)) / (1 + c)
    return np.minimum(upper, 1.0)


def _p_above(constant: float, y: Floats, kappa: Floats, freedom: Floats) -> Floats:
    return p_value(constant - y, np.sqrt(kappa * constant * (1 - constant)), freedom)


def _outward(mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Scaled:
    """Along a new first axis: the mean and those nearer to 0, each as well known as it would be (with the spread v of
    the mean itself)."""
    own = mean, *_scale(mean, found, seeds)
    if not np.any(mean * shared.items < PATH):
        y, kappa, freedom = (np.asarray(each)[None] for each in own)
        return y, kappa, freedom
    counts = np.arange(PATH).reshape(-1, *(1 for _ in np.shape(mean)))
    y = np.minimum(mean, counts / shared.items)
    telling = np.minimum(found.telling, shared.items * y * (1 - y) / ((1 - y) ** 3 + y**3))
    telling = np.where(y < mean, telling, found.telling)
    number, freedom = effective(found.correlation, telling, shared, SHARE)
    nearer = y, *_scale(mean, replace(found, telling=telling, number=number, freedom=freedom), seeds)
    y, kappa, freedom = (
        np.concatenate([np.broadcast_to(one, y.shape[1:])[None], np.broadcast_to(others, y.shape)])
        for one, others in zip(own, nearer)
    )
    return y, kappa, freedom


def _scale(mean: Floats, found: Spread, seeds: Seeds) -> tuple[Floats, Floats]:
    """kappa and the degrees of freedom."""
    own = share_variance(mean, found)
    total, freedom = with_seeds(own, found.freedom, [seeds])
    return _ratio(mean, found) * (total**2 / own) / found.number, freedom


def _ratio(mean: Floats, found: Spread) -> Floats:
    """v: the spread of the numbers beside that of zeros and ones with their mean, one item of which is added."""
    binary = mean * (1 - mean)
    ratio = np.where(binary > 1e-12, found.square / np.where(binary > 1e-12, binary, 1.0), 1.0)
    return (found.number * ratio + 1) / (found.number + 1)


def share_variance(mean: Floats, found: Spread) -> Floats:
    inside = (mean * found.number + 0.5) / (found.number + 1)
    variance: Floats = inside * (1 - inside) * _ratio(mean, found) / found.number
    return variance
