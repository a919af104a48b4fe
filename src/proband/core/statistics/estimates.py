"""Error bars and tests for answers that are not independent, over the clustered bootstrap (bootstrap.py).

Where every value is the same 0 or 1 the bootstrap sees no spread, and Wilson's interval over the clusters stands in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from proband.core.errors import ProbandError
from proband.core.statistics.bootstrap import NORMAL, Clusters, Drawn, Floats, bootstrap_p, interval, resample
from proband.core.types import Estimate, Item, Tag

BLOCK = 4_000_000  # signs held at a time, so that memory stays flat
FLIPS = 40_000_000  # signs beyond which the sign-flip distribution is taken at its normal limit


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(str(name) for name in named) if named else (item.id,)


def estimate(
    values: ArrayLike,
    *,
    clusters: Sequence[Sequence[str]],
    seed: int,
    draws: int = 2000,
    level: float = 0.95,
    metric: str = "accuracy",
    group: Mapping[str, Tag] | None = None,
) -> Estimate:
    """A mean with a clustered interval.

    >>> e = estimate([1, 1, 0, 1], clusters=[("a",), ("a",), ("b",), ("c",)], seed=0)
    >>> e.mean, e.n, e.clusters, e.low <= e.mean <= e.high
    (0.75, 4, 3, True)
    """
    x, drawn = _drawn(values, clusters, seed=seed, draws=draws)
    if drawn.clusters == 1 or (x == x[0]).all():
        low, high = interval_without_spread(x, drawn.clusters, level)
    else:
        low, high = interval(drawn.means[:, 0], drawn.clusters, level=level)
    return Estimate(
        metric=metric,
        group=dict(group or {}),
        mean=float(x.mean()),
        low=low,
        high=high,
        n=len(x),
        clusters=drawn.clusters,
    )


def _drawn(values: ArrayLike, clusters: Sequence[Sequence[str]], *, seed: int, draws: int) -> tuple[Floats, Drawn]:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) != len(clusters):
        raise ProbandError(f"{len(clusters)} cluster lists for {x.size} values")
    if not len(x):
        raise ProbandError("no values to estimate from")
    if not np.isfinite(x).all():
        raise ProbandError("a value is not a finite number")
    return x, resample([x], np.arange(len(x)), Clusters.of(clusters), seed=seed, draws=draws)


def interval_without_spread(x: Floats, clusters: int, level: float) -> tuple[float, float]:
    """Wilson over clusters for proportions; for other numbers nothing can be said beyond the values themselves."""
    if ((x >= 0) & (x <= 1)).all():
        return wilson(float(x.mean()) * clusters, clusters, level=level)
    return float(x.min()), float(x.max())


# ---- paired comparison ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Paired:
    """a minus b over the same items."""

    difference: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    detectable: float  # the smallest true difference this many clusters would show four times in five


def paired_test(
    a: ArrayLike, b: ArrayLike, *, clusters: Sequence[Sequence[str]], seed: int, draws: int = 2000, level: float = 0.95
) -> Paired:
    """Is a above b on the same items?

    One cluster per item: the sign-flip test on cluster sums (all 2^C flips when C <= 14, else `draws` x 5 random
    ones). Several per item: the two-sided bootstrap p-value, since no flip of signs respects both memberships.
    """
    d, drawn = _drawn(
        np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64), clusters, seed=seed, draws=draws
    )
    mean, means = float(d.mean()), drawn.means[:, 0]
    if drawn.clusters == 1:
        low, high, spread = -1.0, 1.0, 1.0
    else:
        low, high = interval(means, drawn.clusters, level=level)
        spread = float(means.std())
    p = sign_flip(drawn.totals[:, 0], seed=seed, draws=5 * draws) if drawn.single else bootstrap_p(means)
    return Paired(
        difference=mean,
        low=low,
        high=high,
        p=p,
        n=len(d),
        clusters=drawn.clusters,
        detectable=minimum_detectable(spread),
    )


def sign_flip(sums: Floats, *, seed: int, draws: int) -> float:
    """Two-sided p-value of the sum of `sums` under random signs; beyond FLIPS signs its normal limit,
    z = |sum s| / sqrt(sum s^2).

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=0, draws=100)  # 2 of the 8 flips are as extreme
    0.25
    """
    return float(sign_flips(sums[:, None], seed=seed, draws=draws)[0])


def sign_flips(sums: Floats, *, seed: int, draws: int) -> Floats:
    """The same for several columns of sums at once, under the same signs."""
    total = sums.sum(axis=0)
    observed = np.abs(total) - 1e-9
    if len(sums) <= 14:
        every = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        share: Floats = (np.abs(every @ sums) >= observed).mean(axis=0)
        return share
    if len(sums) * draws > FLIPS:
        spread = np.sqrt((sums**2).sum(axis=0))
        return np.array([math.erfc(abs(t) / s / math.sqrt(2)) if s else 1.0 for t, s in zip(total, spread)])
    rng = np.random.default_rng(seed)
    extreme, left = np.zeros(sums.shape[1]), draws
    while left > 0:
        size = min(left, max(1, BLOCK // len(sums)))
        kept = rng.integers(0, 2, size=(size, len(sums))).astype(np.float64) @ sums  # those that keep their sign
        extreme += (np.abs(2 * kept - total) >= observed).sum(axis=0)
        left -= size
    return (extreme + 1) / (draws + 1)


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


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """False-discovery-rate adjustment.

    >>> [round(x, 3) for x in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(np.asarray(p), kind="stable")
    out, running = [0.0] * len(p), 1.0
    for rank in range(len(p) - 1, -1, -1):
        at = order[rank]
        running = min(running, p[at] * len(p) / (rank + 1))
        out[at] = running
    return out


# ---- proportions, power --------------------------------------------------------------------------------------------


def wilson(successes: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion.

    >>> [round(x, 4) for x in wilson(10, 10)]
    [0.7225, 1.0]
    """
    if n <= 0:
        raise ProbandError("an interval needs at least one observation")
    z = NORMAL.inv_cdf(1 - (1 - level) / 2)
    share, wide = successes / n, z * z / n
    centre = (share + wide / 2) / (1 + wide)
    half = z / (1 + wide) * math.sqrt(share * (1 - share) / n + wide / (4 * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def power(difference: float, error: float, *, alpha: float = 0.05) -> float:
    """Chance that a two-sided z-test at `alpha` sees a true difference, given its standard error."""
    z, shift = NORMAL.inv_cdf(1 - alpha / 2), abs(difference) / error
    return NORMAL.cdf(shift - z) + NORMAL.cdf(-shift - z)


def minimum_detectable(error: float, *, alpha: float = 0.05, chance: float = 0.8) -> float:
    """The true difference seen with probability `chance`: (z_{1-alpha/2} + z_chance) x standard error.

    >>> round(minimum_detectable(0.01), 4)
    0.028
    """
    return (NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(chance)) * error


def clusters_needed(difference: float, error: float, clusters: int, *, alpha: float = 0.05, chance: float = 0.8) -> int:
    """How many clusters would show `difference`, if `clusters` of them gave this standard error."""
    return math.ceil(clusters * (minimum_detectable(error, alpha=alpha, chance=chance) / abs(difference)) ** 2)
