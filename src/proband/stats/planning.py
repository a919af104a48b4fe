r"""Power before spending: how many items a difference of X needs, from the clusters of a design.

The variance of a paired difference over n items is D (q + X - X^2) / n, solved at the alternative (share.py: a
difference of X needs at least X discordant answers), with the design effect D = 1 + rho (m - 1) for clusters of m
items (Kish 1965). A design grows in two ways. *More clusters* of the same kind keep D, and the variance falls like 1/n.
*More items in the same clusters* let D grow. A test at level a with nu degrees of freedom and standard error se finds X
with a chance of F_nu(X / se - t_(1 - a/2)).

A pilot of nu degrees of freedom knows the variance only so well: the true one is nu / chi^2_nu times the estimate. The
power from a pilot is the mean over that distribution (the assurance of O'Hagan, Stevens and Campbell 2005), and the
interval of the numbers that are needed comes from its 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.errors import ProbandError
from proband.stats.clusters import Design
from proband.stats.estimators.mean import level_of
from proband.stats.estimators.share import discordant
from proband.stats.scores import Scores
from proband.stats.variance import LEAST_FREEDOM, known, quantile

LARGEST_GROWTH = 1e5  # how many times a design may grow
MIDPOINTS = (np.arange(40) + 0.5) / 40  # of a distribution that is averaged over


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
    seeds: float = 0.0
    tests: int = 1  # how many will be corrected together
    measured: bool = False  # from answers, not from assumptions

    @classmethod
    def assumed(cls, design: Design, *, square: float, correlation: float) -> Pilot:
        about = known(design)
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
        share = all(each.estimator.share for each in scores)
        if len(scores) == 2:
            found = scores[0].minus(scores[1])
            pieces, own = scores[0].pieces.minus(scores[1].pieces), found.result.own
            apart = discordant(pieces, own) if pieces.numbers is not None else None
            if share and apart is not None:
                certain = max(0.0, found.low, -found.high)
                square = apart.only_a + apart.only_b - certain
                alone = (apart.only_a + apart.only_b - found.value**2) / found.n
            else:
                square = alone = own * found.n
                alone /= found.n
            design = scores[0].design
        else:
            (one,) = scores
            own, design = one.pieces.variance, one.design
            alone = one.value * (1 - one.value) / len(one) if share else own
            square = 2 * (1 - agreement) * alone * len(one)
        if own < 1e-15:
            how = "do not differ in any item" if len(scores) == 2 else "do not vary"
            raise ProbandError(f"the answers of the pilot {how}: nothing can be planned from them")
        pilot = cls.assumed(design, square=square, correlation=0.0)
        effect = max(own / alone, 1.0) if alone > 0 else 1.0
        rho = min((effect - 1) / (pilot.size - 1), 1.0) if pilot.size > 1 else 0.0
        more = sum(each.seeds.variance for each in scores) * (3 - len(scores))
        return replace(pilot, correlation=rho, share=share, seeds=more, measured=True)

    def highest_correlation(self) -> float:
        """The correlation that the pilot's clusters are still consistent with (90 %, one-sided): their design effect is
        known with nu degrees of freedom."""
        from scipy.special import chdtri

        if self.size <= 1:
            return 0.0
        effect = (1 + self.correlation * (self.size - 1)) * self.freedom / float(chdtri(self.freedom, 0.9))
        return min(1.0, (effect - 1) / (self.size - 1))

    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest variance that the pilot is consistent with (95 %), next to its estimate."""
        from scipy.special import chdtri

        low, high = (float(self.freedom / chdtri(self.freedom, level)) for level in (0.025, 0.975))
        return low, high

    def variances(self) -> tuple[float, ...]:
        """How many times the estimate the variance may be: at the middle of each part of its distribution."""
        from scipy.special import chdtri

        if not self.measured:
            return (1.0,)
        return tuple((self.freedom / chdtri(self.freedom, MIDPOINTS)).tolist())


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A design that is `clusters` times as many clusters with `within` times as many items each."""

    pilot: Pilot
    clusters: float = 1.0
    within: float = 1.0
    scale: tuple[float, ...] = (1.0,)  # of the variance

    @property
    def freedom(self) -> float:
        return max((self.pilot.freedom + 1) * self.clusters - 1, 1.0)

    def error(self, difference: float, scale: float = 1.0) -> float:
        pilot = self.pilot
        effect = 1 + pilot.correlation * (pilot.size * self.within - 1) if pilot.size > 1 else 1.0
        square = pilot.square + max(difference - difference**2, 0.0) if pilot.share else pilot.square
        return math.sqrt(
            scale * (max(effect, 1.0) * square / (pilot.items * self.clusters * self.within) + pilot.seeds)
        )

    def power(self, difference: float) -> float:
        """The chance to find a true difference of this size."""
        from scipy.special import stdtr

        nu, at = self.freedom, float(quantile(self.freedom, level_of(self.pilot.tests)))
        return float(np.mean([stdtr(nu, difference / self.error(difference, s) - at) for s in self.scale]))

    @property
    def detectable(self) -> float:
        """The difference that is found with a power of 0.8."""
        high = 1.0 if self.pilot.share else 1e6 * math.sqrt(self.pilot.square)
        return _smallest(lambda x: self.power(x) >= 0.8, 1e-9, high) or high


def needed(pilot: Pilot, difference: float, *, power: float, by: str, scale: tuple[float, ...]) -> Plan | None:
    """The smallest design that finds the difference with this chance, by more `clusters` or by more items `within`
    them; None where no number is enough."""
    least = (LEAST_FREEDOM + 1) / (pilot.freedom + 1) if by == "clusters" else 1 / pilot.items

    def grown(times: float) -> Plan:
        clusters, within = (times, 1.0) if by == "clusters" else (1.0, times)
        return Plan(pilot=pilot, clusters=clusters, within=within, scale=scale)

    def enough(times: float) -> bool:
        return grown(times).power(difference) >= power

    times = _smallest(enough, min(least, LARGEST_GROWTH), LARGEST_GROWTH)
    return None if times is None else grown(times)


def required(
    pilot: Pilot, difference: float, *, power: float, by: str
) -> tuple[Plan | None, tuple[Plan | None, Plan | None]]:
    """The design that is needed, with the ends of its interval. More items in the same clusters help only as far as
    these do not correlate: what a pilot says of that is taken at its upper end."""
    if by == "within" and pilot.measured:
        pilot = replace(pilot, correlation=pilot.highest_correlation())
    low, high = (needed(pilot, difference, power=power, by=by, scale=(end,)) for end in pilot.extremes())
    return needed(pilot, difference, power=power, by=by, scale=pilot.variances()), (low, high)


def _smallest(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """Bisection on a logarithmic scale, to a thousandth."""
    if not enough(high):
        return None
    if enough(low):
        return low
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
