"""Knowing and using, on answers whose dependence is known: an analogy is right where both of its facts are recalled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from proband.core.metrics import ACCURACY
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run
from proband.reporting.knowing import Used, knowing_and_using, shuffle
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
    assert row[:3] == ("analogy", "m", "likelihood")
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


# ---- like with like -------------------------------------------------------------------------------------------------


def pair(at: int) -> frozenset[str]:
    return frozenset({f"x{at}", f"y{at}"})


def test_a_difference_between_kinds_of_items_is_none_within_them() -> None:
    """Of an easy relation all facts are known and all items right but for chance; of a hard one neither."""
    rng = np.random.default_rng(0)
    cells = np.repeat([0, 1], 400)
    facts = {pair(at): bool(rng.random() < (0.8 if cells[at] == 0 else 0.2)) for at in range(800)}
    right = (rng.random(800) < np.where(cells == 0, 0.9, 0.3)).astype(float)
    used = Used(right=right, pairs=[[pair(at)] for at in range(800)], cells=cells)
    together = Used(right=right, pairs=used.pairs, cells=np.zeros(800, dtype=np.int64))
    assert together.gap(facts) > 0.25
    assert abs(used.gap(facts)) < 0.08
    low, high = np.quantile(used.bootstrap(facts, rng), (0.025, 0.975))
    assert low < 0 < high


def test_a_difference_that_knowing_makes_is_left_and_shuffling_takes_it_away() -> None:
    rng = np.random.default_rng(1)
    pairs = [[pair(at), pair((at + 1) % 300)] for at in range(300)]
    facts = {pair(at): bool(rng.random() < 0.5) for at in range(300)}
    right = np.array([float(all(facts[each] for each in own)) for own in pairs])
    used = Used(right=right, pairs=pairs, cells=np.zeros(300, dtype=np.int64))
    assert used.gap(facts) == 1.0
    kinds = dict.fromkeys(facts, ("one",))
    shuffled = [used.gap(shuffle(facts, kinds, rng)) for _ in range(50)]
    assert abs(float(np.mean(shuffled))) < 0.1


def test_shuffled_facts_are_as_many_in_each_relation() -> None:
    facts = {pair(at): at % 3 == 0 for at in range(60)}
    kinds = {pair(at): ("first" if at < 20 else "second",) for at in range(60)}
    shuffled = shuffle(facts, kinds, np.random.default_rng(0))
    assert shuffled != facts
    for kind in ("first", "second"):
        own = [each for each in facts if kinds[each] == (kind,)]
        assert sum(shuffled[each] for each in own) == sum(facts[each] for each in own)


def test_facts_that_the_prior_has_too_are_left_out_in_a_line_of_their_own() -> None:
    asked, by_prior = facts(), facts()
    answers = [Answer(item_id=f"f{at}", scores=(1.0, 0.0) if at < 4 else (0.0, 1.0)) for at in range(len(WORDS))]
    run = Run(suite="facts", solver="prior", model="m", seed=0, items_sha="")
    asked = replace(asked, answered=[*asked.answered, replace(by_prior.answered[0], run=run, answers=answers)])
    sheet = knowing_and_using([Study(asked), Study(analogies(use=True))])
    assert sheet is not None
    lines = {str(row[2]): row for row in sheet.rows}
    assert list(lines) == ["likelihood", "likelihood, without what the prior has", "prior, no subject"]
    assert str(lines["likelihood"][3]).endswith("n = 19")
    assert str(lines["likelihood, without what the prior has"][3]).endswith("n = 17")  # without those of 0 and 2


def test_an_inference_is_joined_by_the_type_of_its_answer() -> None:
    of = suite("inference")
    premise = {"premise": ["the land1", "lies in", "asia"], "hypothesis": ["the land1", "is in", "asia"]}
    item = Item(id="a", suite="inference", prompt="?", choices=("yes", "no"), gold=0)
    typed = msgspec.structs.replace(item, facts={**premise, "types": ["town1", ""]}, tags={"control": "none"})
    assert of.pairs is not None
    assert of.pairs(typed) == [("land1", "town1")]
    assert of.pairs(msgspec.structs.replace(typed, tags={"control": "random-premise"})) == []
    assert of.pairs(msgspec.structs.replace(typed, facts=premise)) == []
