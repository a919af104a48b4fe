"""Replies to puzzles about circles of people: what must not be said first."""

from __future__ import annotations

from itertools import product

import pytest

from proband.auditing.puzzles.circles import CIRCLES, read
from proband.proof.replies import CheckedReply
from proband.proof.rows import AuditRow
from proband.steps.counts import CountChecker, CountedPeople

SIBLINGS = "Ann has {} sisters and she also has {} brothers. How many sisters does Ann's brother have?"
FRIENDS = (
    "Ann has {1} male friends and she also has {0} female friends. They all are friends with each other and have no "
    "other friends aside. How many female friends does Bob, a male friend of Ann, have?"
)
COLLEAGUES = (
    "Ann has {1} male colleagues and she also has {0} female colleagues. These are all colleagues that Ann has. All "
    "these mentioned persons around Ann are colleagues of each other. Tom has 2 male colleagues and 4 female "
    "colleagues in total. All these mentioned persons around Tom are colleagues of each other. The people in the "
    "circle around Tom do not have other colleagues aside - with the only exception of Matilda. She is colleague of "
    "Tom and she is also colleague of Ann, being part of Ann's circle. How many female colleagues does Matilda have?"
)


def check(reply: str, question: str = SIBLINGS, answer: str = "") -> CheckedReply:
    row = AuditRow(file="own", line=None, key="1", cells={}, question=question.format(3, 2))
    return CountChecker().check(row, reply, answer)


@pytest.mark.parametrize("question", [SIBLINGS, FRIENDS, COLLEAGUES])
def test_people_are_counted_as_both_provers_count(question: str) -> None:
    for women, men in product(range(1, 6), repeat=2):
        said = read(question.format(women, men))
        assert said is not None
        family = CountedPeople.of(said)
        (asked,) = {person for person in family.people if person.name == family.asked}
        count = str(family.number(asked, "f"))
        assert {count} == set(CIRCLES.solve(said, "").possible) == CIRCLES.check(said, "")
        for fact in family.told:
            (centre,) = {person for person in family.people if person.name == fact.who}
            side = "f" if fact.relation.startswith(("sister", "female")) else "m"
            assert str(family.number(centre, side)) == fact.of


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (SIBLINGS, "Ann's brother has 3 sisters apart from Ann."),
        (SIBLINGS, "Ann's brother has 3 sisters (not counting Ann)."),
        (SIBLINGS, "Ann's brother has at least 3 sisters."),
        (SIBLINGS, "If Ann were a boy, Ann's brother has 3 sisters."),
        (SIBLINGS, "Ann's brother has 3 sisters. Ann is his sister too.\nAnswer: 4"),
        (SIBLINGS, "Does Ann's brother have 3 sisters?"),
        (SIBLINGS, "Ann's brother does not have 3 sisters."),
        (SIBLINGS, "Ann's brother has 3 other sisters."),
        (SIBLINGS, "She has 3 sisters and 2 brothers."),
        (SIBLINGS, "He has 4 sisters."),
        (FRIENDS, "Bob has 3 female friends (excluding Ann)."),
        (FRIENDS, "Each male friend has 4 female friends (Ann + 3 female friends)."),
        (COLLEAGUES, "From Ann's side, Matilda has 3 female colleagues."),
        (COLLEAGUES, "Ann's circle:\n- Matilda has 3 female colleagues\nTom's circle:\n- 3 more\nAnswer: 6"),
        (COLLEAGUES, "Matilda has 3 female colleagues from Ann's circle."),
        (COLLEAGUES, "Tom has 2 male and 4 female colleagues, making a total of 6 colleagues."),
    ],
)
def test_right_steps_are_not_accused(question: str, reply: str) -> None:
    assert "contradicted" not in [statement.verdict for statement in check(reply, question).statements]


@pytest.mark.parametrize(
    ("question", "reply", "verdicts"),
    [
        (SIBLINGS, "Ann has 3 sisters, so each of Ann's brothers has 4 sisters.", ["told", "entailed"]),
        (SIBLINGS, "Ann has 3 brothers and 3 sisters.", ["contradicted", "told"]),
        (SIBLINGS, "Therefore, each brother has three sisters.\nAnswer: 3", ["contradicted"]),
        (FRIENDS, "Bob is one of Ann's male friends.\nBob has 4 female friends.", ["told", "entailed"]),
        (FRIENDS, "Bob is friends with all of Ann's female friends. So he has 3 female friends.\nAnswer: 3",
         ["entailed", "contradicted"]),
        (COLLEAGUES, "Ann has 3 female colleagues. Tom has 4 female colleagues. Matilda has 6 female colleagues.",
         ["told", "told", "entailed"]),
        (COLLEAGUES, "Thus Matilda has a total of 7 female colleagues.\nAnswer: 7", ["contradicted"]),
    ],
)  # fmt: skip
def test_counts_are_read_and_judged(question: str, reply: str, verdicts: list[str]) -> None:
    assert [statement.verdict for statement in check(reply, question).statements] == verdicts


@pytest.mark.parametrize(
    ("reply", "outcome", "follows"),
    [
        ("Ann has 3 sisters. So Ann's brother has 4 sisters.\nAnswer: 4", "right by right steps", "steps"),
        ("Ann's brother has 4 sisters.\nAnswer: 4", "right by right steps", "story"),
        ("Ann has 2 sisters.\nAnswer: 4", "right by wrong steps", "story"),
        ("Ann's brother has 3 sisters.\nAnswer: 3", "wrong after a wrong step", ""),
        ("Ann has 3 sisters.\nAnswer: 3", "wrong though its steps are right", ""),
        ("Her brothers share the sisters of Ann.\nAnswer: 3", "unread too much to say", ""),
        ("4", "no steps", ""),
        (" ", "not checked", ""),
    ],
)
def test_kinds_of_replies(reply: str, outcome: str, follows: str) -> None:
    checked = check(reply)
    assert (checked.outcome, checked.follows) == (outcome, follows)


def test_an_open_question_is_not_checked() -> None:
    open_question = SIBLINGS.replace("Ann's brother", "Tom's brother")
    assert check("Answer: 4", open_question).why == "the question is open: he is not told to be her brother"
    assert check("Answer: 4", "How many sisters has Ann?").why.startswith("the item is not read")
