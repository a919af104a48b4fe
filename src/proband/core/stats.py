r"""Error bars and tests for answers that are not independent.

Items share clusters (the tuple a pair was made from, the clause of a story, the question of a candidate). The
bootstrap therefore draws *clusters*, not items: with C clusters, multiplicities w ~ Multinomial(C; 1/C, ..., 1/C),
and an item that belongs to several clusters gets the product of their multiplicities (the node or pigeonhole
bootstrap; with one cluster per item it is the ordinary clustered bootstrap, with one item per cluster Efron's):

    mean* = sum_i (prod_{c in i} w_c) x_i / sum_i prod_{c in i} w_c

The interval is the percentile interval with levels widened for few clusters (Hesterberg 2015, "expanded
percentile"): the tail alpha/2 becomes Phi(-sqrt(C/(C-1)) t_{alpha/2, C-1}). Where every value is the same 0 or 1 the
bootstrap sees no spread, and Wilson's interval over the clusters stands in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proband.core.errors import ProbandError
from proband.core.types import Estimate, Item, Tag

Floats = NDArray[np.float64]
NORMAL = NormalDist()
BLOCK = 4_000_000  # weights held at a time, so that memory stays flat


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(str(name) for name in named) if named else (item.id,)


# ---- the clustered bootstrap ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cells:
    """Values summed over items with the same clusters: `member[c, :]` are the clusters of cell c (-1: none)."""

    total: Floats
    count: Floats
    member: NDArray[np.int64]
    clusters: int


def cells(values: ArrayLike, clusters: Sequence[Sequence[str]]) -> Cells:
    """Group values by their set of clusters.

    >>> cells([1, 0, 1], [("a",), ("a",), ("b",)]).total
    array([1., 1.])
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) != len(clusters):
        raise ProbandError(f"{len(clusters)} cluster lists for {x.size} values")
    if not len(x):
        raise ProbandError("no values to estimate from")
    if not np.isfinite(x).all():
        raise ProbandError("a value is not a finite number")
    number: dict[str, int] = {}
    row: dict[tuple[int, ...], int] = {}
    where = np.empty(len(x), dtype=np.int64)
    seen: dict[tuple[str, ...], int] = {}
    for i, names in enumerate(clusters):
        key = names if isinstance(names, tuple) else tuple(names)
        at = seen.get(key)
        if at is None:
            members = tuple(sorted({number.setdefault(name, len(number)) for name in key}))
            at = seen[key] = row.setdefault(members, len(row))
        where[i] = at
    width = max(len(members) for members in row)
    member = np.full((len(row), width), -1, dtype=np.int64)
    for members, at in row.items():
        member[at, : len(members)] = members
    return Cells(
        total=np.bincount(where, weights=x, minlength=len(row)).astype(np.float64),
        count=np.bincount(where, minlength=len(row)).astype(np.float64),
        member=member,
        clusters=len(number),
    )


def resampled_means(grouped: Cells, *, seed: int, draws: int) -> Floats:
    """`draws` bootstrap means; draws that happen to weigh every item by zero are drawn again."""
    rng = np.random.default_rng(seed)
    even = np.full(grouped.clusters, 1.0 / grouped.clusters)
    means: list[Floats] = []
    left, step = draws, max(1, BLOCK // max(len(grouped.total), grouped.clusters))
    for _ in range(100 * (draws // step + 1)):
        size = min(left, step)
        drawn = rng.multinomial(grouped.clusters, even, size=size).astype(np.float64)
        drawn = np.concatenate([drawn, np.ones((size, 1))], axis=1)  # the column that -1 points to
        weights = drawn[:, grouped.member[:, 0]]
        for dimension in range(1, grouped.member.shape[1]):
            weights *= drawn[:, grouped.member[:, dimension]]
        below = weights @ grouped.count
        alive = below > 0
        means.append((weights @ grouped.total)[alive] / below[alive])
        left -= int(alive.sum())
        if left <= 0:
            break
    return np.concatenate(means)


def interval(means: Floats, clusters: int, *, level: float) -> tuple[float, float]:
    """Expanded percentile interval of bootstrap means."""
    if clusters < 2:
        return float("-inf"), float("inf")
    tail = NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * student_quantile(1 - (1 - level) / 2, clusters - 1))
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


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
    x = np.asarray(values, dtype=np.float64)
    grouped = cells(x, clusters)
    mean = float(grouped.total.sum() / grouped.count.sum())
    if grouped.clusters == 1 or (x == x[0]).all():
        low, high = _without_spread(x, grouped.clusters, level)
    else:
        low, high = interval(resampled_means(grouped, seed=seed, draws=draws), grouped.clusters, level=level)
    return Estimate(
        metric=metric, group=group or {}, mean=mean, low=low, high=high, n=len(x), clusters=grouped.clusters
    )


def _without_spread(x: Floats, clusters: int, level: float) -> tuple[float, float]:
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
    d = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    grouped = cells(d, clusters)
    mean = float(grouped.total.sum() / grouped.count.sum())
    if grouped.clusters == 1 or (d == d[0]).all():
        low, high, spread = (mean, mean, 0.0) if grouped.clusters > 1 else (-1.0, 1.0, 1.0)
        means = np.full(draws, mean)
    else:
        means = resampled_means(grouped, seed=seed, draws=draws)
        low, high = interval(means, grouped.clusters, level=level)
        spread = float(means.std())
    single = grouped.member.shape[1] == 1
    p = sign_flip(grouped.total, seed=seed, draws=5 * draws) if single else bootstrap_p(means)
    return Paired(
        difference=mean,
        low=low,
        high=high,
        p=p,
        n=len(d),
        clusters=grouped.clusters,
        detectable=minimum_detectable(spread),
    )


def sign_flip(sums: Floats, *, seed: int, draws: int) -> float:
    """Two-sided p-value of the sum of `sums` under random signs.

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=0, draws=100)  # 2 of the 8 flips are as extreme
    0.25
    """
    observed = abs(sums.sum()) - 1e-9
    if len(sums) <= 14:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float((np.abs(signs @ sums) >= observed).mean())
    rng = np.random.default_rng(seed)
    extreme, left = 0, draws
    while left > 0:
        size = min(left, max(1, BLOCK // len(sums)))
        signs = rng.integers(0, 2, size=(size, len(sums))) * 2.0 - 1.0
        extreme += int((np.abs(signs @ sums) >= observed).sum())
        left -= size
    return (extreme + 1) / (draws + 1)


def bootstrap_p(means: Floats) -> float:
    """Twice the smaller share of bootstrap means on the far side of zero (with one added, never exactly 0)."""
    below, above = int((means <= 0).sum()), int((means >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(means) + 1))


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


# ---- Kolmogorov-Smirnov --------------------------------------------------------------------------------------------


def ks_2samp(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
    """Two-sample Kolmogorov-Smirnov: the largest gap between the two distribution functions, two-sided p-value.

    Exact (lattice paths) up to 10,000 observations a side, the Kolmogorov limit beyond.

    >>> gap, p = ks_2samp([1, 2, 3], [4, 5, 6])
    >>> gap, round(p, 6)
    (1.0, 0.1)
    """
    x, y = np.sort(np.asarray(a, dtype=np.float64)), np.sort(np.asarray(b, dtype=np.float64))
    n, m = len(x), len(y)
    if not n or not m:
        raise ProbandError("the Kolmogorov-Smirnov test needs two samples that are not empty")
    both = np.concatenate([x, y])
    gap = np.searchsorted(x, both, side="right") * m - np.searchsorted(y, both, side="right") * n
    widest = int(np.abs(gap).max())  # in units of 1/(nm), so that the paths are counted in whole numbers
    if max(n, m) <= 10_000:
        p = _paths_reaching(n, m, widest)
    else:
        p = _kolmogorov(widest / (n * m) * math.sqrt(n * m / (n + m)))
    return widest / (n * m), min(1.0, max(0.0, p))


def _paths_reaching(n: int, m: int, widest: int) -> float:
    """Share of the lattice paths from (0,0) to (n,m) that touch |i m - j n| >= widest.

    Row by row: inside the band the number of paths to (i, j) is the running sum of the row before; rows are scaled
    to avoid overflow, and the logarithm of the scale is carried along.
    """
    if widest == 0:
        return 1.0
    row = np.zeros(m + 1)
    scale = 0.0
    row[: min(m, (widest - 1) // n) + 1] = 1.0
    for i in range(1, n + 1):
        low = max(0, (i * m - widest) // n + 1)
        high = min(m, (i * m + widest - 1) // n)
        if low > high:
            return 1.0
        new = np.zeros(m + 1)
        new[low : high + 1] = np.cumsum(row[low : high + 1])
        top = new.max()
        if top <= 0:
            return 1.0
        row, scale = new / top, scale + math.log(top)
    if row[m] <= 0:
        return 1.0
    inside = scale + math.log(row[m])
    paths = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
    return -math.expm1(min(0.0, inside - paths))


def _kolmogorov(x: float) -> float:
    """P(K > x) = 2 sum (-1)^(k-1) exp(-2 k^2 x^2)."""
    if x < 0.2:
        return 1.0
    return 2 * sum((-1.0) ** (k - 1) * math.exp(-2 * k * k * x * x) for k in range(1, 101))


# ---- Student's t, without scipy ------------------------------------------------------------------------------------


def student_quantile(share: float, freedom: float) -> float:
    """The t with P(T <= t) = share, by bisection on the distribution function.

    >>> round(student_quantile(0.975, 10), 4)
    2.2281
    """
    if share < 0.5:
        return -student_quantile(1 - share, freedom)
    low, high = 0.0, 1.0
    while _student_cdf(high, freedom) < share and high < 1e9:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_cdf(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _student_cdf(t: float, freedom: float) -> float:
    return 1 - 0.5 * _beta_share(freedom / 2, 0.5, freedom / (freedom + t * t))


def _beta_share(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for k in range(1, 500):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(front) * fraction / a
