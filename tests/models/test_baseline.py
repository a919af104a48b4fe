"""The two baselines: chance, and the most frequent answer."""

from __future__ import annotations

from typing import Literal

import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import accuracy_of as accuracy
from proband.core.protocols import AnswersItems, LearnsFromItems, Model
from proband.core.types import Item
from proband.models import load
from proband.models.baseline import LabelTally, Majority, Random

LABELS = ("aunt", "uncle", "father", "mother")


def kinship(id: str, target: str, *, turn: int = 0, split: Literal["train", "test"] = "test") -> Item:
    choices = LABELS[turn:] + LABELS[:turn]
    return Item(id=id, suite="kinship", prompt="?", choices=choices, gold=choices.index(target), split=split)


def test_protocols() -> None:
    for model in (Random(), Majority()):
        assert isinstance(model, Model)
        assert isinstance(model, AnswersItems)


def test_random_is_chance_and_ignores_order() -> None:
    items = [Item(id=f"i{n}", suite="s", prompt="?", choices=("a", "b", "c", "d"), gold=n % 4) for n in range(4000)]
    model = load("baseline:random")
    answers = model.answer(items)
    share = sum(accuracy(item, answer) or 0 for item, answer in zip(items, answers)) / len(items)
    assert share == pytest.approx(0.25, abs=0.025)  # more than three standard errors
    assert model.answer(items[::-1]) == answers[::-1]
    assert model.answer(items[7:8]) == answers[7:8]
    mean = sum(score for answer in answers for score in answer.scores) / (4 * len(answers))
    assert mean == pytest.approx(0.5, abs=0.01)


def test_random_has_a_seed() -> None:
    item = Item(id="a", suite="s", prompt="?", choices=("x", "y"))
    assert Random(seed=1).answer([item]) != Random(seed=2).answer([item])
    assert Random(seed=1).identity() != Random(seed=2).identity()


def test_majority_of_labels_wherever_they_stand() -> None:
    """The texts are shared and their positions turn, so the label counts and not the position."""
    items = [kinship(str(n), "uncle" if n % 3 else "aunt", turn=n % 4) for n in range(30)]
    answers = load("baseline:majority").answer(items)
    assert sum(accuracy(item, answer) or 0 for item, answer in zip(items, answers)) == 20


def test_majority_is_learnt_from_the_training_split() -> None:
    train = [kinship(f"t{n}", "mother", split="train") for n in range(3)]
    test = [kinship(f"x{n}", "father") for n in range(9)]
    assert isinstance(Majority(), LearnsFromItems)
    model = Majority().learn(iter([*train, *test]))
    answers = model.answer([*train, *test])
    assert model.answer(test) == answers[3:] == Majority().answer([*train, *test])[3:]
    assert all(max(zip(a.scores, LABELS))[1] == "mother" for a in answers)


def test_majority_of_positions_where_texts_are_their_own() -> None:
    items = [Item(id=str(n), suite="s", prompt="?", choices=(f"a{n}", f"b{n}"), gold=int(n > 2)) for n in range(10)]
    tally = LabelTally()
    for item in items:
        tally.add(item)
    assert not tally.shares_choices
    assert {answer.scores for answer in Majority().answer(items)} == {(0.3, 0.7)}


def test_items_without_gold_or_choices() -> None:
    items = [Item(id="a", suite="s", prompt="?"), Item(id="b", suite="s", prompt="?", choices=("x", "y"))]
    assert [answer.scores for answer in Majority().answer(items)] == [(), (0.0, 0.0)]


def test_unknown_name() -> None:
    with pytest.raises(ProbandError, match="there are random, majority"):
        load("baseline:median")
