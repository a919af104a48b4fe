"""Questions: the world is stated where the answer depends on it, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from proband.suites.kinship.telling.stories import ask, in_world, right_answer
from proband.suites.kinship.world.relations import STORY_WORLDS, UNDETERMINED
from proband.suites.kinship.world.rules import load, parse

SOUND = load("sound")


@pytest.mark.parametrize("kind", ["choice", "text", "yes-no"])
def test_no_world_is_stated_where_every_choice_is_a_relation(kind: str) -> None:
    question = ask(kind, x="Al", z="Bea", target="aunt", rules=SOUND, draw=lambda: 0.3)
    assert "Assume" not in question.text
    assert right_answer(question.text, x="Al", z="Bea", target="aunt", rules=SOUND, asked="aunt") is not None


@pytest.mark.parametrize("rules", ["sound", "wide", "blended"])
def test_the_world_is_stated_where_undetermined_or_a_set_is_a_choice(rules: str) -> None:
    base = load(rules)
    people: dict[str, Any] = {"x": "Al", "z": "Bea", "rules": base}
    open_one = ask("choice", target=UNDETERMINED, draw=lambda: 0.3, open=True, **people)
    sets = ask("sets", target="aunt", draw=lambda: 0.3, gender="female", **people)
    for question, target in ((open_one, UNDETERMINED), (sets, "aunt")):
        assert question.text.startswith(base.kin.statement)
        assert right_answer(question.text, target=target, stated=True, **people) == target
        bare = question.text.removeprefix(base.kin.statement + " ")
        assert right_answer(bare, target=target, stated=True, **people) is None  # it must say in which world
    other = next(load(name) for name in ("blended", "sound") if name != rules)
    assert right_answer(in_world(bare, other), target="aunt", stated=True, **people) is None


def test_statements_differ_where_axioms_do() -> None:
    classic, wide, blended = (world.statement for world in STORY_WORLDS)
    assert classic == wide  # the same families, other words
    assert "half-brothers" in blended
    assert "separated" not in classic
    assert all(text.count(".") == 1 for text in (classic, blended))


def test_a_rule_base_has_its_own_questions_or_plain_ones() -> None:
    """A lift does not lie anywhere, seen from an archive."""
    text = """name = "office"
[relations]
boss = { word = "superior", inverse = "report" }
report = { inverse = "boss" }
[compose.boss]
boss = "boss"
"""
    own = text.replace("[relations]", 'questions = ["Who is {z} for {x}?"]\n[relations]', 1)
    for rules, wording in (
        (parse(text, file="x"), "In which relation does B stand to A?"),
        (parse(own, file="x"), "Who is B for A?"),
        (load("grid"), "Where does B lie, seen from A?"),
    ):
        target = rules.choices[0]
        assert ask("text", x="A", z="B", target=target, rules=rules, draw=lambda: 0.0).text == wording
        assert right_answer(wording, x="A", z="B", target=target, rules=rules) == target
