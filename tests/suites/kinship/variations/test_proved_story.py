"""An item taken apart and put together again."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from proband.core.types import Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.variations.proved_story import ProvedStory, exchanged, fresh_names, prove_story
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.families import NAMES, likeness


def built(**options: Any) -> list[Item]:
    given: dict[str, Any] = {"k": "3", "per_k": 8, "certify": "none", **options}
    return list(build(BuildOptions(**given), seed=0).items)


def apart(item: Item) -> ProvedStory:
    made = prove_story(item, {})
    assert not isinstance(made, str), made
    return made


@pytest.mark.parametrize("options", [{}, {"open": 0.5}, {"question": "yes-no"}, {"form": "graph"}, {"rules": "wide"}])
def test_the_parts_of_an_item_are_the_item(options: dict[str, Any]) -> None:
    for item in built(**options):
        again = apart(item).varied()
        for name in ("prompt", "choices", "gold", "tags", "split"):
            assert getattr(again, name) == getattr(item, name), name
        assert again.facts["seal"] == item.facts["seal"]


def test_a_story_with_other_names_is_another_text_that_verifies() -> None:
    for item in built():
        story = apart(item)
        names = fresh_names(story.genders, random.Random(1), avoided=story.names)
        other_of = dict(zip(story.names, names, strict=True))
        question = exchanged(item.prompt.splitlines()[-1], other_of)
        other = replace(story, names=names).varied(question=question)
        assert other.prompt == exchanged(item.prompt, other_of)
        assert other.facts["seal"] != item.facts["seal"]
        assert not verify(other, {}).problem


def test_another_target_is_asked_in_a_question_of_the_same_kind() -> None:
    for options in ({}, {"open": 0.5}, {"question": "yes-no"}):
        story = apart(next(item for item in built(**options) if item.facts["certificate"] == "entailed"))
        asked = story.with_question(random.Random(0), target=story.item.facts["target"])
        assert len(asked.choices) == len(story.item.choices)
        if story.item.choices != ("yes", "no"):
            assert asked.gold is not None
            assert asked.choices[asked.gold] == story.item.facts["target"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"edges": None}, "it has no facts"),
        ({"certificate": "ambiguous"}, "it carries no certificate"),
        ({"rules": "clutrr"}, "its world is not one of families whose rules are proved"),
    ],
)
def test_what_is_no_proved_story_says_why(change: dict[str, Any], reason: str) -> None:
    (item, *_) = built()
    facts = {name: value for name, value in {**item.facts, **change}.items() if value is not None}
    assert prove_story(msgspec.structs.replace(item, facts=facts), {}) == reason


def test_a_text_by_others_needs_a_label_that_follows() -> None:
    (item, *_) = built()
    row = {name: value for name, value in item.facts.items() if name not in ("seal", "telling")}
    made = apart(msgspec.structs.replace(item, facts=row))
    assert made.telling is None
    assert made.own["certificate"] == "entailed"
    wrong = msgspec.structs.replace(item, facts={**row, "target": "wife" if row["target"] != "wife" else "son"})
    assert prove_story(wrong, {}) == "its label does not follow from its facts"


def test_fresh_names_are_unlike_each_other_and_what_was_there() -> None:
    genders = ["male", "female"] * 4
    names = fresh_names(genders, random.Random(0), avoided=["Tom"], unlike=["Sara"])
    assert all(name in NAMES[gender] for name, gender in zip(names, genders, strict=True))
    keys = [likeness(name) for name in ("Sara", *names)]
    assert all(one.isdisjoint(other) for i, one in enumerate(keys) for other in keys[:i])
    assert len(fresh_names(["male"] * 400, random.Random(0))) < 400, "fewer if names run out"


def test_names_are_exchanged_as_whole_words_and_at_once() -> None:
    assert exchanged("Al met Alan's aunt Bo.", {"Al": "Bo", "Bo": "Al"}) == "Bo met Alan's aunt Al."
