"""Knowing and using, on answers whose dependence is known: an analogy is right where both of its facts are recalled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from proband.core.metrics import ACCURACY
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run
from proband.reporting.knowing import knowing_and_using
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.item_sets import AnsweredRun, ItemSet
from proband.suites import suite

WORDS = [(f"land{i}", f"town{i}") for i in range(40)]


def known(at: int) -> bool:
    return at % 2 == 0


def item_set(
    of: Suite, items: Sequence[Item], rights: Sequence[bool], model: str = "m", solver: str = "likelihood"
) -> ItemSet:
    answers = [Answer(item_id=i.id, scores=(1.0, 0.0) if right else (0.0, 1.0)) for i, right in zip(items, rights)]
    run = Run(suite=of.name, solver=solver, model=model, seed=0, items_sha="")
    return ItemSet(suite=of, items_from=items, answered=[AnsweredRun(run=run, answers=answers)])


def facts() -> ItemSet:
    of = replace(suite("facts"), metrics=(ACCURACY,), check=lambda item: None)
    items = [
        Item(
            id=f"f{i}",
            suite="facts",
            prompt="?",
            choices=(y, "no"),
            gold=0,
            facts={"subject": x, "object": y, "clusters": [x]},
        )
        for i, (x, y) in enumerate(WORDS)
    ]
    return item_set(of, items, [known(i) for i in range(len(items))])


def analogies(*, use: bool, model: str = "m") -> ItemSet:
    """Right where both facts are known; or, without use, right in half of the items whatever is known."""
    of = replace(suite("analogy"), check=lambda item: None)
    chosen = [(i, j) for i in range(40) for j in (i + 1, i + 2) if j < 40]
    items = [
        Item(
            id=f"a{i}-{j}",
            suite="analogy",
            prompt="?",
            choices=("yes", "no"),
            gold=0,
            facts={"query": WORDS[i][::-1], "options": [WORDS[j], ["x", "y"]], "clusters": [WORDS[i][0], WORDS[j][0]]},
        )
        for i, j in chosen
    ]
    rng = random.Random(1)
    rights = [known(i) and known(j) if use else rng.random() < 0.5 for i, j in chosen]
    return item_set(of, items, rights, model)


def test_items_are_split_by_how_many_of_their_facts_are_recalled() -> None:
    sheet = knowing_and_using([Study(facts()), Study(analogies(use=True))])
    assert sheet is not None
    [row] = sheet.rows
    assert row[:3] == ("analogy", "m · likelihood", "likelihood")
    assert str(row[3]).startswith("100.0")
    assert str(row[3]).endswith("n = 19")
    assert str(row[4]).startswith("0.0")
    assert str(row[4]).endswith("n = 39")
    assert str(row[5]).endswith("n = 19")
    assert str(row[6]).startswith("+100.0")


def test_where_knowing_makes_no_difference_none_is_found() -> None:
    sheet = knowing_and_using([Study(facts()), Study(analogies(use=False))])
    assert sheet is not None
    low, high = str(sheet.rows[0][6]).replace("−", "-").partition("[")[2].partition("]")[0].split(", ")
    assert float(low) < 0 < float(high)


@pytest.mark.parametrize("model", ["another"])
def test_a_model_that_was_asked_for_no_facts_has_no_line(model: str) -> None:
    assert knowing_and_using([Study(facts()), Study(analogies(use=True, model=model))]) is None
    assert knowing_and_using([Study(facts())]) is None


def test_a_handful_of_items_is_too_few_to_tell() -> None:
    few = [known(at) and at < 6 for at in range(len(WORDS))]
    asked = facts()
    answers = [Answer(item_id=f"f{at}", scores=(1.0, 0.0) if right else (0.0, 1.0)) for at, right in enumerate(few)]
    asked = replace(asked, answered=[replace(asked.answered[0], answers=answers)])
    sheet = knowing_and_using([Study(asked), Study(analogies(use=True))])
    assert sheet is not None
    assert sheet.rows[0][6] == "too few to tell"
