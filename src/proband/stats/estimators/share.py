r"""Shares: means of numbers between 0 and 1.

One share m with the variance V of its clusters: Wilson's interval (1927) with t_nu^2 / n_e in place of z^2 / n, at the
effective sample size (Korn and Graubard 1998; Franco, Little, Louis and Slud 2019)

    n_e = m (1 - m) / V,        V at least that of independent items.

V is estimated from the clusters in which the rarer outcome occurs, f of G (divided by k, where each item has k
clusters of the kind). All items of a cluster may be alike:

    1/n_e  :=  (1 - l) / n_e + l / min(n_e, G),      l = 1 / (1 + f)^2.

The assumption that a cluster counts as one item is worth one cluster next to the f that were seen, so its share among
1 + f is 1 / (1 + f); l is the square of it because a variance is mixed. Confidence limits must not fall when a wrong
answer becomes right (Buehler 1957), but f = 0 gives n_e = G: no error says less about V than a few in different
clusters. The interval of a perfect score is therefore the shortest that m errors in m clusters can have,

    w = min over m of the width at m errors,  1/n_e = (1 - l) / n + l / G  with f = m,

and no interval is shorter than w.

Two systems on the same items, d = a - b: Student's t with the CR2 variance of d. The end that is away from zero is that
of Bonett and Price (2012) where it is further out: 1 is added to both kinds of discordant answers, at n_e + 2. So two
systems that always agree get an interval whose width depends only on the number of items; p < 0.05 exactly where zero
is outside.

The power of that test is solved at the alternative. A difference of X needs at least X discordant answers, so with q of
them at no difference the variance is V = D (q + X - X^2) / n. A normal variable decides between only a, both alike and
only b (Ochi and Prentice 1984), and r of its variance is due to the cluster; r is that of the design effect n / n_e at
no difference. This gives the moments of the mean of a cluster, and so D and the skewness g of the estimate at X.
Answers close to the end of the scale are skewed, and the mean of a skewed sample correlates with its variance (their
covariance is mu_3 / G, Cramer 1946; Johnson 1978): with the error s (1 + g z / 2) the test finds X with a chance of

    F_nu((X / sqrt(V) - t) / (1 - t g / 2)),      t = t_(1 - a/2).

The variance is an estimate, but for the (X - X^2) / n that the difference itself adds: the rest is nu / chi^2_nu times
as large, nu by Box (1953) for this model (mean.py). The chance is the mean over that distribution (assurance, O'Hagan,
Stevens and Campbell 2005); the detectable difference is the X below 1 - q for which it is 0.8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from proband.stats.clusters import Design, DesignSummary, Floats, Seeds, p_value, quantile, variance_factors, with_seeds
from proband.stats.estimators.mean import (
    POWER,
    Mean,
    Pieces,
    Result,
    equivalence,
    one_sided,
    power,
    smallest,
    weighted_residuals,
)

EFFECTS = np.linspace(-8, 8, 161)  # of clusters, in standard deviations, and their chances: V is right to 0.6 %
CHANCES = np.exp(-(EFFECTS**2) / 2) / np.exp(-(EFFECTS**2) / 2).sum()


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
        mean, freedom = min(max(pieces.value, 0.0), 1.0), pieces.summary.freedom
        own = mean * (1 - mean) / number
        error, together = math.sqrt(own), freedom
        if own > 0:
            error, together = map(float, with_seeds(np.array(own), freedom, seeds))
            number = mean * (1 - mean) / error**2
        low, high = wilson(np.array(mean), np.array(number), together)

        def spread(at: float) -> float:
            return math.sqrt(max(at * (1 - at), 0.0) / number)

        def equal(within: float) -> float:
            ends = ((sign, constant + sign * within) for sign in (1, -1))
            return max(one_sided(sign * (end - mean), spread(end), together) for sign, end in ends)

        p = float(p_value(np.array(mean - constant), np.array(spread(constant)), together))
        return Result(float(low), float(high), p, error, together, own, equal)

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
    mean, about = numbers @ design.weights, design.summary
    alone = (weighted_residuals(numbers, design) ** 2).sum(axis=-1)
    largest, inside = np.maximum(variance, alone), mean * (1 - mean)
    varies = (largest > 1e-15) & (inside > 1e-15)
    number = np.where(varies, inside / np.where(varies, largest, 1.0), about.equal)
    number = shrunk(number, about.equal, clusters_with_rarer(numbers, design))
    most = largest_number(inside, 1 / float(design.weights @ design.weights), about)
    return np.where(inside > 1e-12, np.minimum(number, most), most)


def shrunk(number: Floats | float, clusters: Floats | float, seen: Floats) -> Floats:
    weight = 1 / (1 + seen) ** 2
    return np.asarray(1 / ((1 - weight) / number + weight / np.minimum(number, clusters)))


def largest_number(inside: Floats, items: float, about: DesignSummary) -> Floats:
    """The effective number of items at which Wilson's interval of a mean m is as wide as that of a perfect score;
    `inside` is m (1 - m).

    >>> about = DesignSummary(freedom=9.0, clusters=10, equal=10.0)  # 120 items in ten clusters; a score of 97 %
    >>> [round(float(largest_number(np.array(v), 120.0, about)), 1) for v in (0.0, 0.97 * 0.03)]
    [45.1, 78.9]
    """
    t = float(quantile(about.freedom)) ** 2
    errors = np.arange(int(min(about.equal, items / 2)) + 1.0)
    c, q = t / shrunk(items, about.equal, errors), errors / items
    square = float((np.sqrt(4 * c * q * (1 - q) + c**2) / (1 + c)).min()) ** 2  # w^2
    b = 2 * inside - square
    return np.asarray(t * (1 - square) / (np.sqrt(b**2 + (1 - square) * square) - b))  # the same width, solved for n_e


def clusters_with_rarer(numbers: Floats, design: Design) -> Floats:
    """In how many clusters (of the kind that has fewest) the rarer outcome occurs; an item of k clusters shows it in
    each."""
    outcome = np.where((numbers @ design.weights > 0.5)[..., None], 1 - numbers, numbers)
    kind = min(design.kinds, key=lambda each: each.count)
    return np.asarray((kind.sums(outcome) > 1e-12).sum(axis=-1) * design.items / len(kind.items))


@dataclass(frozen=True)
class Discordant:
    """Shares of answers in which only one system is right, and the effective number of items: Bonett and Price's
    centre and error."""

    only_a: float
    only_b: float
    number: float
    square: float = 0.0  # the mean square of the difference

    def adjusted(self, more: float = 0.0) -> tuple[float, float]:
        n = self.number + 2
        a, b = (self.number * self.only_a + 1) / n, (self.number * self.only_b + 1) / n
        return a - b, math.sqrt((a + b - (a - b) ** 2) / n + more)


def discordant(pieces: Pieces, own: float) -> Discordant:
    assert pieces.numbers is not None
    weights, d = pieces.design.weights, pieces.numbers
    only_a, only_b = float(np.maximum(d, 0.0) @ weights), float(np.maximum(-d, 0.0) @ weights)
    within = only_a + only_b - (only_a - only_b) ** 2
    number = min(pieces.limit, within / own) if own > 1e-15 and within > 1e-15 else pieces.summary.equal
    return Discordant(only_a, only_b, number, float(d**2 @ weights))


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
    error, freedom = map(float, with_seeds(np.array(own), pieces.summary.freedom, seeds))
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

    def seen(tests: int) -> float | None:
        certain = max(0.0, value - t * error, -value - t * error)
        return None if own == 0 else detectable_share(apart, pieces, freedom, seeds, tests, certain)

    return Result(low, high, p, error, freedom, own, equivalence(freedom, (value, error), (centre, wider)), seen)


def moments_at(x: float, q: float, items: float, alike: float, size: float, scale: Floats) -> tuple[Floats, float]:
    """V and the skewness of the mean at a difference of x, above; at no difference two of the `size` items of a cluster
    correlate by `alike`, `scale` is how many times the estimate is the truth.

    >>> [round(float(moments_at(x, 0.2, 400.0, 1 / 9, 10.0, np.array(1.0))[0]) * 400, 3) for x in (0.0, 0.1)]
    [0.4, 0.626]
    """
    variance, third, _ = cluster_moments(x, q, alike, size)
    more = x - x**2
    return (scale * (variance * size - more) + more) / items, third / variance**1.5 * math.sqrt(size / items)


def excess_kurtosis(q: float, alike: float, size: float) -> float:
    """Of the mean of a cluster at no difference; of one answer 1/q - 3."""
    variance, _, fourth = cluster_moments(0.0, q, alike, size)
    return fourth / variance**2 - 3


def cluster_moments(x: float, q: float, alike: float, size: float) -> tuple[float, float, float]:
    """The central moments (second to fourth) of the mean of a cluster: those of its chances, and of its items."""
    only_a, only_b = outcome_chances(x, q, latent_correlation(q, alike) if alike > 0 else 0.0)
    mean, either = only_a - only_b, only_a + only_b
    square, cube = either - mean**2, mean - 3 * mean * either + 2 * mean**3
    fourth = either - 4 * mean**2 + 6 * mean**2 * either - 3 * mean**4
    d, own = mean - x, (fourth / size + 3 * (size - 1) / size * square**2) / size**2
    return (
        float(CHANCES @ (d**2 + square / size)),
        float(CHANCES @ (d**3 + 3 * d * square / size + cube / size**2)),
        float(CHANCES @ (d**4 + 6 * d**2 * square / size + 4 * d * cube / size**2 + own)),
    )


def outcome_chances(x: float, q: float, r: float) -> tuple[Floats, Floats]:
    """Of only a and only b, in clusters with each of these effects."""
    from scipy.special import ndtr, ndtri

    q, b = max(q, 1e-12), math.sqrt(r) * EFFECTS
    rest = math.sqrt(max(1 - r, 1e-9))
    return ndtr((ndtri(q / 2 + min(x, 1 - q)) + b) / rest), ndtr((ndtri(q / 2) - b) / rest)


@lru_cache
def latent_correlation(q: float, alike: float) -> float:
    """The r at which the differences of two items of a cluster correlate by `alike` where the systems are equal."""
    needed = alike * q
    return smallest(lambda r: bool(CHANCES @ np.subtract(*outcome_chances(0, q, r)) ** 2 >= needed), 1e-4, 1) or 1.0


def detectable_share(
    apart: Discordant, pieces: Pieces, freedom: float, seeds: Sequence[Seeds], tests: int, certain: float
) -> float | None:
    """X above; `certain` is the part of the difference that is beyond doubt, which is no discordance at no
    difference."""
    q, items = max(apart.square - certain, 0.0), pieces.limit
    effect = max(pieces.variance * items / (apart.square - pieces.value**2), 1.0)
    size = items / pieces.summary.equal
    alike = min((effect - 1) / (size - 1), 1.0) if size > 1 else 0.0
    scale = variance_factors(pieces.freedom_of_variance(seeds, excess_kurtosis(q, alike, size)))
    more, beyond = scale * sum(each.variance for each in seeds), effect / (1 + alike * (size - 1))

    def enough(x: float) -> bool:
        own, skewness = moments_at(x, q, items, alike, size, scale * beyond)
        return power(x, own + more, freedom, tests, skewness) >= POWER

    return smallest(enough, 1e-9, 1 - q) if q < 1 else None
