"""The methods that calibration.py compares: ours and those of other tools, on many repetitions at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from calibration_designs import Layout
from scipy.special import stdtrit
from scipy.stats import norm

from proband.core.statistics import estimates, spread
from proband.core.statistics.clusters import Floats, Ints, Neighbours

Ends = tuple[Floats, Floats]
OURS = "Proband"


def wilson(mean: Floats, c: Floats | float) -> Ends:
    centre, half = (mean + c / 2) / (1 + c), np.sqrt(c * mean * (1 - mean) + c**2 / 4) / (1 + c)
    return centre - half, centre + half


def plain(x: Floats, layout: Layout, *, share: bool) -> Ends:
    """Items taken as independent: Wilson's interval of a share, Student's of anything else."""
    mean, n = x.mean(axis=1), layout.items
    if share:
        return wilson(mean, norm.ppf(0.975) ** 2 / n)
    half = stdtrit(n - 1, 0.975) * x.std(axis=1, ddof=1) / np.sqrt(n)
    return mean - half, mean + half


def robust_variance(x: Floats, group: Ints) -> Floats:
    """sum over clusters of (sum of u)^2 / n^2 x G/(G-1)."""
    u, count = x - x.mean(axis=1, keepdims=True), int(group.max()) + 1
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(count))
    sums = np.add.reduceat(u[:, order], starts, axis=1)
    variance: Floats = (sums**2).sum(axis=1) / x.shape[1] ** 2 * count / (count - 1)
    return variance


def statsmodels_robust(x: Floats, layout: Layout) -> Ends:
    """OLS on a constant with cov_type="cluster" (two-way where items have two clusters, and so on), normal
    quantiles."""
    columns = [np.unique(column, return_inverse=True)[1] for column in layout.member.T]
    variance = sum((robust_variance(x, column) for column in columns), np.zeros(len(x)))
    for size in range(2, len(columns) + 1):  # by inclusion and exclusion
        for ways in combinations(range(len(columns)), size):
            both = np.unique(layout.member[:, ways], axis=0, return_inverse=True)[1].ravel()
            variance = variance - (-1) ** size * robust_variance(x, both)
    half = norm.ppf(0.975) * np.sqrt(np.maximum(variance, 0.0))
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def inspect_cluster_t(x: Floats, layout: Layout) -> Ends:
    """inspect_ai's `ci(cluster=)`: the clustered standard error, which takes one cluster per item, and Student's t at
    G - 1."""
    first = np.unique(layout.member[:, 0], return_inverse=True)[1]
    half = stdtrit(int(first.max()), 0.975) * np.sqrt(robust_variance(x, first))
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def inspect_wilson(x: Floats, layout: Layout) -> Ends:
    """inspect_ai's `ci_wilson(cluster=)`: Wilson's interval at n over the design effect of the clustered error, no more
    than n, times (t_(n-1) / t_(G-1))^2 (Korn and Graubard)."""
    first, n, mean = np.unique(layout.member[:, 0], return_inverse=True)[1], layout.items, x.mean(axis=1)
    apart, clustered = mean * (1 - mean) / (n - 1), robust_variance(x, first)
    usable = (apart > 0) & (clustered > 0)
    number = np.where(usable, np.minimum(n, n * apart / np.where(usable, clustered, 1.0)), n)
    number = number * (stdtrit(n - 1, 0.975) / stdtrit(int(first.max()), 0.975)) ** 2
    return wilson(mean, norm.ppf(0.975) ** 2 / number)


def sieval_wilson(x: Floats, layout: Layout) -> Ends:
    """sieval's `score_ci95` (pull request 126): Wilson's interval at p(1-p) / Var, Var from the sums of the first
    cluster without a correction for few of them; one-sided limits at 0 and 1."""
    first, mean = np.unique(layout.member[:, 0], return_inverse=True)[1], x.mean(axis=1)
    groups = int(first.max()) + 1
    sums = (x @ np.eye(groups)[first]) / layout.items
    variance = groups * sums.var(axis=1)
    usable = (variance > 0) & (mean > 0) & (mean < 1)
    number = np.where(usable, mean * (1 - mean) / np.where(usable, variance, 1.0), 1e9)
    low, high = wilson(mean, norm.ppf(0.975) ** 2 / number)
    one_sided = 0.025 ** (1 / groups)
    low, high = np.where(mean >= 1, one_sided, low), np.where(mean <= 0, 1 - one_sided, high)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def ours(x: Floats, shared: Neighbours, *, share: bool) -> Ends:
    mean = x.mean(axis=1)
    return spread.value_ends(mean, x - mean[:, None], shared, share=share)


def our_difference(a: Floats, b: Floats, shared: Neighbours, *, share: bool) -> tuple[Floats, Floats, Floats]:
    """Both ends and the difference that is said to be detectable."""
    d = a - b
    mean = d.mean(axis=1)
    least = (a.var(axis=1) + b.var(axis=1) + mean**2) / shared.items
    found = estimates.difference_ends(mean, d - mean[:, None], shared, share=share, least=least)
    return found.low, found.high, found.detectable


def single_methods(x: Floats, layout: Layout, *, share: bool) -> dict[str, Ends]:
    found = {
        OURS: ours(x, layout.shared, share=share),
        "plain Wilson or t": plain(x, layout, share=share),
        "statsmodels, cluster-robust": statsmodels_robust(x, layout),
        "inspect_ai ci()": inspect_cluster_t(x, layout),
    }
    if share:
        found |= {"inspect_ai ci_wilson()": inspect_wilson(x, layout), "sieval #126": sieval_wilson(x, layout)}
    return found
