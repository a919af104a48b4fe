"""What a prover says follows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proband.core.types import Fact
from proband.english.domain import Word
from proband.proof.problem import Problem, Prover, Solution

PROBLEM = Problem((Fact("a", "left", "b"),), ("a", "b"))


def prover(solution: Solution) -> Prover:
    nothing: Any = None
    return Prover(solve=lambda problem, world: solution, check=nothing, complete=True, draw=nothing, describe=nothing)


@pytest.mark.parametrize(
    ("solution", "follows"),
    [
        (Solution(possible=("left",), certain=("left",)), True),
        (Solution(possible=("left", "none"), certain=("left",)), False),  # other answers are possible too
        (Solution(possible=("left",), certain=()), False),
        (Solution(possible=("above",), certain=("above",)), False),
        (Solution(), False),  # from facts without a world nothing follows
    ],
)
def test_an_answer_follows_if_it_is_the_only_possible_one(solution: Solution, follows: bool) -> None:
    assert prover(solution).follows(PROBLEM, "left", "plain") is follows


def test_a_prover_may_have_a_faster_way() -> None:
    asked: list[tuple[Problem, str, str]] = []

    def entails(problem: Problem, answer: str, world: str) -> bool:
        asked.append((problem, answer, world))
        return True

    fast = replace(prover(Solution()), entails=entails)
    assert fast.follows(PROBLEM, "left", "plain")
    assert asked == [(PROBLEM, "left", "plain")]


def test_two_solutions_are_one_if_their_answers_are() -> None:
    """A world that shows an answer is no part of it."""
    assert Solution(possible=("left",), worlds={"left": 1}) == Solution(possible=("left",), worlds={"left": 2})
    assert prover(Solution()).fits("left", Word("left"))
    assert not prover(Solution()).fits("left", Word("above"))
