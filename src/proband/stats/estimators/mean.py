"""Means: Student's t with the CR2 variance and Bell and McCaffrey's degrees of freedom (clusters.py).

The other estimators are made of the same steps: the value of a run, the pieces of its variance (adjusted sums over
clusters, which two systems on the same items subtract from one another), and an interval and a test from both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.stats.clusters import (
    Clusters,
    Design,
    DesignSummary,
    Floats,
    Ints,
    Seeds,
    combined,
    p_value,
    quantile,
    sums_of,
    variance_factors,
    with_seeds,
)

POWER = 0.8  # Cohen (1988, section 2.4)


@dataclass(frozen=True)
class Pieces:
    """A value with what its variance is made of: for each partition of the design, the adjusted sums over its groups.
    `numbers` are those of the items, their mean over the runs; `draws` those of a bootstrap."""

    value: float
    design: Design
    sums: list[Floats]
    kinds: list[Floats]
    numbers: Floats | None = None
    draws: Floats | None = None
    limit: float = 0.0  # how many independent observations there are at most

    def minus(self, other: Pieces) -> Pieces:
        """The same of the difference of two systems on the same items."""
        both = self.numbers is not None and other.numbers is not None
        drawn = self.draws is not None and other.draws is not None
        return replace(
            self,
            value=self.value - other.value,
            sums=[a - b for a, b in zip(self.sums, other.sums, strict=True)],
            kinds=[a - b for a, b in zip(self.kinds, other.kinds, strict=True)],
            numbers=self.numbers - other.numbers if both else None,  # type: ignore[operator]
            draws=self.draws - other.draws if drawn else None,  # type: ignore[operator]
        )

    def apart(self, other: Pieces, design: Design) -> Pieces:
        """The same less that of another selection of items: `design` has the items of both."""
        assert self.numbers is not None
        assert other.numbers is not None
        residuals = np.concatenate(
            [weighted_residuals(self.numbers, self.design), -weighted_residuals(other.numbers, other.design)]
        )
        return Pieces(self.value - other.value, design, *sums_of(residuals, design))

    @property
    def variance(self) -> float:
        return float(combined(self.design, self.sums, self.kinds) if self.draws is None else self.draws.var(ddof=1))

    @property
    def summary(self) -> DesignSummary:
        return self.design.summary

    def freedom_of_variance(self, seeds: Sequence[Seeds] = (), excess: float | None = None) -> float:
        """Of the estimate of the variance: 2 / (2/nu + excess kurtosis of the sums / G) (Box 1953; the kurtosis is G_2
        of Joanes and Gill 1998, unless it is known), which is less than nu where few clusters differ from the mean;
        together with training seeds Satterthwaite's (1946)."""
        nu = max(self.summary.freedom, 1.0)
        least = nu if excess is None else min(nu, 2 / (2 / nu + max(excess, 0.0) / self.summary.equal))
        for sums in (self.kinds or self.sums) if excess is None else ():
            g, square = len(sums), max(float((sums**2).sum()) ** 2, 1e-300)
            estimate = ((g + 1) * (g * float((sums**4).sum()) / square - 3) + 6) * (g - 1) / max((g - 2) * (g - 3), 1)
            least = min(least, 2 / (2 / nu + max(estimate, 0.0) / g))
        parts = [(self.variance, least), *((each.variance, each.count - 1) for each in seeds if each.variance > 0)]
        total = sum(part for part, _ in parts)
        return total**2 / sum(part**2 / freedom for part, freedom in parts) if total > 0 else least


@dataclass(frozen=True)
class Result:
    """Both ends of a 95 % interval, its p-value against the constant that was asked for, the standard error with its
    degrees of freedom, the variance that is due to items, and the difference that a test finds in four of five cases
    (a function of the number of tests that are corrected together)."""

    low: float
    high: float
    p: float
    error: float
    freedom: float
    own: float
    equal: Callable[[float], float]  # the p-value of two one-sided tests
    detectable: Callable[[int], float | None] = lambda tests: None


def power(x: float, variances: Floats | float, freedom: float, tests: int, skewness: float = 0.0) -> float:
    """The chance to find a true difference of x at 0.05 / `tests`: the mean over what its variance may be."""
    from scipy.special import stdtr

    t = float(quantile(freedom, 1 - 0.025 / tests))
    if t * skewness >= 2:  # a few answers decide
        return 0.0
    return float(np.mean(stdtr(freedom, (x / np.sqrt(variances) - t) / (1 - t * skewness / 2))))


def detectable(error: float, freedom: float, tests: int = 1, shown: float = math.inf) -> float:
    """The true difference that a test at 0.05 finds with a power of 0.8, from the standard error and the degrees of
    freedom with which it was estimated; of several tests that are corrected together, at 0.05 over their number.

    >>> [round(detectable(0.01, np.inf, tests), 4) for tests in (1, 12)]
    [0.028, 0.0371]
    >>> round(detectable(0.01, 9.0), 4), round(detectable(0.01, 9.0, shown=9.0), 4)
    (0.0315, 0.0349)
    """
    variances = error**2 * variance_factors(shown)
    return smallest(lambda x: power(x, variances, freedom, tests) >= POWER, error, 1e6 * error) or math.inf


def smallest(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """Bisection on a logarithmic scale, to a thousandth."""
    if not enough(high):
        return None
    if enough(low):
        return low
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def one_sided(distance: float, error: float, freedom: float) -> float:
    """The p-value of a distance that is to be above 0."""
    from scipy.special import stdtr

    return float(stdtr(freedom, -distance / error)) if error > 0 else float(distance <= 0)


def equivalence(freedom: float, *estimates: tuple[float, float]) -> Callable[[float], float]:
    """Two one-sided tests (Schuirmann 1987) of each of these values with their errors."""
    return lambda within: max(
        one_sided(within + s * value, error, freedom) for s in (1, -1) for value, error in estimates
    )


def t_result(
    value: float, ends: tuple[float, float], p: float, error: float, freedom: float, own: float, shown: float
) -> Result:
    """With the power and the equivalence test of Student's t."""

    def seen(tests: int) -> float | None:
        return detectable(error, freedom, tests, shown) if error > 0 else None

    return Result(*ends, p, error, freedom, own, equivalence(freedom, (value, error)), seen)


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The mean of numbers of any size."""

    name: str = "mean"

    share = False  # whether the value cannot leave [0, 1]
    by = ""  # a tag whose values weigh the same
    records = False  # whether it is over sets: a record of numbers per item

    def design(self, clusters: Clusters, places: Ints | None, strata: Ints | None) -> Design:
        return clusters.design(places)

    def value(self, run: Floats, design: Design) -> float:
        return float(run.mean() if design.uniform else run @ design.weights)

    def pieces(self, runs: Floats, design: Design) -> Pieces:
        """Of a system, from the numbers of its runs (runs x items)."""
        numbers: Floats = runs[0] if len(runs) == 1 else runs.mean(axis=0)
        sums, limit = sums_of(weighted_residuals(numbers, design), design), 1 / float(design.weights @ design.weights)
        return Pieces(self.value(numbers, design), design, *sums, numbers, limit=limit)

    def result(self, pieces: Pieces, seeds: Sequence[Seeds], constant: float = 0.0) -> Result:
        """The interval of one value less a constant, tested against zero."""
        drawn = None if pieces.draws is None else pieces.draws - constant
        return self.difference(replace(pieces, value=pieces.value - constant, draws=drawn), seeds)

    def difference(self, pieces: Pieces, seeds: Sequence[Seeds], margin: float = 0.0) -> Result:
        """The interval of a difference, tested against a margin."""
        own = pieces.variance
        error, freedom = map(float, with_seeds(np.array(own), pieces.summary.freedom, seeds))
        half = float(quantile(freedom)) * error
        p = float(p_value(np.array(pieces.value - margin), np.array(error), freedom))
        ends = pieces.value - half, pieces.value + half
        return t_result(pieces.value, ends, p, error, freedom, own, pieces.freedom_of_variance(seeds))


def weighted_residuals(numbers: Floats, design: Design) -> Floats:
    """w_i (x_i - mean of its block); the items are the last axis."""
    weight = np.bincount(design.blocks, weights=design.weights)
    if len(weight) == 1:
        only: Floats = design.weights * (numbers - (numbers @ design.weights / weight[0])[..., None])
        return only
    means = np.stack(
        [(numbers * design.weights * (design.blocks == b)).sum(axis=-1) / weight[b] for b in range(len(weight))],
        axis=-1,
    )
    residuals: Floats = design.weights * (numbers - means[..., design.blocks])
    return residuals


# ---- shares ----------------------------------------------------------------------------------------------------------
