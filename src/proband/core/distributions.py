"""Student's t and the Kolmogorov-Smirnov statistic, without scipy (which the core does not need for anything else)."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from proband.core.errors import ProbandError

NORMAL = NormalDist()


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


# ---- Student's t ------------------------------------------------------------------------------------


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
