from __future__ import annotations

import pytest

from proband.english.domain import load
from proband.english.phrases import Grammar
from proband.english.replies import clause_reader

PEOPLE = {"Ann": "female", "Bo": "male", "Cy": "male", "Di": None}


@pytest.mark.parametrize(
    ("clause", "ways"),
    [
        ("Ann's son: Bo", [{("Bo", "child", "Ann")}]),
        ("Ann + Bo → Cy", [{("Cy", "child", "Ann"), ("Cy", "child", "Bo")}]),
        ("Bo is Cy's brother", [{("Bo", "sibling", "Cy")}]),
        ("Ann → Bo: mother", [{("Ann", "parent", "Bo")}, {("Bo", "parent", "Ann")}]),
        ("Bo and Ann have children Cy and Di",
         [{(child, "child", parent) for child in ("Cy", "Di") for parent in ("Bo", "Ann")}]),
        ("Ann is Bo's brother", [{("Ann", "sibling", "Bo")}]),  # wrong, and read: the prover says so
    ],
)  # fmt: skip
def test_clauses(clause: str, ways: list[set[tuple[str, str, str]]]) -> None:
    read = clause_reader(Grammar(load("kinship")), PEOPLE).read(clause)
    assert not isinstance(read, str), read
    assert [{fact[:3] for fact in way} for way in read] == ways


def test_a_pronoun_has_a_way_for_each_person() -> None:
    reader = clause_reader(Grammar(load("kinship")), PEOPLE)
    reader.mention(["Bo", "Cy"])
    read = reader.read("he is the father of Di")
    assert not isinstance(read, str), read
    assert {way[0].who for way in read} == {"Bo", "Cy"}


@pytest.mark.parametrize("clause", ["Ann might be Bo's aunt", "Ann is not only Bo's aunt", "Ann has a relative"])
def test_what_is_not_stated(clause: str) -> None:
    assert isinstance(clause_reader(Grammar(load("kinship")), PEOPLE).read(clause), str)
