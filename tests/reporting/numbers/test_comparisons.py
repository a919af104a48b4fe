from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence

import msgspec
import pytest

from proband.core.metrics import ACCURACY, Estimate, Metric
from proband.core.types import Item
from proband.reporting import ItemSet
from proband.reporting.findings import sentences
from proband.reporting.numbers.comparisons import Comparison, comparisons
from proband.reporting.numbers.score_tables import fill
from proband.reporting.numbers.study import Study
from proband.stats import holm


def between(compared: Sequence[Comparison], a: str, b: str) -> list[Comparison]:
    return [each for each in compared if {each.a, each.b} == {a, b}]


def test_comparisons_of_a_pair_are_corrected_together(make_set: Callable[..., ItemSet]) -> None:
    study = Study(make_set(640), seed=0)
    compared = comparisons(study)
    assert len(compared) == 6 * (1 + 4)
    for a in study.system_labels:
        for b in study.system_labels:
            family = between(compared, a, b)
            if family:  # all items first, the columns after them
                first, *columns = family
                assert first.p_holm == first.p
                assert first.p is not None
                tested = holm([c.p for c in columns if c.p is not None])
                assert [c.p_holm for c in columns] == [max(first.p, p) for p in tested]
    assert all(c.value >= 0 and c.low <= c.value <= c.high for c in compared)
    verdicts = {(c.a, c.b): c.verdict for c in compared if not c.group}
    assert verdicts["embedded:mlm", "baseline:random"] == "embedded:mlm is better"
    assert verdicts["embedded:mlm", "embedded:smollm2"] == "not significant"


def test_two_runs_have_one_p_value_whoever_else_is_there(make_set: Callable[..., ItemSet]) -> None:
    """Also where items have several clusters."""
    items = make_set(640)
    two = dataclasses.replace(items, answered=items.answered[:3:2])
    shared = [
        dataclasses.replace(each, items_from=[_in_two_clusters(item) for item in each.items()]) for each in (items, two)
    ]
    for large, small in ((items, two), shared):
        alone = comparisons(Study(small, seed=0))
        among = between(comparisons(Study(large, seed=0)), *small.labels)
        assert [(c.p, c.p_holm, c.a) for c in alone] == [(c.p, c.p_holm, c.a) for c in among]


def _in_two_clusters(item: Item) -> Item:
    facts = {"clusters": [*item.facts["clusters"], f"k{item.tags['k']}"]}
    return msgspec.structs.replace(item, facts=facts)


def test_the_better_one_is_named_first_also_where_low_is_better(make_set: Callable[..., ItemSet]) -> None:
    wrong = Metric(name="errors", of=lambda i, a: 1 - (ACCURACY.of(i, a) or 0), better="low")
    items = make_set(640, models=("baseline:random", "embedded:mlm"))
    items = dataclasses.replace(items, suite=dataclasses.replace(items.suite, metrics=(wrong,), tables=()))
    study = Study(items, seed=0)
    (only,) = comparisons(study)
    assert (only.a, only.b, only.better) == ("embedded:mlm", "baseline:random", "embedded:mlm")
    assert only.value < 0
    assert only.high < 0
    (said,) = sentences(study, None, [only])
    assert said.startswith("embedded:mlm has the lowest errors on test items, 39.4 %: ")
    assert " points " in said
    assert " below baseline:random" in said


def test_the_sentences_say_what_the_numbers_say(make_set: Callable[..., ItemSet]) -> None:
    items = make_set(640)
    study = Study(items, seed=0)
    table = fill(study, items.suite.tables[0])
    said = sentences(study, table, comparisons(study))
    cell = table.groups[-1][0][2 + table.columns.index(("random-tail",))]
    assert isinstance(cell, Estimate)
    above = next(each for each in said if "above chance" in each)
    assert above.startswith(
        f"embedded:mlm is furthest above chance on random-tail: by {100 * (cell.mean - 0.5):.1f} points"
    )
    assert any("not significant" in each for each in said)


def test_one_run_has_nobody_to_be_compared_with(make_set: Callable[..., ItemSet]) -> None:
    study = Study(make_set(64, models=("embedded:mlm",)), seed=0)
    assert comparisons(study) == []
    assert sentences(study, None, []) == []


def test_equal_runs_do_not_differ(make_set: Callable[..., ItemSet]) -> None:
    study = Study(make_set(64, models=("embedded:mlm", "embedded:mlm")), seed=0)
    same = comparisons(study)[0]
    assert (same.value, same.verdict) == (0.0, "not significant")
    assert same.p == pytest.approx(1.0)


def test_of_many_systems_the_best_and_the_neighbours_are_compared(make_set: Callable[..., ItemSet]) -> None:
    items = make_set(64, models=[f"m{i}" for i in range(12)])
    study = Study(items, seed=0)
    compared = comparisons(study)
    means = {label: cell.mean for label, cell in zip(study.system_labels, study.cell(ACCURACY, {})) if cell}
    ranked = sorted(means, key=lambda label: (-means[label], study.system_labels.index(label)))
    pairs = {frozenset((c.a, c.b)) for c in compared}
    assert pairs == {frozenset(p) for p in [*itertools.pairwise(ranked), *((ranked[0], x) for x in ranked[1:])]}
    two = dataclasses.replace(items, answered=[items.answered[study.system_labels.index(x)] for x in ranked[:2]])
    among = between(compared, *ranked[:2])
    assert [c.p_holm for c in comparisons(Study(two, seed=0))] == [c.p_holm for c in among]
