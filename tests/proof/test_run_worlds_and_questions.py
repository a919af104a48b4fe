"""Worlds that are not named, questions for yes, no or a thing, options, nouns as things; what must not be accused."""

from __future__ import annotations

import pytest

from proband.pipeline.checking import provers_of_suites
from proband.proof.decisions import RowVerdict
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for

JUDGES = {name: judge_for(name, provers_of_suites()) for name in ("grid", "temporal", "sizes", "allen")}


def judged(domain: str, text: str, question: str, answer: str) -> RowVerdict:
    row = AuditRow(file="x", line=1, key="1", cells={}, text=text, question=question, answer=answer)
    return JUDGES[domain].judge(row)


@pytest.mark.parametrize(
    ("text", "question", "answer", "verdict"),
    [
        ("P is left of Q. Q is left of R. P is left of R.", "What is the relation of P to R?", "left", "depends"),
        ("Paris is north of Lyon. Lyon is south of Lille.", "Is Paris north of Lille?", "no", "depends"),
        ("P is left of Q. Q is left of R.", "What is the relation of P to R?", "left", "entailed"),
        ("P is left of Q. Q is left of R.", "What is the relation of P to R?", "right", "false"),
        ("P is above Q. Q is left of R.", "What is the relation of P to R?", "upper-left", "depends"),
    ],
)
def test_a_verdict_that_is_not_the_same_in_all_worlds_is_none(
    text: str, question: str, answer: str, verdict: str
) -> None:
    found = judged("grid", text, question, answer)
    assert found.verdict.split()[0] == verdict, found.by_world
    assert set(found.by_world) == {"unit", "any-distance", "half-plane"}
    assert found.accused == (verdict == "false")


@pytest.mark.parametrize(
    ("domain", "text", "question", "right", "wrong"),
    [
        (
            "grid",
            "To the left of the lamp is a chair. A vase stands left of the chair.",
            "Where is the vase relative to the lamp?",
            "to the left",
            "right",
        ),
        (
            "grid",
            "The stove is left of the sink and the fridge is left of the stove.",
            "Is the fridge left of the sink?",
            "yes",
            "No",
        ),
        (
            "grid",
            "The mug is left of the pen, which is left of the cup.",
            "What is left of the pen?",
            "the mug",
            "the cup",
        ),
        (
            "grid",
            "The attic is above the hall. The hall is above the cellar.",
            "Which room is directly below the attic?",
            "hall",
            "the cellar",
        ),
        (
            "grid",
            "The bank is east of the church.",
            "The church is (A) east (B) west (C) north of the bank.",
            "B",
            "(A)",
        ),
        (
            "temporal",
            "Lunch came before the meeting. The meeting came before the call.",
            "What happened first?",
            "lunch",
            "the call",
        ),
        (
            "sizes",
            "Omar is taller than Pia but shorter than Quinn. Rosa is taller than Quinn.",
            "Who is the second tallest?",
            "Quinn",
            "Omar",
        ),
        ("sizes", "The red box is bigger than the blue box.", "Is the blue box smaller than the red box?", "Yes", "no"),
        ("sizes", "Ana is taller than Bo. Ana is taller than Cy.", "Who is taller, Bo or Cy?", "cannot be told", ""),
        ("allen", "Lunch meets Tea. Tea is during Dinner.", "Is Lunch after Tea?", "no", "yes"),
    ],
)
def test_questions_of_every_kind(domain: str, text: str, question: str, right: str, wrong: str) -> None:
    assert judged(domain, text, question, right).verdict == "entailed"
    if wrong:
        assert judged(domain, text, question, wrong).verdict == "false"


@pytest.mark.parametrize(
    "text",
    [
        "The lamp is probably left of the chair.",
        "The lamp was once left of the chair.",
        "The lamp is left of the chair. Just kidding.",
        "The lamp is left of the chair. None of this is true.",
        "In a dream the lamp is left of the chair.",
        "If the lamp is left of the chair, we are home.",
        "The lamp or the vase is left of the chair.",
        "The lamp seems to be left of the chair.",
        "Neither the lamp nor the vase is left of the chair.",
        "The box is left of the chair. The red box is above the lamp. The lamp is left of the chair.",
    ],
)
def test_what_may_say_something_else_is_unread(text: str) -> None:
    assert judged("grid", text, "Where is the lamp relative to the chair?", "right").verdict == "unread"


def test_what_one_reading_alone_understands_accuses_nobody() -> None:
    found = judged("temporal", "The fair preceded the parade.", "Was the parade before the fair?", "yes")
    assert (found.verdict, found.one_reading, found.accused) == ("false", True, False)
    both = judged("temporal", "The fair came before the parade.", "Was the parade before the fair?", "yes")
    assert (both.verdict, both.one_reading, both.accused) == ("false", False, True)


def test_scales_are_told_apart() -> None:
    text = "Ann is taller than Bo. Bo is heavier than Cy."
    assert judged("sizes", text, "Is Ann taller than Cy?", "yes").verdict == "ambiguous"
    assert judged("sizes", text, "Is Ann taller than Cy?", "cannot be told").verdict == "entailed"


def test_what_is_furthest_left_may_be_higher_up_too() -> None:
    text = "The lamp is to the upper left of the box. The box is to the upper left of the rug."
    for question in ("Which is furthest left?", "What is at the very top?"):
        assert judged("grid", text, question, "the lamp").verdict == "entailed"
        assert judged("grid", text, question, "the rug").verdict == "false"
    corner = judged(
        "grid", "The lamp is left of the box. The box is above the rug.", "What is at the bottom?", "the rug"
    )
    assert {world: verdict for world, (verdict, _) in corner.by_world.items()} == {
        "unit": "entailed",
        "any-distance": "entailed",
        "half-plane": "ambiguous",
    }
