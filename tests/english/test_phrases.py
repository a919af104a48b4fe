"""Sentences to facts: what is said is read, what is not sure is unread."""

from __future__ import annotations

import pytest
from tests.english.conftest import GRID, KINSHIP, TEMPORAL

from proband.core.types import Fact
from proband.english.phrases import Grammar
from proband.english.things import names_in
from proband.english.tokens import NotRead


def facts(grammar: Grammar, text: str) -> list[tuple[str, str, str]]:
    reading = grammar.read(text, names_in(text))
    assert reading.unread is None, reading.unread
    return [(fact.who, ("not " if fact.negated else "") + fact.relation, fact.of) for fact in reading.facts]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("P lies to the west of Q.", [("P", "left", "Q")]),
        ("Block P sits at the 11 o'clock position of block Q.", [("P", "upper-left", "Q")]),
        ("If Q is the centre of a clock face, P is located between 1 and 2.", [("P", "upper-right", "Q")]),
        ("P is beneath Q and to the right of it.", [("P", "lower-right", "Q")]),
        ("P is southeast of Q.", [("P", "lower-right", "Q")]),
        ("Q and P are in a vertical line with P on top.", [("P", "above", "Q")]),
        ("P is at the top and Q is at the bottom.", [("P", "above", "Q"), ("Q", "below", "P")]),
        ("P is not below Q.", [("P", "not below", "Q")]),
        ("P overlaps with Q.", [("P", "overlap", "Q")]),
        ("A is over there with K below.", [("K", "below", "A")]),
    ],
)
def test_directions(sentence: str, said: list[tuple[str, str, str]]) -> None:
    assert facts(GRID, sentence) == said


@pytest.mark.parametrize(
    "sentence",
    [
        "P is positioned in the front right corner of Q.",  # which side is the front?
        "P is near Q.",
        "P is probably to the left of Q.",
        "P and Q are horizontal and P is above Q.",
        "P is to the left or right of Q.",
        "P is above Q and to the bottom of it.",
    ],
)
def test_what_is_not_sure_is_unread(sentence: str) -> None:
    reading = GRID.read("Z is left of P. " + sentence, names_in(sentence) | {"Z"})
    assert reading.unread
    assert reading.unread.sentence == sentence


def test_every_sentence_is_accounted_for() -> None:
    assert GRID.read("It was a sunny day. P is left of Q.", {"P", "Q"}).unread


def test_events() -> None:
    assert facts(TEMPORAL, "Lunch happened after Breakfast. Tea was not during Lunch.") == [
        ("Lunch", "after", "Breakfast"),
        ("Tea", "not during", "Lunch"),
    ]


@pytest.mark.parametrize(
    ("grammar", "question", "asked"),
    [
        (GRID, "What is the relation of the agent A to the agent B?", ("A", "B")),
        (GRID, "Seen from K, where is C?", ("C", "K")),
        (GRID, "Where's the rug in relation to the desk?", ("rug", "desk")),
        (GRID, "How does the rug lie relative to the desk?", ("rug", "desk")),
        (GRID, "How is the rug placed with respect to the desk?", ("rug", "desk")),
        (GRID, "Which way is the rug from the desk?", ("rug", "desk")),
        (GRID, "From the desk, the rug is to the ___", ("rug", "desk")),
        (TEMPORAL, "What is Lunch to Tea?", ("lunch", "tea")),
        (TEMPORAL, "How does the prayer stand in time to the vote?", ("prayer", "vote")),
    ],
)
def test_questions_in_both_directions(grammar: Grammar, question: str, asked: tuple[str, str]) -> None:
    assert grammar.question(question, grammar.names("", question)).pair == asked


def test_events_named_by_who_did_something_are_not_read() -> None:
    assert TEMPORAL("Ann arrived before Bo. Bo left before Cy.", "Did Ann arrive before Cy?", {}).unread


@pytest.mark.parametrize("question", ["Is Sarah happy?", "What is Sarah to Bo? What is Bo to Sarah?", ""])
def test_questions_that_are_none(question: str) -> None:
    with pytest.raises(NotRead):
        KINSHIP.question(question, {"Sarah", "Bo"})


def test_a_fact_remembers_its_sentence() -> None:
    assert GRID.read("P is left of Q. Q is left of R.", {"P", "Q", "R"}).facts[1] == Fact(
        "Q", "left", "R", None, False, 1
    )
