"""Paired tests of systems that have numbers for the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.statistics.bootstrap import Drawn, Ints, bootstrap_p, interval
from proband.core.suite import Where
from proband.report.numbers.columns import Column

ALPHA = 0.05


@dataclass(frozen=True)
class Together:
    """Systems that have numbers for the same items, resampled together."""

    rows: Ints
    columns: tuple[Column, ...]
    drawn: Drawn


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """System a minus system b on the items of `group` that both answered."""

    group: Where
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float  # corrected for the other comparisons of a and b
    n: int
    clusters: int
    detectable: float  # the smallest true difference that would be seen four times in five
    better: str  # a or b, or empty where there is no difference at all

    def turned(self) -> Comparison:
        """b minus a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )

    @property
    def clear(self) -> bool:
        """Significant: corrected p below 0.05, and an interval that leaves out zero."""
        return self.p_holm < ALPHA and (self.low > 0 or self.high < 0)

    @property
    def verdict(self) -> str:
        return f"{self.better} is better" if self.clear else "not significant"


def p_values(
    metric: Metric, drawn: Drawn, places: Sequence[tuple[int, int]], *, seed: int, draws: int, margin: float = 0.0
) -> list[float]:
    """Of the pairs of columns at some places: sign flips of the sums of clusters where every item is in one cluster and
    the metric is a mean over items, the bootstrap otherwise (no flip of signs respects several clusters of an item).
    The null hypothesis is that the first is ahead of the second by `margin`."""
    if drawn.clusters == 1:
        return [1.0] * len(places)
    if drawn.single and metric.over == "item":
        sums = np.stack([drawn.totals[:, i] - drawn.totals[:, j] for i, j in places], axis=1)
        found: list[float] = stats.sign_flips(sums - margin * drawn.sizes[:, None], seed=seed, draws=5 * draws).tolist()
        return found
    return [bootstrap_p(drawn.means[:, i] - drawn.means[:, j] - margin) for i, j in places]


def compared(
    metric: Metric, both: Together, place: tuple[int, int], p: float, *, group: Where, labels: Sequence[str]
) -> Comparison:
    """The columns at a place."""
    first, second = (both.columns[at] for at in place)
    a, b = labels[first.system], labels[second.system]
    drawn = both.drawn
    differences = drawn.means[:, place[0]] - drawn.means[:, place[1]]
    low, high, spread = -1.0, 1.0, 1.0
    if drawn.clusters > 1:
        low, high = interval(differences, drawn.clusters)
        spread = float(differences.std())
    return Comparison(
        group=group,
        a=a,
        b=b,
        mean_a=first.value,
        mean_b=second.value,
        difference=first.value - second.value,
        low=low,
        high=high,
        p=p,
        p_holm=p,
        n=len(both.rows),
        clusters=drawn.clusters,
        detectable=stats.minimum_detectable(spread),
        better="" if first.value == second.value else a if metric.ahead(first.value, second.value) else b,
    )
