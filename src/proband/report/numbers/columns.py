"""The numbers of systems as columns: the mean over a system's runs, the items that several have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import Metric
from proband.core.statistics.bootstrap import Floats, Ints
from proband.report.numbers.arrays import Values

Mask = NDArray[np.bool_]
SetMetric = Callable[[Floats, Floats], float]  # of records and their weights


@dataclass(frozen=True)
class Column:
    """The numbers (or records) of a system for some rows: one part per run, and `of` gives the value of a part."""

    system: int
    parts: Sequence[Floats]
    of: Callable[[Floats], float]

    @cached_property
    def mean(self) -> Floats:
        """Item by item, of a metric over items."""
        mean: Floats = self.parts[0] if len(self.parts) == 1 else np.mean(self.parts, axis=0)
        return mean

    @cached_property
    def values(self) -> list[float]:
        """Of each run."""
        return [self.of(part) for part in self.parts]

    @property
    def value(self) -> float:
        return float(np.mean(self.values))


def value_of(metric: Metric, strata: Ints | None = None) -> Callable[[Floats], float]:
    """From a run's numbers to the value of a metric: with `strata` (a number from 0 per item), the mean over them."""
    if metric.over == "set":
        of = metric.of if strata is None else macro_of(metric.of, strata)
        return lambda records: of(records, np.ones(len(records)))
    return lambda numbers: float(numbers.mean()) if strata is None else macro_mean(numbers, strata)


def macro_of(of: SetMetric, strata: Ints) -> SetMetric:
    """A metric over sets as the mean over the strata of its values. A stratum that a draw misses is left out."""
    members = [np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1)]

    def mean(records: Floats, weights: Floats) -> float:
        return float(np.mean([of(records[m], weights[m]) for m in members if weights[m].any()]))

    return mean


def macro_mean(numbers: Floats, strata: Ints) -> float:
    return float((np.bincount(strata, weights=numbers) / np.bincount(strata)).mean())


def within(values: Values, mask: Mask) -> Values:
    chosen = mask[values.rows]
    return values if chosen.all() else Values(values.rows[chosen], values.numbers[chosen])


def alike(found: Sequence[tuple[Ints, Column]]) -> list[tuple[Ints, list[Column]]]:
    """Groups of systems that have numbers for exactly the same items."""
    groups: list[tuple[Ints, list[Column]]] = []
    for rows, column in found:
        for known, columns in groups:
            if np.array_equal(known, rows):
                columns.append(column)
                break
        else:
            groups.append((rows, [column]))
    return groups


def item_means(values: Values, count: int) -> Floats:
    """The mean of each item's numbers; NaN where there is none."""
    total = np.bincount(values.rows, weights=values.numbers, minlength=count)
    counted = np.bincount(values.rows, minlength=count)
    return np.where(counted > 0, total / np.maximum(counted, 1), np.nan)


def per_item(values: Values, rows: Ints, metric: Metric) -> Floats:
    """One number per item of `rows`: the mean of its numbers (a record of a set metric is one already)."""
    if metric.over == "set":
        records: Floats = values.numbers[np.isin(values.rows, rows)]
        return records
    means: Floats = item_means(values, 0)[rows]
    return means
