"""The comparisons of an item set: one family, one correction, for the report, for `compare` and for claims alike.

Two systems are compared on the items both answered, overall and in each column of the suite's first table with the
main metric. These questions about *one pair* are the family that Holm's correction counts, so that a p-value depends
on the two systems and the items alone, not on who else is in the report.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from proband.core import stats
from proband.core.metrics import Metric
from proband.core.suite import Where
from proband.report.numbers.cells import Study
from proband.report.numbers.grids import keys_of
from proband.report.numbers.pairs import Pair

ALPHA = 0.05
MOST_PAIRS = 45  # ten systems


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """System a minus system b on the items of `group` that both answered; a is the better one, or the one named first
    by the user."""

    group: Where
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    n: int
    clusters: int
    detectable: float
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


def scopes(study: Study, by: str = "") -> list[Where]:
    """Where two systems are compared: on all items, and in each column of the first table (or each value of `by`)."""
    found: list[Where] = [{}]
    if by:
        values = study.arrays.tags[by].values if by in study.arrays.tags else ()
        return found + [{by: value} for value in sorted(values, key=str)] if len(values) > 1 else found
    for table in study.items.suite.tables:
        tags = (*table.rows, *table.columns)
        if table.metric != study.main.name or not table.columns or any(name.startswith("run.") for name in tags):
            continue
        columns = keys_of(study, table, table.columns)
        if not columns:
            continue
        if len(columns) > 1:
            found += [{**table.where, **dict(zip(table.columns, column))} for column in columns]
        break
    return found


def comparisons(study: Study, metric: Metric | None = None, *, by: str = "") -> list[Comparison]:
    """Every pair of systems in every scope; Holm's correction over the scopes of each pair."""
    metric = metric or study.main
    if len(study.systems) < 2:
        return []
    only = _worth_comparing(study, metric)
    pairs = [(scope, pair) for scope in scopes(study, by) for pair in study.pairs(metric, scope, only=only)]
    families: dict[tuple[int, int], list[int]] = {}
    for at, (_, pair) in enumerate(pairs):
        families.setdefault((pair.a, pair.b), []).append(at)
    corrected = [1.0] * len(pairs)
    for family in families.values():
        for at, p in zip(family, stats.holm([pairs[at][1].p for at in family])):
            corrected[at] = p
    return [_compared(study, metric, scope, pair, p) for (scope, pair), p in zip(pairs, corrected)]


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


def _compared(study: Study, metric: Metric, scope: Where, pair: Pair, p_holm: float) -> Comparison:
    """With the better system first."""
    a, b = pair.a, pair.b
    means, low, high = pair.means, pair.low, pair.high
    if metric.ahead(means[1], means[0]):
        a, b, means, low, high = b, a, means[::-1], -high, -low
    return Comparison(
        group=scope,
        a=study.labels[a],
        b=study.labels[b],
        mean_a=means[0],
        mean_b=means[1],
        difference=means[0] - means[1],
        low=low,
        high=high,
        p=pair.p,
        p_holm=p_holm,
        n=pair.n,
        clusters=pair.clusters,
        detectable=pair.detectable,
        better=study.labels[a] if means[0] != means[1] else "",
    )


def between(compared: Sequence[Comparison], a: str, b: str) -> list[Comparison]:
    """Those of two systems."""
    return [each for each in compared if {each.a, each.b} == {a, b}]
