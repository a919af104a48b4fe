"""Two names that may mean one person."""

from __future__ import annotations

import pytest

from proband.core.types import Fact
from proband.proof.problem import Problem
from proband.suites.kinship.audit.one_person import one_person, own_ancestor

KIN = frozenset({"brother", "mother"})


def pairs(problem: Problem, *, unlinked: bool = False) -> set[frozenset[str]]:
    return {frozenset((one, other)) for one, other, _ in one_person(problem, KIN, unlinked=unlinked)}


def test_a_person_without_a_name_may_be_any_who_is_no_relative_of_theirs() -> None:
    facts = (Fact("Cy", "child", "Ann's brother"), Fact("Bo", "sibling", "Ann"), Fact("Di", "parent", "Ann"))
    found = pairs(Problem(facts, ("Bo", "Cy")))
    assert found == {frozenset(("Ann's brother", name)) for name in ("Bo", "Ann", "Di")}  # not the own child


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Dr Hill", "Ann Hill", True),
        ("Ann", "Ann Hill", True),
        ("Dr Hill", "Mrs Hill", False),  # two titles are two people
        ("Ann Hill", "Bo Hill", False),
    ],
)
def test_a_part_of_a_name_may_be_the_whole(one: str, other: str, alike: bool) -> None:
    problem = Problem((Fact(one, "parent", "Cy"), Fact(other, "sibling", "Di")), ("Cy", "Di"))
    assert (frozenset((one, other)) in pairs(problem)) is alike


def test_people_of_two_genders_or_asked_about_are_two() -> None:
    facts = (Fact("Liz", "parent", "Cy"), Fact("Al", "sibling", "Di"))
    problem = Problem(facts, ("Cy", "Di"), (("Al", "male"), ("Liz", "female")))
    found = pairs(problem, unlinked=True)
    assert frozenset(("Liz", "Al")) not in found
    assert frozenset(("Cy", "Di")) not in found
    assert frozenset(("Liz", "Di")) in found
    ((merged,),) = [[p for a, b, p in one_person(problem, KIN, unlinked=True) if {a, b} == {"Liz", "Di"}]]
    assert merged.facts == (Fact("Liz", "parent", "Cy"), Fact("Al", "sibling", "Liz"))
    assert dict(merged.genders) == {"Al": "male", "Liz": "female"}


@pytest.mark.parametrize(
    ("facts", "own"),
    [
        ([("Ann", "parent", "Bo"), ("Bo", "parent", "Cy"), ("Cy", "grandparent", "Ann")], True),
        ([("Ann", "parent", "Bo"), ("Bo", "child", "Ann")], False),
        ([("Ann", "parent", "Bo"), ("Ann", "spouse", "Bo")], False),  # odd, and no ancestor
    ],
)
def test_own_ancestors(facts: list[tuple[str, str, str]], own: bool) -> None:
    problem = Problem(tuple(Fact(*each) for each in facts), ("Ann", "Bo"))
    assert own_ancestor(problem) is own
    denied = Problem(tuple(fact._replace(negated=True) for fact in problem.facts), problem.question)
    assert not own_ancestor(denied)
