"""The prover by shortest paths against looking at every small world."""

from __future__ import annotations

import random
from itertools import product

import pytest
from tests.proof.conftest import drawn

from proband.core.types import Fact
from proband.english.domain import OTHER, Domain, load
from proband.proof.differences import Positions, bounds, solve

THINGS = ("A", "B", "C")


def holds(domain: Domain, positions: Positions, fact: Fact, world: str, *, as_answer: bool = False) -> bool:
    """Does a fact hold in a world one can look at? Straight from the conditions."""
    conditions = bounds(domain, fact.who, fact.relation, fact.of, world, as_answer=as_answer or fact.negated)
    true = all(positions[p[0]][p[1]] - positions[q[0]][q[1]] <= most for p, q, most in conditions)
    return true != fact.negated


@pytest.mark.parametrize("name", [pytest.param("grid", marks=pytest.mark.nightly), "temporal"])
def test_against_every_world_of_three_things(name: str) -> None:
    """Five values of a coordinate are enough for three things, so that every world can be looked at. Where a fact tells
    one axis alone (`half-plane`) several relations hold of a pair: all of them are answers."""
    domain, rng = load(name), random.Random(9)
    size = 5 if name == "grid" else 6
    one = [dict(zip(domain.raw["coordinates"], values)) for values in product(range(size), repeat=2)]
    if name == "temporal":
        one = [each for each in one if each["start"] < each["end"]]
    worlds = [dict(zip(THINGS, placed)) for placed in product(one, repeat=3)]
    for number in range(12):
        problem = drawn(domain, rng, 1 + number % 3, "ABC")
        for world in domain.worlds:
            fitting = [w for w in worlds if all(holds(domain, w, fact, world) for fact in problem.facts)]
            held = [_relations(domain, w, world) for w in fitting]
            solution = solve(domain, problem, world)
            assert set(solution.possible) == {each for own in held for each in own}, (problem, world)
            certain = set.intersection(*held) if held else set()
            assert set(solution.certain) == certain, (problem, world)


def _relations(domain: Domain, placed: dict[str, dict[str, int]], world: str) -> set[str]:
    """All relations of A to B in a world, or `none`."""
    own = {r for r in domain.inverse if holds(domain, placed, Fact("A", r, "B"), world, as_answer=True)}
    return own or {OTHER}


@pytest.mark.parametrize(("name", "world"), [("grid", "unit"), ("grid", "any-distance"), ("temporal", "intervals")])
def test_worlds_that_are_shown_fit_the_facts(name: str, world: str) -> None:
    domain, rng = load(name), random.Random(2)
    for _ in range(40):
        problem = drawn(domain, rng, 3)
        for answer, placed in solve(domain, problem, world, shown=True).worlds.items():
            assert all(holds(domain, placed, fact, world) for fact in problem.facts)
            assert all(each["start"] < each["end"] for each in placed.values() if "start" in each)
            if answer != OTHER:
                assert holds(domain, placed, Fact("A", answer, "B"), world, as_answer=True)
