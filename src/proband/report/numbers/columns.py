"""The numbers of systems as columns: the mean over a system's runs, the items that several have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from proband.core.bootstrap import Floats, Ints
from proband.core.metrics import Metric
from proband.report.numbers.arrays import Values

Mask = NDArray[np.bool_]
SetMetric = Callable[[Floats, Floats], float]  # of records and their weights


@dataclass(frozen=True)
class Column:
    """The numbers of a system for some rows: of each of its runs, and their mean (of a metric over items)."""

    system: int
    parts: tuple[Floats, ...]
    mean: Floats
    values: tuple[float, ...]  # of each run

    @property
    def value(self) -> float:
        return float(np.mean(self.values))


def column_of(system: int, parts: Sequence[Floats], metric: Metric) -> Column:
    if metric.over == "set":
        values = [metric.of(part, np.ones(len(part))) if len(part) else 0.0 for part in parts]
        return Column(system, tuple(parts), np.empty(0), tuple(values))
    mean = parts[0] if len(parts) == 1 else np.mean(parts, axis=0)
    return Column(system, tuple(parts), mean, tuple(float(p.mean()) if len(p) else 0.0 for p in parts))


def macro_of(of: SetMetric, strata: Ints) -> tuple[SetMetric, int]:
    """A metric over sets as the mean over the strata of its values, and how many strata there are. A stratum that a
    draw misses is left out."""
    members = [np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1)]

    def mean(records: Floats, weights: Floats) -> float:
        return float(np.mean([of(records[m], weights[m]) for m in members if weights[m].any()]))

    return mean, len(members)


def over_sets(of: SetMetric, column: Column) -> Column:
    """The column with the values of another metric over sets."""
    return replace(column, values=tuple(of(part, np.ones(len(part))) for part in column.parts))


def macro_column(column: Column, strata: Ints) -> Column:
    return Column(column.system, column.parts, column.mean, tuple(macro_mean(part, strata) for part in column.parts))


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


def per_item(values: Values, rows: Ints, metric: Metric) -> Values:
    """One number per item of `rows`: the mean of its numbers (a record of a set metric is one already)."""
    if metric.over == "set":
        return Values(rows, values.numbers[np.isin(values.rows, rows)])
    size = int(rows.max()) + 1 if len(rows) else 0
    inside = values.rows < size
    total = np.bincount(values.rows[inside], weights=values.numbers[inside], minlength=size)
    count = np.bincount(values.rows[inside], minlength=size)
    means: Floats = total[rows] / count[rows]
    return Values(rows, means)
