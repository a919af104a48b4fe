"""Two ways between the people asked about: either proves the answer, or only both do."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import msgspec
import pytest

from proband.core.errors import ProbandError
from proband.core.files import decode, encode
from proband.core.types import Item
from proband.suites.kinship.generate.build import Rounds
from proband.suites.kinship.generate.hold_outs import clauses_of
from proband.suites.kinship.generate.options import BuildOptions, make_plan
from proband.suites.kinship.logic.search import entailed
from proband.suites.kinship.verify.items import verify


def _stories(task: str, k: int, count: int) -> list[Item]:
    plan = make_plan(BuildOptions(task=task, k=k, certify="none"), seed=2)
    stories = islice(Rounds(plan).stories(plan.cells[0], 0), count)
    return [decode(Item, encode(item), file="a test") for item in stories]


@pytest.mark.parametrize(("task", "proving"), [("either", 2), ("both", 0)])
def test_the_complete_search_agrees_on_each_way_and_on_both(task: str, proving: int) -> None:
    for item in _stories(task, 3, 8):
        facts = item.facts
        edges, second = [tuple(edge) for edge in facts["edges"]], [tuple(edge) for edge, _ in facts["noise"]]
        ways = second, [edge for edge in edges if edge not in second]
        people, query, target = facts["genders"], tuple(facts["query"]), facts["target"]
        assert sum(entailed(people, way, query, target) for way in ways) == proving == item.tags["ways"]
        assert entailed(people, edges, query, target)
        assert not verify(item).problem


def test_a_wrong_answer_and_a_wrong_count_are_refused() -> None:
    item = next(item for item in _stories("both", 2, 20) if item.facts["target"] != "uncle")
    wrong = {**item.facts, "target": "uncle"}
    changed_tags = {**item.tags, "target": "uncle"}
    gold = item.choices.index("uncle")
    assert verify(msgspec.structs.replace(item, facts=wrong, tags=changed_tags, gold=gold)).problem
    assert "ways" in (verify(msgspec.structs.replace(item, tags={**item.tags, "ways": 2})).problem or "")
    with pytest.raises(ProbandError, match="one chain whose answer"):
        make_plan(BuildOptions(task="either", open=0.2), seed=0)


def test_both_of_two_ways_are_held_out() -> None:
    """Clauses of the test are not in training, whichever of the two ways has them; without `second_held` they are."""
    plan = make_plan(BuildOptions(task="either", k=3, hold_out="clauses", certify="none"), seed=0)
    shared = []
    for second_held in (True, False):
        rounds = Rounds(replace(plan, second_held=second_held))
        train, test = (
            {clause for item in rounds.stories(cell, 0) for clause in clauses_of(item) if clause.count(".") > 1}
            for cell in plan.cells
        )
        shared.append(train & test)
    assert shared[0] == set()
    assert shared[1]
