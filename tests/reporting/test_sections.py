"""What a report says of one item set: which systems it counts, names and compares."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.reporting.conftest import run_of, set_of

from proband.core.metrics import ACCURACY
from proband.core.types import Answer
from proband.reporting import AnsweredRun, ItemSet
from proband.reporting.numbers.formatting import counts_of
from proband.reporting.page.page import pages, write_browser
from proband.reporting.sections import ReportOptions, Section, scores_of, section_of, studies_of


def section(items: ItemSet, **options: Any) -> Section:
    what = ReportOptions(**options)
    (study,) = studies_of([items], what, lambda: None)
    return section_of(study, what, lambda: None)


def with_runs(items: ItemSet, **labels: str) -> ItemSet:
    """The runs of these models, by `model=label`, with `_` for the colon."""
    runs = {run.run.model: run for run in items.answered}
    named = [
        dataclasses.replace(runs[model], run=msgspec.structs.replace(runs[model].run, label=label))
        for model, label in ((each.replace("_", ":", 1), label) for each, label in labels.items())
    ]
    return dataclasses.replace(items, answered=named)


def test_a_baseline_is_one_whatever_its_label() -> None:
    made = section(with_runs(set_of(), embedded_mlm="ours", baseline_random="constant guess"))
    assert counts_of(made.study.systems) == {"models": 1, "baselines": 1}
    assert made.findings[0].startswith("ours has the highest accuracy")
    assert not any(each.startswith("constant guess is furthest") for each in made.findings)
    two = section(with_runs(set_of(), baseline_random="constant guess"))
    assert not any("constant guess" in each for each in two.findings)


def test_models_that_answered_other_items_are_compared_where_both_did() -> None:
    items = set_of(80, models=("embedded:mlm", "embedded:glove"))
    first = [Answer(item_id=item.id, scores=(float(not item.gold), float(item.gold or 0))) for item in items.items()]
    items.answered = [
        AnsweredRun(run=run_of("embedded:mlm"), answers=first),
        AnsweredRun(run=msgspec.structs.replace(run_of("embedded:glove"), settings={"asked": 40}), answers=first[:40]),
    ]
    made = section(dataclasses.replace(items))
    assert made.findings[-1] == (
        "embedded:mlm and embedded:glove have the same accuracy on the 40 items that both answered, 100.0 %. "
        "Of all that each answered, embedded:mlm has 100.0 % on 80 items and embedded:glove has 100.0 % on 40 items."
    )
    page = pages([made], [write_browser(made.study, lambda name, text: None)], title="t")["analogy.html"]
    assert "80 items (40 to 80 per model)" in page
    assert "n = 40" in page


def test_a_score_is_compared_with_a_shortcut_on_the_same_items() -> None:
    """Right where the shortcut is, and on a few items more: the interval of its score includes the shortcut."""
    items = set_of(400, models=("embedded:mlm", "baseline:near"))
    rng = np.random.default_rng(0)
    easy, more = rng.random(400) < 0.7, rng.random(400) < 0.1
    gold = [int(item.gold or 0) for item in items.items()]

    def answers(right: Any) -> list[Answer]:
        return [
            Answer(item_id=item.id, scores=(float((g == 0) == bool(r)), float((g == 0) != bool(r))))
            for item, g, r in zip(items.items(), gold, right)
        ]

    items.answered = [
        AnsweredRun(run=run_of("embedded:mlm"), answers=answers(easy | more)),
        AnsweredRun(run=run_of("baseline:near"), answers=answers(easy)),
    ]
    suite = dataclasses.replace(items.suite, metrics=(ACCURACY,), baselines={"near": lambda: None})
    (cell, near) = section(dataclasses.replace(items, suite=suite), shortcuts=False).study.cell(ACCURACY, {})
    assert cell is not None
    assert near is not None
    assert cell.low < near.mean < cell.mean
    assert cell.apart is not None
    assert cell.apart[0] > 0
    assert cell.against_level == "above"


def test_repeats_are_of_one_configuration_under_several_seeds() -> None:
    items = set_of(80, models=("embedded:mlm",))
    (given,) = items.answered

    def sheets(*changes: dict[str, Any]) -> list[str]:
        runs = [dataclasses.replace(given, run=msgspec.structs.replace(given.run, **each)) for each in changes]
        return [each.title for each in section(dataclasses.replace(items, answered=runs)).tables]

    other = {"kind": "embedded", "weights": "feedface" * 8, "dtype": "float16"}
    assert "Asked several times" in sheets({"seed": 0}, {"seed": 1})
    assert "Asked several times" not in sheets({"seed": 0}, {"seed": 1, "identity": other})
    assert "Asked several times" not in sheets({"seed": 0}, {"seed": 0, "identity": other})
    runs = [dataclasses.replace(given, run=msgspec.structs.replace(given.run, identity=each)) for each in
            (dict(other, dtype="float32"), other)]  # fmt: skip
    labels = section(dataclasses.replace(items, answered=runs)).study.system_labels
    assert set(labels) == {"embedded:mlm · dtype=float32", "embedded:mlm · dtype=float16"}


def test_rows_of_scores_name_the_solver() -> None:
    (row,) = scores_of(section(with_runs(set_of(), embedded_mlm="ours")))
    assert (row["model"], row["solver"]) == ("ours", "")


@pytest.mark.parametrize("count", [4, 320])
def test_a_difference_without_an_interval_is_not_drawn(count: int) -> None:
    made = section(set_of(count, models=("embedded:mlm", "embedded:glove")))
    page = pages([made], [write_browser(made.study, lambda name, text: None)], title="t")["analogy.html"]
    (first, *_) = re.findall(r'<td class="over">.*?</tr>', page, re.DOTALL)
    assert ("interval of the difference" in first) == (count == 320)
    assert ('<span class="ci">–</span>' in first) == (count == 4)
