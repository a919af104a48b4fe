"""Sentences of a reply: what is supposed, taken back or says more than a relation is not taken for a statement."""

from __future__ import annotations

import pytest
from tests.proof.conftest import check


@pytest.mark.parametrize(
    "sentence",
    [
        "If Tom is Max's uncle, then Ben is Tom's brother.",
        "Suppose Ann were Max's aunt.",
        "Perhaps Ann is Max's aunt.",
        "Is Ann Max's aunt?",
        "Ann might be Max's aunt.",
        "The question asks whether Ann is Max's aunt.",
        "When two people are married, they are siblings.",
        "Let's assume Ann is Max's aunt.",
    ],
)
def test_what_is_supposed_or_asked_is_not_stated(sentence: str) -> None:
    assert not check(sentence).statements


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann is the grandmother of Max.",
        "Therefore, Ann is Max's grandmother (specifically, his grandmother).",
        "Tom and Ann are Dora's grandparents.",
        "Cleo is Ann's daughter-in-law, so Ann is Cleo's mother-in-law.",
        "Dora and Max are siblings, since they are both children of Ben and Cleo.",
        "Tom + Ann → Ben",
        "Ann → Max: grandmother",
        "Max is not Ann's son.",
        "Ben (Max's father) is the son of Tom and Ann.",
        "Since Ben is Max's father, this makes Tom Max's grandfather.",
        "Ben's children: Dora and Max",
        "Max: Ann's grandson",
        "Max's sister is Dora, which makes her Tom's granddaughter.",
        "Ann is the mother of Max's father.",
        "Tom is married to Ann, and they have a child named Ben.",
    ],
)
def test_right_steps_are_read_and_right(sentence: str) -> None:
    (step,) = check(sentence).steps
    assert step.verdict in ("stated", "entailed"), (step, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann is Max's aunt.",
        "Ann is Max's daughter.",
        "So Tom is Cleo's father.",
        "Max is Ann's son, so Ann is his mother.",
        "Ann is not the grandmother of Max.",
        "Dora + Max → Ben",
        "This makes Ben and Max siblings.",
        "Ann is Max's grandfather.",
        "Ben is the husband of Dora.",
    ],
)
def test_wrong_steps_are_contradicted(sentence: str) -> None:
    (step,) = check(sentence).steps
    assert step.verdict == "contradicted", (step, sentence)


def test_names_joined_by_and_are_not_torn_apart() -> None:
    """*X and Y's daughter* is one person; *Y, and Z is ...* names two, not *Z Y*."""
    story = "Tom is married to Grace. They have a child called Linda. Linda is married to Rob."
    said = "Linda is the child of Tom and Grace, and Linda is also the spouse of Rob."
    said += " Rob is married to Tom and Grace's daughter. Tom is Linda's father and Rob's father-in-law."
    reply = check(said, story=story, question="What is Tom to Rob?")
    assert [step.verdict for step in reply.steps] == ["stated", "unread", "entailed"]
    assert {thing for each in reply.statements for thing in each.fact[:3:2]} == {"Tom", "Grace", "Linda", "Rob"}


def test_what_is_taken_back_does_not_count() -> None:
    reply = check("Ann is Max's aunt. Wait, no. Ann is Max's grandmother.\nAnswer: grandmother")
    assert [statement.verdict for statement in reply.statements] == ["entailed"]
    assert reply.outcome == "right answer, right steps"
    later = check("Ann is Max's aunt.\nTom is Ben's father.\nActually, Ann is Max's grandmother.\nAnswer: grandmother")
    assert [statement.verdict for statement in later.statements] == ["stated", "entailed"]


def test_premises_are_the_statements_that_were_made() -> None:
    reply = check(
        "1. Ann is Ben's mother.\n2. Ben is Max's father.\n3. So Ann is Max's grandmother.\nAnswer: grandmother"
    )
    assert reply.statements[2].premises == (0, 1) or set(reply.statements[2].premises) == {0, 1}
    assert (reply.follows, reply.missing, reply.outcome) == ("steps", (), "right answer, right steps")
    leap = check("Ben is Max's father. So Ann is Max's grandmother.\nAnswer: grandmother")
    assert leap.statements[1].premises == ()
    assert leap.follows == "story"
    assert [(fact.who, fact.relation, fact.of) for fact in leap.missing] == [("Ben", "child", "Ann")]


def test_two_people_of_one_name_are_not_judged() -> None:
    reply = check("There is another Max. Max is Ann's son.\nAnswer: aunt")
    assert not reply.statements
    assert reply.unread


def test_long_replies_are_cut_and_other_languages_are_unread() -> None:
    long = check("Ann is Ben's mother. " * 5_000)
    assert long.why == "only its first 20,000 characters are read"
    assert len(long.steps) > 900
    assert not check("Ann ist die Großmutter von Max. Анна — бабушка Макса.").statements


@pytest.mark.parametrize(
    ("reply", "unread"),
    [("Ann is Max's paternal grandmother.", "'paternal'"), ("Ben is Ann's elder son.", "'elder'")],
)
def test_what_says_more_than_the_relation_is_not_accepted(reply: str, unread: str) -> None:
    (step,) = check(reply).steps
    assert (step.verdict, step.statements) == ("unread", ())
    assert unread in step.unread


def test_may_is_a_name() -> None:
    story = "May is the mother of Bo. Bo is the father of Cy."
    reply = check("May is Cy's grandmother.\nAnswer: grandmother", story=story, question="What is May to Cy?")
    assert [statement.verdict for statement in reply.statements] == ["entailed"]
    doubt = check("Bo may be Cy's uncle.", story=story, question="What is May to Cy?")
    assert not doubt.statements


@pytest.mark.parametrize(
    "opening",
    ["It is wrong to say that", "It isn't true that", "We cannot say that", "This doesn't mean that", "Wrong answer:",
     "No one states that", "Hypothesis:", "In another family,", "Some say that", "It is incorrect to conclude that"],
)  # fmt: skip
def test_what_a_reply_does_not_assert_is_no_statement(opening: str) -> None:
    assert not check(f"{opening} Ann is Max's aunt.\nAnswer: grandmother").statements
