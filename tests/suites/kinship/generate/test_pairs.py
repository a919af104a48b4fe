"""Pairs: the same words, one story whose answer follows and one that leaves several; no word gives it away."""

from __future__ import annotations

from collections import defaultdict

import pytest

from proband.core.types import Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.logic.search import entailed, possible
from proband.suites.kinship.world.rules import of_item, question_of, story_of


@pytest.mark.parametrize(
    ("rules", "task"),
    [("blended", "clean"), *(pytest.param("sound", task, marks=pytest.mark.nightly) for task in ("all", "clean"))],
)
def test_the_two_of_a_pair_have_the_same_words_and_different_answers(rules: str, task: str) -> None:
    built = build(BuildOptions(rules=rules, task=task, k="3", per_k=20, open=0.5, certify="full"), seed=2)
    pairs: dict[str, list[Item]] = defaultdict(list)
    for item in built.items:
        pairs[item.facts["clusters"][1]].append(item)
    for follows, opened in pairs.values():
        assert (follows.tags["answer"], opened.tags["answer"]) == ("follows", "open")
        assert question_of(follows) == question_of(opened)
        kin = [sorted(word for _, word, _ in item.facts["edges"]) for item in (follows, opened)]
        assert kin[0] == kin[1]
        words = [story_of(item).split() for item in (follows, opened)]
        assert len(words[0]) == len(words[1])
        world = of_item(follows).kin
        for item in (follows, opened):
            story = item.facts["genders"], [tuple(e) for e in item.facts["edges"]], tuple(item.facts["query"])
            if item is follows:
                assert entailed(*story, item.facts["target"], world=world)
            else:
                assert len(possible(*story, world=world)) > 1
    assert built.summary()["kin_word_detector"]["auc"] <= 0.60


@pytest.mark.parametrize(("share", "low", "high"), [(0.3, 0.15, 0.45), (0.8, 0.65, 0.95)])
def test_shares_other_than_a_half(share: float, low: float, high: float) -> None:
    built = build(BuildOptions(k="3", per_k=40, open=share, certify="none", form="facts"), seed=2)
    opened = [item.tags["answer"] == "open" for item in built.items]
    assert low < sum(opened) / len(opened) < high
