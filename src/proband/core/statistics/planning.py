r"""Power before spending: how many items a difference of d needs, from the clusters of a design.

The variance of a paired difference over n items is sigma^2 D / n with the design effect D = 1 + rho N/n (spread.py; N
ordered pairs of neighbours). A design grows in two ways. *More clusters* of the same kind keep N/n, and the variance
falls like 1/n. *More items in the same clusters* let N/n grow with n, and the variance never falls below
sigma^2 rho N/n^2.
A test at 0.05 with nu degrees of freedom and standard error se sees d with a chance of

    P = F_nu(d / se - t_.975),

the same equation that gives the detectable difference (P = 0.8). The margin that the test adds to rho is counted.

A pilot of G effective clusters knows the variance no better than nu = G - 1 degrees of freedom allow: the true one is
between nu/chi2_.975 and nu/chi2_.025 times the estimate, and so is, nearly, the number of clusters that is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.errors import ProbandError
from proband.core.statistics.clusters import LEAST_CLUSTERS, Neighbours
from proband.core.statistics.scores import Scores
from proband.core.statistics.spread import detectable, level_of, margin, neighbours_correlation, quantile

LARGEST_GROWTH = 1e5  # how many times a design may grow


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """What is known of a paired difference before it is measured: the design, the mean square of the differences of
    single items, the correlation of neighbours, and the variance that training seeds add."""

    dependence: Neighbours
    square: float
    correlation: float
    share: bool = True
    seeds: float = 0.0
    tests: int = 1  # how many will be corrected together
    measured: bool = False  # from answers, not from assumptions

    @classmethod
    def of(cls, scores: Sequence[Scores], *, agreement: float) -> Pilot:
        """From two systems on the same items, or from one and the correlation that is assumed of two systems'
        answers."""
        u = scores[0].mean_influence - scores[1].mean_influence if len(scores) == 2 else scores[0].mean_influence
        if not u.any():
            how = "do not differ in any item" if len(scores) == 2 else "do not vary"
            raise ProbandError(f"the answers of the pilot {how}: nothing can be planned from them")
        dependence = scores[0].dependence
        square = float((u**2).mean())
        return cls(
            dependence=dependence,
            square=square if len(scores) == 2 else 2 * (1 - agreement) * square,
            correlation=float(neighbours_correlation(u, dependence, safe=False)),
            share=all(each.share for each in scores),
            seeds=float(sum(each.seeds.variance for each in scores)) * (1 if len(scores) == 2 else 2),
            measured=True,
        )

    def now(self) -> Plan:
        """The design as it is, by the kind of clusters with which it tells least."""
        plans = [grown(replace(self, dependence=each)) for each in self.dependence.readings]
        return max(plans, key=lambda each: each.detectable)

    def highest_correlation(self) -> float:
        """The correlation of neighbours that the pilot's clusters are still consistent with (90 %, one-sided): their
        design effect D is known with G - 1 degrees of freedom."""
        from scipy.special import chdtri

        around, freedom = self.dependence.pairs / self.dependence.items, max(self.dependence.effective - 1, 1.0)
        if not around:
            return self.correlation
        effect = (1 + self.correlation * around) * freedom / float(chdtri(freedom, 0.9))
        return min(1.0, (effect - 1) / around)

    def uncertain(self) -> tuple[Pilot, Pilot]:
        """With the smallest and the largest variance that this pilot is consistent with (95 %).

        >>> from proband.core.statistics.clusters import Clusters
        >>> shared = Neighbours.of(Clusters.of([(str(i // 6),) for i in range(144)]))
        >>> [round(each.square, 2) for each in Pilot(dependence=shared, square=0.4, correlation=0.1).uncertain()]
        [0.24, 0.79]
        """
        from scipy.special import chdtri

        freedom = max(self.dependence.least - 1, 1.0)
        low, high = (freedom / float(chdtri(freedom, level)) for level in (0.025, 0.975))
        return (
            replace(self, square=self.square * low, seeds=self.seeds * low),
            replace(self, square=self.square * high, seeds=self.seeds * high),
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A design that is `clusters` times as many clusters with `within` times as many items each."""

    clusters: float
    within: float
    error: float
    freedom: float
    tests: int = 1

    def power(self, difference: float) -> float:
        """The chance to see a true difference of this size.

        >>> round(Plan(clusters=1, within=1, error=0.01, freedom=1e9).power(0.028), 2)
        0.8
        """
        from scipy.special import stdtr

        freedom = np.array(self.freedom)
        return float(stdtr(freedom, difference / self.error - quantile(freedom, level_of(self.tests))))

    @property
    def detectable(self) -> float:
        return float(detectable(np.array(self.error), np.array(self.freedom), self.tests))


def grown(pilot: Pilot, *, clusters: float = 1.0, within: float = 1.0) -> Plan:
    """The error of a design that has grown (or shrunk)."""
    dependence = pilot.dependence
    n = dependence.items * clusters * within
    around = max(0.0, (dependence.pairs / dependence.items + 1) * within - 1)  # neighbours of an item
    more = margin(dependence.effective * clusters, dependence.kinds)
    rho = min(1.0, pilot.correlation + more * math.sqrt(2 / (n * around))) if around else 0.0
    effect = 1 + rho * around
    number = n / effect
    groups = max(dependence.effective * clusters, 2.0) - 1
    freedom = groups * (effect / (effect - 1)) ** 2 if effect > 1 else math.inf
    freedom = 1 / (1 / freedom + 1 / max(n - 1, 1.0))
    variance = pilot.square / number
    if pilot.share:
        variance = (number * pilot.square + 0.5) / (number + 0.5) ** 2
    error = math.sqrt(variance + pilot.seeds)
    return Plan(clusters=clusters, within=within, error=error, freedom=freedom, tests=pilot.tests)


def needed(pilot: Pilot, difference: float, *, power: float, by: str) -> Plan | None:
    """The smallest design that sees the difference with this chance, by more `clusters` or by more items `within` them;
    None where no number is enough."""
    least = LEAST_CLUSTERS / pilot.dependence.effective if by == "clusters" else 1 / pilot.dependence.items

    def enough(times: float) -> bool:
        return grown(pilot, **{by: times}).power(difference) >= power

    times = _smallest(enough, least)
    return None if times is None else grown(pilot, **{by: times})


def largest(
    pilot: Pilot, difference: float, *, power: float, by: str
) -> tuple[Plan | None, tuple[Plan | None, Plan | None]]:
    """The design that is needed by every kind of cluster, with the ends of its interval. More items in the same
    clusters help only as far as these do not correlate: what a pilot says of that is taken at its upper end."""
    results = []
    for each in pilot.dependence.readings:
        own = replace(pilot, dependence=replace(each, others=()))
        if by == "within" and pilot.measured:
            own = replace(own, correlation=own.highest_correlation())
        ends = [needed(bound, difference, power=power, by=by) for bound in own.uncertain()]
        results.append((needed(own, difference, power=power, by=by), ends[0], ends[1]))
    plan, low, high = (
        max(each, key=lambda p: math.inf if p is None else p.clusters * p.within) for each in zip(*results)
    )
    return plan, (low, high)


def _smallest(enough: Callable[[float], bool], least: float) -> float | None:
    """Bisection on a logarithmic scale, to a thousandth."""
    if not enough(LARGEST_GROWTH):
        return None
    low, high = least, LARGEST_GROWTH
    if enough(low):
        return low
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
