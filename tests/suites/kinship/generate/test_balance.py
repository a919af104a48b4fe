"""Balanced against shortcuts: what shares ends, genders and generations has different answers, equally often."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship.generate.balance import answers_by_ends
from proband.suites.kinship.generate.build import Rounds, build
from proband.suites.kinship.generate.hold_outs import _short
from proband.suites.kinship.generate.options import BuildOptions, make_plan
from proband.suites.kinship.logic.search import entailed
from proband.suites.kinship.shortcuts import Clues
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.rules import load

BALANCED = BuildOptions(balance="shortcuts", k="4,5", per_k=20, certify="none")


def _round(options: BuildOptions, place: int = 0) -> list[tuple[Item, int]]:
    plan = make_plan(options, seed=5)
    return [(item, note.balanced_set_size) for item, note in Rounds(plan).stories(plan.cells[place], 0)]


@pytest.mark.parametrize(
    ("k", "rules", "fewest"), [("4", "sound", 10), ("7", "sound", 10), ("4", "wide", 10), ("4", "blended", 4)]
)
def test_the_best_answer_by_ends_genders_and_generations_is_right_once_in_a_set(
    k: str, rules: str, fewest: int
) -> None:
    stories = _round(replace(BALANCED, k=k, rules=rules))
    answers: dict[object, Counter[str]] = defaultdict(Counter)
    for item, _ in stories:
        clues = Clues(item, needed_by="a test")
        answers[clues.path, clues.genders][item.facts["target"]] += 1
    best = sum(max(counts.values()) for counts in answers.values())  # knowing the stories themselves
    assert best <= round(sum(1 / size for _, size in stories)) <= len(stories) / 2
    assert len({item.facts["target"] for item, _ in stories}) >= fewest


def test_another_solver_agrees_with_every_label() -> None:
    for item, _ in _round(replace(BALANCED, k="4", task="irrelevant")):
        facts = item.facts
        told = facts["genders"], [tuple(edge) for edge in facts["edges"]], tuple(facts["query"])
        assert entailed(*told, facts["target"])
        assert not verify(item).problem


def test_two_facts_determine_the_answer_and_up_to_five_no_three_share_their_ends() -> None:
    rules = load("sound")
    assert set(answers_by_ends(rules, [(a, b) for a in range(11) for b in range(11)])) == {1}
    for k, known in enumerate(_short(rules)[:2], start=3):
        assert set(answers_by_ends(rules, {clause for some in known for clause in some})) == {1, 2}, k


def test_a_build_says_what_a_shortcut_can_have_and_does_not_depend_on_processes(tmp_path: Path) -> None:
    one, two = (build(replace(BALANCED, workers=n), seed=3) for n in (1, 2))
    assert [item.prompt for item in one.items] == [item.prompt for item in two.items]
    assert one.summary()["shortcuts_at_most"].keys() == {"clean k=4", "clean k=5"}
    assert one.summary()["shortcuts_at_most"]["clean k=4"] == 0.5
    with pytest.raises(ProbandError, match="two facts determine"):
        list(build(replace(BALANCED, k="2,3"), seed=0).items)
