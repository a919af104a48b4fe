r"""Shares: means of numbers between 0 and 1.

One share m with the variance V of its clusters: Wilson's interval (1927) with t_nu^2 / n_e in place of z^2 / n, at the
effective sample size (Korn and Graubard 1998; Franco, Little, Louis and Slud 2019)

    n_e = m (1 - m) / V,        V at least that of independent items.

Where nothing varies, n_e is the number of clusters: all items of one may be alike. With little evidence it is between
both. V is estimated from the clusters in which the rarer outcome occurs; with f of them,

    1/n_e  :=  (1 - l) / n_e + l / min(n_e, G),      l = 1 / (1 + f)^2.

The assumption that a cluster counts as one item is worth one cluster next to the f that were seen, so its share among
1 + f is 1 / (1 + f); l is the square of it because a variance is mixed.

Two systems on the same items, d = a - b: Student's t with the CR2 variance of d. The end that is away from zero is that
of Bonett and Price (2012) where it is further out: 1 is added to both kinds of discordant answers, at n_e + 2. Two
systems that agree everywhere so get an interval of the width that the number of items allows, and p < 0.05 exactly
where zero is outside.

The power of that test is solved at the alternative. A difference of X needs at least X discordant answers, so with q of
them at no difference the variance is (q + X - X^2) / n_e, and X is found with a chance of

    F_nu(X / sqrt((q + X - X^2) / n_e) - t_(1 - a/2)).

q and n_e are estimates: with n_e q discordant answers, q follows a gamma distribution (Poisson counts, Jeffreys'
prior), and a variance from nu degrees of freedom is nu / chi^2_nu times the estimate. The chance is the mean over both
(assurance, O'Hagan, Stevens and Campbell 2005), and the detectable difference is the X for which it is 0.8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Design, Floats
from proband.stats.estimators.mean import POWER, Mean, Pieces, Result, level_of, one_sided, weighted_residuals
from proband.stats.seeds import Seeds, with_seeds
from proband.stats.variance import known, p_value, quantile


@dataclass(frozen=True, kw_only=True)
class Share(Mean):
    """The mean of numbers between 0 and 1."""

    name: str = "mean"

    share = True

    def result(self, pieces: Pieces, seeds: Sequence[Seeds], constant: float = 0.0) -> Result:
        """
        >>> from proband.stats.clusters import Clusters
        >>> design = Clusters.named(None, 40).design()
        >>> found = Share().result(Share().pieces(np.array([[1.0] * 30 + [0.0] * 10]), design), (), 0.6)
        >>> round(found.low, 3), round(found.high, 3), found.p < 0.05
        (0.591, 0.862, False)
        """
        assert pieces.numbers is not None
        number = effective_number(pieces.numbers, pieces.design, np.array(pieces.variance))
        return self.at(float(number), pieces, seeds, constant)

    def at(self, number: float, pieces: Pieces, seeds: Sequence[Seeds], constant: float) -> Result:
        """Wilson's interval at an effective number of items."""
        mean, freedom = min(max(pieces.value, 0.0), 1.0), pieces.known.freedom
        own = mean * (1 - mean) / number
        error, together = math.sqrt(own), freedom
        if own > 0:
            error, together = map(float, with_seeds(np.array(own), freedom, seeds))
            number = mean * (1 - mean) / error**2
        low, high = wilson(np.array(mean), np.array(number), together)
        spread = np.array(math.sqrt(max(constant * (1 - constant), 0.0) / number))
        p = float(p_value(np.array(mean - constant), spread, together))
        return Result(float(low), float(high), p, error, together, own)

    def difference(self, pieces: Pieces, seeds: Sequence[Seeds], margin: float = 0.0) -> Result:
        assert pieces.numbers is not None
        return paired(pieces, seeds, margin)


def wilson(mean: Floats, number: Floats, freedom: Floats | float) -> tuple[Floats, Floats]:
    """Both ends x of (m - x)^2 = t^2 x (1 - x) / n."""
    c = quantile(freedom) ** 2 / number
    centre, half = (mean + c / 2) / (1 + c), np.sqrt(c * mean * (1 - mean) + c**2 / 4) / (1 + c)
    return np.minimum(centre - half, mean).clip(0.0), np.maximum(centre + half, mean).clip(max=1.0)


def effective_number(numbers: Floats, design: Design, variance: Floats) -> Floats:
    """n_e above (the items are the last axis)."""
    mean, about = numbers @ design.weights, known(design)
    alone = (weighted_residuals(numbers, design) ** 2).sum(axis=-1)
    largest, inside = np.maximum(variance, alone), mean * (1 - mean)
    varies = (largest > 1e-15) & (inside > 1e-15)
    number = np.where(varies, inside / np.where(varies, largest, 1.0), about.equal)
    rarer = np.where((mean > 0.5)[..., None], 1 - numbers, numbers)
    weight = 1 / (1 + _clusters_with(rarer, design)) ** 2
    result: Floats = 1 / ((1 - weight) / number + weight / np.minimum(number, about.equal))
    return result


def _clusters_with(outcome: Floats, design: Design) -> Floats:
    """In how many clusters (of the kind that has fewest) an outcome occurs."""
    kind = min(design.kinds, key=lambda each: each.count)
    order = np.argsort(kind.group, kind="stable")
    starts = np.searchsorted(kind.group[order], np.arange(kind.count))
    sums = np.add.reduceat(outcome[..., kind.items[order]], starts, axis=-1)
    counts: Floats = (sums > 1e-12).sum(axis=-1)
    return counts


@dataclass(frozen=True)
class Discordant:
    """Shares of answers in which only one system is right, and the effective number of items: Bonett and Price's
    centre and error."""

    only_a: float
    only_b: float
    number: float

    def adjusted(self, more: float = 0.0) -> tuple[float, float]:
        n = self.number + 2
        a, b = (self.number * self.only_a + 1) / n, (self.number * self.only_b + 1) / n
        return a - b, math.sqrt((a + b - (a - b) ** 2) / n + more)


def discordant(pieces: Pieces, own: float) -> Discordant:
    assert pieces.numbers is not None
    weights, d = pieces.design.weights, pieces.numbers
    only_a, only_b = float(np.maximum(d, 0.0) @ weights), float(np.maximum(-d, 0.0) @ weights)
    within = only_a + only_b - (only_a - only_b) ** 2
    number = min(pieces.limit, within / own) if own > 1e-15 and within > 1e-15 else pieces.known.equal
    return Discordant(only_a, only_b, number)


def paired(pieces: Pieces, seeds: Sequence[Seeds], margin: float = 0.0) -> Result:
    """
    >>> from proband.stats.clusters import Clusters
    >>> design = Clusters.named(None, 40).design()
    >>> same = Share().pieces(np.array([[1.0] * 30 + [0.0] * 10]), design)
    >>> found = paired(same.minus(same), ())
    >>> round(found.low, 3), round(found.high, 3), found.p
    (-0.068, 0.068, 1.0)
    """
    own, value = pieces.variance, pieces.value
    own = own if own > 1e-15 else 0.0
    error, freedom = map(float, with_seeds(np.array(own), pieces.known.freedom, seeds))
    t, apart = float(quantile(freedom)), discordant(pieces, own)
    centre, wider = apart.adjusted(error**2 - own)
    low, high = value - t * error, value + t * error
    p = float(p_value(np.array(value - margin), np.array(error), freedom))
    if own == 0:
        low, high = centre - t * wider, centre + t * wider
        p = float(p_value(np.array(centre - margin), np.array(wider), freedom))
    elif value >= 0:
        high = max(high, centre + t * wider)
    if own > 0 and value <= 0:
        low = min(low, centre - t * wider)
    low, high = max(low, -1.0), min(high, 1.0)
    if low <= margin <= high:
        p = max(p, 0.05)
    if value == margin == 0:
        p = 1.0

    def equal(within: float) -> float:
        return max(one_sided(within + s * m, e, freedom) for s in (1, -1) for m, e in ((value, error), (centre, wider)))

    def seen(tests: int) -> float | None:
        certain = max(0.0, value - t * error, -value - t * error)
        return None if own == 0 else detectable_share(apart, freedom, error**2 - own, tests, certain)

    return Result(low, high, p, error, freedom, own, seen, equal)


MIDPOINTS = (np.arange(12) + 0.5) / 12  # of a distribution that is averaged over


def detectable_share(apart: Discordant, freedom: float, more: float, tests: int = 1, certain: float = 0.0) -> float:
    """X above; `more` is the variance that training seeds add, `certain` the part of the difference that is beyond
    doubt, which is no discordance at no difference.

    >>> many = Discordant(0.1, 0.1, 40_000.0)
    >>> x = detectable_share(many, 40_000.0, 0.0)
    >>> round(x, 4), round(float((quantile(4e4) + quantile(4e4, 0.8)) * math.sqrt((0.2 + x - x**2) / 40_000)), 4)
    (0.0064, 0.0064)
    """
    from scipy.special import chdtri, gammaincinv, stdtr

    q = max(apart.only_a + apart.only_b - certain, 0.0)
    of_q = (gammaincinv(q * apart.number + 0.5, MIDPOINTS) / apart.number)[:, None]
    number = apart.number / (freedom / chdtri(freedom, MIDPOINTS))
    least = quantile(freedom, level_of(tests))

    def power(x: float) -> float:
        error = np.sqrt((np.minimum(of_q, 1.0) + x - x**2) / number + more)
        return float(np.mean(stdtr(freedom, x / error - least)))

    low, high = 0.0, 1.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
