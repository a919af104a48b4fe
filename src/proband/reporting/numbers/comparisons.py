"""Tests between systems: the comparisons of an item set, and the contrasts that claims are made of.

Two systems are compared on the items both answered, overall and in each column of the suite's first table with the
main metric. These questions about *one pair* are the family that Holm's correction counts, so that a p-value depends
on the two systems and the items alone, not on who else is in the report. A contrast has two selections, and the test
that suits them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.suite import Contrast, Where
from proband.core.types import Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Comparison, Study
from proband.reporting.numbers.score_tables import SPLIT, keys_of
from proband.stats import ONE_SEED, Difference, Mean, Scores, contrast, holm

MOST_PAIRS = 45  # ten systems


def scopes(study: Study, by: str = "") -> list[Where]:
    """Where two systems are compared: on all items that are scored, and in each column of the first table (or for each
    value of `by`)."""
    everything: Where = {}
    if by:
        values = sorted(study.arrays.tags[by].values, key=str) if by in study.arrays.tags else []
        return [everything, *({by: value} for value in values)] if len(values) > 1 else [everything]
    for table in study.items.suite.tables:
        tags = (*table.rows, *table.columns)
        if table.metric != study.main.name or not table.columns or any(name.startswith("run.") for name in tags):
            continue
        columns = [dict(zip(table.columns, key)) for key in keys_of(study, table, table.columns)]
        scored = [column for column in columns if column.get(SPLIT) in (None, *study.splits)]  # it may be by split
        if scored:
            parts = [{**table.where, **column} for column in scored]
            return [everything, *parts] if len(parts) > 1 else [everything]
    return [everything]


def comparisons(study: Study, metric: Metric | None = None, *, by: str = "", every: bool = False) -> list[Comparison]:
    """Every pair of systems in every scope, the better one first. All items come first, at their own p-value; the
    columns after them, corrected (Holm) among those of the pair that a test can decide, and none more significant than
    all items together. Of many systems not all pairs are compared, unless `every` one is wanted."""
    metric = metric or study.main
    if len(study.systems) < 2:
        return []
    only = None if every else _worth_comparing(study, metric)
    pairs = [pair for scope in scopes(study, by) for pair in study.pairs(metric, scope, only=only)]
    return [pair if pair.better in (pair.a, "") else pair.turned() for pair in corrected(pairs)]


def corrected(pairs: Sequence[Comparison], *, together: bool = False) -> list[Comparison]:
    """The pairs with corrected p-values: a gate (all items, then columns) for each pair of systems; `together`: for all
    pairs as one family, all items of every pair first."""

    def systems(pair: Comparison) -> frozenset[str]:
        return frozenset((pair.a, pair.b))

    out = list(pairs)
    for key in dict.fromkeys(frozenset() if together else systems(pair) for pair in pairs):
        own = [at for at, pair in enumerate(pairs) if pair.p is not None and (together or systems(pair) == key)]
        first: dict[frozenset[str], float] = {}  # over all items
        for part in ([at for at in own if not pairs[at].group], [at for at in own if pairs[at].group]):
            for at, p in zip(part, holm([pairs[at].p or 0.0 for at in part])):
                if not pairs[at].group:
                    first[systems(pairs[at])] = p
                out[at] = replace(pairs[at], p_holm=max(p, first.get(systems(pairs[at]), 0.0)), tests=len(part))
    return out


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


# ---- one contrast of a claim -----------------------------------------------------------------------------------------


Side = tuple[int, Where]  # a system and what is selected of it
Tested = tuple[float, float, float | None, str, float | None] | None  # both values, p, what was counted, detectable


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One contrast: `ahead` is how far `above` is ahead of `below`, the margin taken off; `below_chance` where both
    sides are less often right than a guess: their difference is then one between two misleading answers."""

    ahead: float
    difference: float
    p: float | None
    evidence: str
    metric: Metric
    detectable: float | None = None
    below_chance: bool = False
    below_shortcut: bool = False  # both sides: what they differ in can be had without the skill that is asked for


def contrasted(study: Study, contrast: Contrast, a: int, b: int, group: Where) -> Compared | None:
    """`above` of system a against `below` of system b, within the group; None where there is no data."""
    metric = study.items.suite.metric(contrast.metric)
    one: Side = (a, {**group, **contrast.where, **contrast.above})
    other: Side = (b, {**group, **contrast.where, **contrast.below})
    margin = contrast.margin if metric.better == "high" else -contrast.margin  # what the first side is moved by
    if contrast.pair == "item":
        result = _by_item(study, metric, one, other, margin)
    elif contrast.pair:
        result = _by_value(study, metric, one, other, margin, tag=contrast.pair)
    elif contrast.unit:
        result = _by_group(study, metric, one, other, margin, tag=contrast.unit)
    else:
        result = _by_cluster(study, metric, one, other, margin)
    if result is None:
        return None
    first, second, p, counted, seen = result
    sides = f"{formatting.value(first, metric)} against {formatting.value(second, metric)}"
    margin_text = f", margin {formatting.distance(contrast.margin, metric)}" if contrast.margin else ""
    what = f"{_side(contrast.above)} minus {_side(contrast.below)}"

    def both_below(level: Callable[[Metric, Scores], float | None]) -> bool:
        levels = [level(metric, study.scores_of(at, metric, study.mask(where))) for at, where in (one, other)]
        return all(own is not None and value < own for value, own in zip((first, second), levels))

    return Compared(
        ahead=(first - second if metric.better == "high" else second - first) - contrast.margin,
        difference=first - second,
        p=p,
        evidence=f"{what}, {formatting.metric(metric)} {sides}, {counted}{margin_text}",
        metric=metric,
        detectable=seen,
        below_chance=both_below(study.chance),
        below_shortcut=both_below(study.shortcut),
    )


def _side(where: Where) -> str:
    return formatting.group(where) if where else "all"


def _by_item(study: Study, metric: Metric, one: Side, other: Side, margin: float) -> Tested:
    """Two systems on the same items: the paired test of the report's comparisons."""
    where = {name: value for name, value in one[1].items() if not name.startswith("run.")}
    if where != {name: value for name, value in other[1].items() if not name.startswith("run.")}:
        raise ProbandError(f"a contrast by item selects different items: {_side(one[1])} and {_side(other[1])}")
    pair = study.pair(metric, where, one[0], other[0], margin=margin)
    if pair is None:
        return None
    counted = f"{formatting.count(pair.n, 'item')} in {formatting.count(pair.clusters, 'cluster')}"
    return pair.mean_a, pair.mean_b, *_decided(pair, counted, undecided=pair.undecided)


def _values(study: Study, metric: Metric, side: Side, tag: str) -> dict[Tag, list[float]]:
    """The metric of a system within each value of a tag, in each of its runs."""
    system, where = side
    if tag not in study.arrays.tags:
        return {}
    codes, names = study.arrays.tags[tag].codes, study.arrays.tags[tag].values
    inside = study.mask(where)
    parts = ((name, study.scores_of(system, metric, inside & (codes == code))) for code, name in enumerate(names))
    return {name: part.values.tolist() for name, part in parts if len(part)}


def _by_value(study: Study, metric: Metric, one: Side, other: Side, margin: float, *, tag: str) -> Tested:
    """Value by value of a tag: the t-test of the differences."""
    first, second = (_values(study, metric, side, tag) for side in (one, other))
    both = [value for value in first if value in second]
    if len(both) < 2:
        return None
    a, b = (
        Scores.of(
            np.array([values[v] for v in both]).T, estimator=Mean(), trained=bool(study.systems[at].tags["run.net"])
        )
        for values, (at, _) in zip((first, second), (one, other))
    )
    same_runs = one[0] == other[0]
    result = contrast([a, b], [1, -1], margin=margin, same_runs=same_runs)
    counted = formatting.count(len(both), formatting.name(tag))
    return a.value, b.value, *_decided(result, counted, undecided=_undecided(one, other, result))


def _undecided(one: Side, other: Side, result: Difference) -> bool:
    """Too few clusters, or two systems of which one's training chance is unknown."""
    return result.few or (one[0] != other[0] and result.note == ONE_SEED)


def _by_group(study: Study, metric: Metric, one: Side, other: Side, margin: float, *, tag: str) -> Tested:
    """Two separate groups of values of a tag: a permutation test of their means."""
    from scipy.stats import permutation_test

    a, b = (np.array([np.mean(v) for v in _values(study, metric, side, tag).values()]) for side in (one, other))
    if len(a) < 2 or len(b) < 2:
        return None
    test = permutation_test(
        (a - margin, b),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=4999,
        rng=np.random.default_rng(study.seed),
    )
    counted = f"{len(a)} and {formatting.count(len(b), formatting.name(tag))}"
    return float(a.mean()), float(b.mean()), float(test.pvalue), counted, None


def _by_cluster(study: Study, metric: Metric, one: Side, other: Side, margin: float) -> Tested:
    """Two selections of items, which may share clusters: each item's influence on the difference of the two means."""
    if metric.over == "set":
        raise ProbandError(f"a contrast of {metric.name!r}, a metric over sets, needs 'pair' or 'unit'")
    a, b = (study.scores_of(at, metric, study.mask(where)) for at, where in (one, other))
    if not len(a) or not len(b):
        return None
    result = a.minus_selection(b, margin=margin, same_runs=one[0] == other[0])
    counted = f"{len(a):,} and {formatting.count(len(b), 'item')} in {formatting.count(result.clusters, 'cluster')}"
    return a.value, b.value, *_decided(result, counted, undecided=_undecided(one, other, result))


def _decided(result: Difference, counted: str, *, undecided: bool) -> tuple[float | None, str, float | None]:
    """The p-value, what was counted and what is detectable; nothing is decided where there are too few clusters, or a
    net was trained once and nothing tells what another seed would give."""
    note = "too few to tell" if result.few else result.note
    counted = f"{counted}: {note}" if note else counted
    return (None, counted, None) if undecided else (result.p, counted, result.detectable)
