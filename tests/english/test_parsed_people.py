"""Families read from parse trees: whose is what, and what is left unread."""

from __future__ import annotations

import pytest

from proband.english.domain import load
from proband.english.parsed_people import ParsedPeople

KINSHIP = ParsedPeople(load("kinship"))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Joe's sister Ann is married to Bo.", {("Ann", "sibling", "Joe"), ("Ann", "spouse", "Bo")}),
        ("Helen is the mother of Karen's husband David.", {("Helen", "parent", "David"), ("David", "spouse", "Karen")}),
        ("Paul took his daughter Emma to the zoo.", {("Emma", "child", "Paul")}),
        (
            "Kate Miller is the aunt of Sam and Tim.",
            {("Kate Miller", "pibling", "Sam"), ("Kate Miller", "pibling", "Tim")},
        ),
    ],
)
def test_facts_of_a_sentence(text: str, facts: set[tuple[str, str, str]]) -> None:
    reading = KINSHIP.read(text, ())
    assert reading.unread is None, reading.unread
    assert {fact[:3] for fact in reading.facts} == facts


@pytest.mark.parametrize(
    "text",
    [
        "Una is not the mother of Vic.",
        "Gwen may be the sister of Hal.",
        "If Pam is the sister of Raj, the house is hers.",
        "Ann is like a mother to Bo.",
        "Cindy is the stepmother of Dora.",
    ],
)
def test_what_is_denied_doubted_or_another_relation_is_unread(text: str) -> None:
    assert KINSHIP.read(text, ()).unread
