r"""Power before spending: how many items a difference of X needs, from the clusters of a design.

Variance and power are those of share.py, at the alternative, with the design effect D = 1 + rho (m - 1) at no
difference for clusters of m items (Kish 1965). A design grows in two ways. *More clusters* of the same kind keep D, and
the variance falls like 1/n. *More items in the same clusters* let D grow. From a pilot, the interval of the numbers
that are needed uses the 2.5 % and 97.5 % quantiles of the variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.errors import ProbandError
from proband.stats.clusters import LEAST_FREEDOM, Clusters, Design, shows_power, variance, variance_factors
from proband.stats.estimators.mean import POWER, Pieces, power, smallest, weighted_residuals
from proband.stats.estimators.share import discordant, excess_kurtosis, moments_at
from proband.stats.scores import Scores

LARGEST_GROWTH = 1e5  # times a design may grow before no number counts as enough


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """What is known of a paired difference before it is measured. `square`: of shares the discordance at no difference,
    of other numbers the variance of an item's difference."""

    items: int
    clusters: int
    freedom: float
    size: float  # items of a cluster, of equal ones that would say as much
    square: float
    correlation: float  # of two items of one cluster
    share: bool = True
    seed_variance: float = 0.0
    tests: int = 1  # how many will be corrected together
    variance_freedom: float | None = None  # degrees of freedom of the variance; None where it is assumed

    @classmethod
    def assumed(cls, design: Design, *, square: float, correlation: float) -> Pilot:
        about = design.summary
        size = max(design.items / about.equal, 1.0)
        return cls(
            items=design.items,
            clusters=about.clusters,
            freedom=about.freedom,
            size=size,
            square=square,
            correlation=correlation if size > 1 else 0.0,
        )

    @classmethod
    def of(cls, scores: Sequence[Scores], *, agreement: float) -> Pilot:
        """From two systems on the same items, or from one and the correlation that is assumed of two systems'
        answers."""
        share = all(each.estimator.share and each.pieces.numbers is not None for each in scores)
        if len(scores) == 2:
            found = scores[0].minus(scores[1])
            pieces, own = scores[0].pieces.minus(scores[1].pieces), found.result.own
            if share:
                apart, certain = discordant(pieces, own), max(0.0, found.low, -found.high)
                square = apart.square - certain
                alone = (apart.square - found.value**2) / found.n
            else:
                alone = variance_if_alone(pieces)
                square = alone * found.n
        else:
            (one,) = scores
            pieces, own = one.pieces, one.pieces.variance
            alone = one.value * (1 - one.value) / len(one) if share else variance_if_alone(pieces)
            square = 2 * (1 - agreement) * alone * len(one)
        if own < 1e-15:
            problem = "do not differ in any item" if len(scores) == 2 else "do not vary"
            raise ProbandError(f"the answers of the pilot {problem}: nothing can be planned from them")
        pilot = cls.assumed(scores[0].design, square=square, correlation=0.0)
        effect = max(own / alone, 1.0) if alone > 0 else 1.0
        rho = min((effect - 1) / (pilot.size - 1), 1.0) if pilot.size > 1 else 0.0
        seeds = [each.seeds for each in scores]
        more = sum(each.variance for each in seeds) * (3 - len(scores))
        excess = excess_kurtosis(square, rho, pilot.size) if share else None
        shown = pieces.freedom_of_variance(seeds, excess)
        return replace(pilot, correlation=rho, share=share, seed_variance=more, variance_freedom=shown)

    def highest_correlation(self) -> float:
        """The correlation that the pilot's clusters are still consistent with (95 %)."""
        if self.size <= 1:
            return 0.0
        effect = (1 + self.correlation * (self.size - 1)) * self.extremes()[1]
        return min(1.0, (effect - 1) / (self.size - 1))

    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest variance that the pilot is consistent with (95 %), next to its estimate."""
        from scipy.special import chdtri

        freedom = self.variance_freedom or self.freedom
        return float(freedom / chdtri(freedom, 0.025)), float(freedom / chdtri(freedom, 0.975))

    def variances(self) -> tuple[float, ...]:
        """How many times the estimate the variance may be: at the middle of each part of its distribution."""
        return (1.0,) if self.variance_freedom is None else tuple(variance_factors(self.variance_freedom).tolist())


def variance_if_alone(pieces: Pieces) -> float:
    """The variance if items shared no cluster. A metric over sets has no number per item: what its clusters add is not
    known."""
    if pieces.numbers is None:
        return pieces.variance
    design, nothing = pieces.design, Clusters.named(None, pieces.design.items)
    alone = nothing.weighted(None, design.weights, design.blocks)
    return float(variance(alone, weighted_residuals(pieces.numbers, design)))


@dataclass(frozen=True, kw_only=True)
class PlannedDesign:
    """A design that is `clusters` times as many clusters with `within` times as many items each."""

    pilot: Pilot
    clusters: float = 1.0
    within: float = 1.0
    scale: tuple[float, ...] = (1.0,)  # of the variance

    @property
    def freedom(self) -> float:
        return max((self.pilot.freedom + 1) * self.clusters - 1, 1.0)

    def power(self, difference: float) -> float:
        """The chance to find a true difference of this size."""
        pilot, scale = self.pilot, np.array(self.scale)
        size, items = max(pilot.size * self.within, 1.0), pilot.items * self.clusters * self.within
        own, skewness = scale * (1 + pilot.correlation * (size - 1)) * pilot.square / items, 0.0
        if pilot.share:
            own, skewness = moments_at(difference, pilot.square, items, pilot.correlation, size, scale)
        return power(difference, own + scale * pilot.seed_variance, self.freedom, pilot.tests, skewness)

    @property
    def detectable(self) -> float | None:
        """The difference that is found with a power of 0.8; None where no possible one is, or a pilot is too small."""
        if self.pilot.variance_freedom is not None and not shows_power(self.pilot.freedom):
            return None
        high = 1 - self.pilot.square if self.pilot.share else 1e6 * math.sqrt(self.pilot.square)
        return smallest(lambda x: self.power(x) >= POWER, 1e-9, high) if high > 0 else None


def check(
    difference: float, *, power: float, accuracy: float, agreement: float, within: float, tests: int, option: str = ""
) -> None:
    """Whether a plan is possible with these numbers; `option` precedes their names in messages."""
    for name, value, possible, rule in (
        ("difference", difference, 0 < difference < math.inf, "be a number above 0"),
        ("accuracy", accuracy, 0 < accuracy < 1, "lie between 0 and 1"),
        ("agreement", agreement, -1 <= agreement < 1, "lie between -1 and 1"),
        ("within", within, 0 <= within <= 1, "lie between 0 and 1"),
        ("power", power, 0.05 < power < 1, "lie between 0.05 and 1"),
        ("tests", tests, tests >= 1, "be 1 or more"),
    ):
        if not possible:
            raise ProbandError(f"{option}{name} is {value:g}; it must {rule}")


def needed(pilot: Pilot, difference: float, *, power: float, by: str, scale: tuple[float, ...]) -> PlannedDesign | None:
    """The smallest design that finds the difference with this chance, by more `clusters` or by more items `within`
    them; None where no number is enough."""
    least = (LEAST_FREEDOM + 1) / (pilot.freedom + 1) if by == "clusters" else 1 / pilot.items

    def grown(times: float) -> PlannedDesign:
        clusters, within = (times, 1.0) if by == "clusters" else (1.0, times)
        return PlannedDesign(pilot=pilot, clusters=clusters, within=within, scale=scale)

    def enough(times: float) -> bool:
        return grown(times).power(difference) >= power

    times = smallest(enough, min(least, LARGEST_GROWTH), LARGEST_GROWTH)
    return None if times is None else grown(times)


def required(
    pilot: Pilot, difference: float, *, power: float, by: str
) -> tuple[PlannedDesign | None, tuple[PlannedDesign | None, PlannedDesign | None]]:
    """The design that is needed, with the ends of its interval. More items in the same clusters help only as far as
    these do not correlate: what a pilot says of that is taken at its upper end."""
    if pilot.share and difference >= 1:
        raise ProbandError(f"difference is {difference:g}: a difference of shares is below 1 (0.05 is 5 points)")
    if by == "within" and pilot.variance_freedom is not None:
        pilot = replace(pilot, correlation=pilot.highest_correlation())
    low, high = (needed(pilot, difference, power=power, by=by, scale=(end,)) for end in pilot.extremes())
    return needed(pilot, difference, power=power, by=by, scale=pilot.variances()), (low, high)
