"""All 256 forms of the textbooks: 15 are valid where terms may be empty, 24 where they have members."""

from __future__ import annotations

from itertools import product

import pytest

from proband_puzzles.syllogism import Proposition, Syllogism, check, read, solve

KINDS = ("All", "No", "Some", "Some-not")
FIGURES = ((("M", "P"), ("S", "M")), (("P", "M"), ("S", "M")), (("M", "P"), ("M", "S")), (("P", "M"), ("M", "S")))
VALID = {"may-be-empty": 15, "inhabited": 24}


@pytest.mark.parametrize("world", VALID)
def test_as_many_forms_are_valid_as_logic_counts_and_both_provers_name_the_same(world: str) -> None:
    valid = 0
    for (one, two), kinds in product(FIGURES, product(KINDS, repeat=3)):
        premises = (Proposition(kinds[0], *one), Proposition(kinds[1], *two))
        form = Syllogism(premises, Proposition(kinds[2], "S", "P"))
        answers = solve(form, world).possible
        assert check(form, world) == frozenset(answers), form
        valid += answers == ("Yes",)
    assert valid == VALID[world]


@pytest.mark.parametrize(
    "text",
    [
        "1. All cats are dogs\nDoes it follow that:\nMost cats are dogs?",
        "1. Most cats are dogs\nDoes it follow that:\nAll cats are dogs?",
        "1. All cats are dogs\n2. All bees are ants\nDoes it follow that:\nAll cats are ants?",  # four terms
        "All cats are dogs. Are all dogs cats?",
        "",
    ],
)
def test_what_is_not_understood_is_not_read(text: str) -> None:
    assert read(text) is None
