"""Paired tests of systems that have numbers for the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.statistics.clusters import Ints, Neighbours
from proband.core.statistics.seeds import ONE_SEED
from proband.core.suite import Where
from proband.report.numbers.columns import Column

ALPHA = 0.05


@dataclass(frozen=True)
class Together:
    """Systems that have numbers for the same items, and how these items hang together."""

    rows: Ints
    columns: tuple[Column, ...]
    shared: Neighbours


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
    few: bool = False  # too few clusters to tell
    from_seeds: float | None = None  # the share of the variance that is due to training seeds
    training: str = ""  # what must be said where a net was trained once
    nets: bool = False  # both are trained

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
    def undecided(self) -> bool:
        """No test decides: too few clusters, or two nets of which one's training chance is unknown."""
        return self.few or (self.nets and self.training == ONE_SEED)

    @property
    def clear(self) -> bool:
        """Significant: corrected p below 0.05 (then the interval leaves out zero)."""
        return not self.undecided and self.p_holm < ALPHA

    @property
    def verdict(self) -> str:
        if self.undecided:
            return "too few to tell" if self.few else self.training
        found = f"{self.better} is better" if self.clear else "not significant"
        return f"{found} ({self.training})" if self.training else found


def compared(
    metric: Metric, both: Together, place: tuple[int, int], *, group: Where, labels: Sequence[str], margin: float = 0.0
) -> Comparison:
    """The columns at a place, the test being whether the first is ahead by more than `margin`."""
    first, second = (both.columns[at] for at in place)
    a, b = labels[first.system], labels[second.system]
    found = stats.compare(first.measured, second.measured, both.shared, share=metric.percent, margin=margin)
    return Comparison(
        group=group,
        a=a,
        b=b,
        mean_a=first.value,
        mean_b=second.value,
        difference=found.difference,
        low=found.low,
        high=found.high,
        p=found.p,
        p_holm=found.p,
        n=len(both.rows),
        clusters=both.shared.clusters,
        detectable=found.detectable,
        better="" if first.value == second.value else a if metric.ahead(first.value, second.value) else b,
        few=found.few,
        from_seeds=found.from_seeds,
        training=found.training,
        nets=first.trained and second.trained,
    )
