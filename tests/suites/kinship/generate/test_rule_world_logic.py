"""Chains in a world of rules alone."""

from __future__ import annotations

import random

import pytest
from tests.suites.kinship.generate.conftest import SOUND

from proband.suites.kinship.generate.rule_world_logic import symbolic
from proband.suites.kinship.world.rules import load, rule_bodies


@pytest.mark.parametrize("k", [2, 4, 9])
def test_chains_in_a_world_of_rules_alone(k: int) -> None:
    """Places are given coordinates that fit the path; the ends must then lie as the target says."""
    grid = load("grid")
    step = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    rng = random.Random(k)
    for target in range(8):
        for _ in range(20):
            found = symbolic(grid, target, k, rng.random)
            assert found is not None
            relations, steps = found
            assert len(relations) == k
            assert len(steps) == k - 1
            for _ in range(5):  # any lengths of the steps will do
                x = y = 0
                for r in relations:
                    dx, dy = rng.randint(1, 9), rng.randint(1, 9)
                    x, y = x + step[r][0] * dx, y + step[r][1] * dy
                assert step[target] == ((x > 0) - (x < 0), (y > 0) - (y < 0))


def test_rule_bodies_have_one_head() -> None:
    bodies = rule_bodies(SOUND)
    assert len(bodies) == 11
    assert sum(map(len, bodies)) == 30
    assert (0, 2) in bodies[6]  # a parent's sibling is a pibling
