"""The prover by linear programs against the one by shortest paths."""

from __future__ import annotations

import random

import pytest
from tests.proof.conftest import drawn

from proband.english.domain import load
from proband.proof.differences import solve
from proband.proof.linear_program import possible


@pytest.mark.parametrize("count", [16, pytest.param(120, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ["grid", "temporal"])
def test_the_two_provers_agree(name: str, count: int) -> None:
    domain, rng = load(name), random.Random(5)
    for number in range(count):
        problem = drawn(domain, rng, 1 + number % 7)
        for world in domain.worlds:
            assert set(solve(domain, problem, world).possible) == possible(domain, problem, world), problem
