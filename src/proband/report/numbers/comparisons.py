"""The comparisons of an item set: one family, one correction, for the report, for `compare` and for claims alike.

Two systems are compared on the items both answered, overall and in each column of the suite's first table with the
main metric. These questions about *one pair* are the family that Holm's correction counts, so that a p-value depends
on the two systems and the items alone, not on who else is in the report.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.suite import Where
from proband.report.numbers.cells import Study
from proband.report.numbers.grids import SPLIT, Key, keys_of
from proband.report.numbers.pairs import Comparison

MOST_PAIRS = 45  # ten systems


def scopes(study: Study, by: str = "") -> list[Where]:
    """Where two systems are compared: on all items that are scored, and in each column of the first table (or for each
    value of `by`)."""
    found: list[Where] = [{}]
    if by:
        values = study.arrays.tags[by].values if by in study.arrays.tags else ()
        return found + [{by: value} for value in sorted(values, key=str)] if len(values) > 1 else found
    for table in study.items.suite.tables:
        tags = (*table.rows, *table.columns)
        if table.metric != study.main.name or not table.columns or any(name.startswith("run.") for name in tags):
            continue
        columns = [key for key in keys_of(study, table, table.columns) if _scored(study, table.columns, key)]
        if not columns:
            continue
        if len(columns) > 1:
            found += [{**table.where, **dict(zip(table.columns, column))} for column in columns]
        break
    return found


def _scored(study: Study, names: Sequence[str], key: Key) -> bool:
    """Whether a column is one of items that are scored: a table may have a column for each split."""
    return all(name != SPLIT or value in study.splits for name, value in zip(names, key))


def comparisons(study: Study, metric: Metric | None = None, *, by: str = "", every: bool = False) -> list[Comparison]:
    """Every pair of systems in every scope, the better one first; Holm's correction over the scopes of each pair that
    a test can decide. Of many systems not all pairs are compared, unless `every` one is wanted."""
    metric = metric or study.main
    if len(study.systems) < 2:
        return []
    only = None if every else _worth_comparing(study, metric)
    families: dict[tuple[str, str], list[Comparison]] = {}
    found = [pair for scope in scopes(study, by) for pair in study.pairs(metric, scope, only=only)]
    for pair in found:
        if not pair.undecided:
            families.setdefault((pair.a, pair.b), []).append(pair)
    corrected = {pair: iter(stats.holm([each.p for each in family])) for pair, family in families.items()}
    found = [replace(pair, p_holm=1.0 if pair.undecided else next(corrected[pair.a, pair.b])) for pair in found]
    return [pair if pair.better in (pair.a, "") else pair.turned() for pair in found]


def _worth_comparing(study: Study, metric: Metric) -> set[tuple[int, int]] | None:
    """All pairs, if they are few; else each system with the best one and with its neighbour in rank."""
    count = len(study.systems)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        return None
    sign = -1 if metric.better == "high" else 1
    ranked = [
        at
        for _, at in sorted((sign * cell.estimate.mean, at) for at, cell in enumerate(study.cell(metric, {})) if cell)
    ]
    pairs = [*itertools.pairwise(ranked), *((ranked[0], at) for at in ranked[1:])]
    return {(min(pair), max(pair)) for pair in pairs}


def between(compared: Sequence[Comparison], a: str, b: str) -> list[Comparison]:
    """Those of two systems."""
    return [each for each in compared if {each.a, each.b} == {a, b}]
