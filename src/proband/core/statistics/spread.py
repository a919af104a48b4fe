r"""How far a mean may be off where items share material.

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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours


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
