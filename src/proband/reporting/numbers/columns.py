"""The numbers of systems as columns: the mean over a system's runs, the items that several have in common, and paired
tests of two systems on the same items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial, reduce

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.statistics.clusters import Floats, Ints, Neighbours
from proband.core.statistics.estimates import Measured, of_mean, of_set
from proband.core.statistics.resampling import draws_of
from proband.core.statistics.spread import ONE_SEED
from proband.core.suite import Where
from proband.reporting.numbers.item_sets import Values

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Column:
    """The numbers (or records) of a system for some rows, one part per run. With `strata` (a number from 0 per item),
    its value is the mean over them."""

    system: int
    parts: Sequence[Floats]
    metric: Metric
    strata: Ints | None = None
    trained: bool = False  # another training seed would have given other numbers
    shared: Neighbours | None = None  # how the items hang together, for metrics that jump

    @cached_property
    def mean(self) -> Floats:
        """Item by item, of a metric over items."""
        mean: Floats = self.parts[0] if len(self.parts) == 1 else np.mean(self.parts, axis=0)
        return mean

    @cached_property
    def values(self) -> list[float]:
        """Of each run."""
        return [_value(self.metric, part, self.strata) for part in self.parts]

    @property
    def value(self) -> float:
        return float(np.mean(self.values))

    @cached_property
    def measured(self) -> Measured:
        """With the influence of every item."""
        if self.metric.over == "item":
            results = [of_mean(part, self.strata) for part in self.parts]
        else:
            results = [of_set(self.metric.of, part, self.strata) for part in self.parts]
        draws = None
        if self.metric.jumps and self.shared is not None:
            draws = draws_of([partial(_value, self.metric, part, self.strata) for part in self.parts], self.shared)
        return Measured(
            np.array([value for value, _ in results]), np.stack([u for _, u in results]), self.trained, draws
        )


def _value(metric: Metric, numbers: Floats, strata: Ints | None, weights: Floats | None = None) -> float:
    if metric.over == "item":
        return float(numbers.mean()) if strata is None else macro_mean(numbers, strata)
    weights = np.ones(len(numbers)) if weights is None else weights
    if strata is None:
        return float(metric.of(numbers, weights))
    members = (np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1))
    return float(np.mean([metric.of(numbers[m], weights[m]) for m in members]))


def macro_mean(numbers: Floats, strata: Ints) -> float:
    return float((np.bincount(strata, weights=numbers) / np.bincount(strata)).mean())


def within(values: Values, mask: Mask) -> Values:
    chosen = mask[values.rows]
    return values if chosen.all() else Values(values.rows[chosen], values.numbers[chosen])


def same_items(columns: Sequence[tuple[Ints, Column]]) -> list[tuple[Ints, list[Column]]]:
    """Groups of systems that have numbers for exactly the same items."""
    groups: dict[bytes, tuple[Ints, list[Column]]] = {}
    for rows, column in columns:
        groups.setdefault(rows.tobytes(), (rows, []))[1].append(column)
    return list(groups.values())


def item_means(values: Values, count: int) -> Floats:
    """The mean of each item's numbers; NaN where there is none."""
    total = np.bincount(values.rows, weights=values.numbers, minlength=count)
    counted = np.bincount(values.rows, minlength=count)
    return np.where(counted > 0, total / np.maximum(counted, 1), np.nan)


def in_common(runs: Sequence[Values], metric: Metric) -> tuple[Ints, list[Floats]]:
    """Numbers for the items that all have, and only for those: as they are if each has as many for an item, otherwise
    the mean of each item (a record of a set metric is one already). What anyone has for other items makes no
    difference."""
    if not all(np.array_equal(runs[0].rows, each.rows) for each in runs[1:]):
        items = reduce(np.intersect1d, (each.rows for each in runs))
        chosen = [np.isin(each.rows, items) for each in runs]
        runs = [Values(each.rows[own], each.numbers[own]) for each, own in zip(runs, chosen)]
        if metric.over == "item" and not all(np.array_equal(runs[0].rows, each.rows) for each in runs[1:]):
            return items, [item_means(each, 0)[items] for each in runs]
    return runs[0].rows, [each.numbers for each in runs]


# ---- two columns -----------------------------------------------------------------------------------------------------


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
        result = f"{self.better} is better" if self.clear else "not significant"
        return f"{result} ({self.training})" if self.training else result


def compared(metric: Metric, both: Together, *, group: Where, labels: Sequence[str], margin: float = 0.0) -> Comparison:
    """Two columns, the test being whether the first is ahead by more than `margin`."""
    first, second = both.columns
    a, b = labels[first.system], labels[second.system]
    result = stats.compare(first.measured, second.measured, both.shared, share=metric.percent, margin=margin)
    return Comparison(
        group=group,
        a=a,
        b=b,
        mean_a=first.value,
        mean_b=second.value,
        p_holm=result.p,
        n=len(both.rows),
        clusters=both.shared.clusters,
        better="" if first.value == second.value else a if metric.ahead(first.value, second.value) else b,
        nets=first.trained and second.trained,
        **asdict(result),
    )
