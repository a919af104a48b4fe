"""Replies about one family, sentence by sentence: what must not be said first."""

from __future__ import annotations

import pytest
from tests.proof.conftest import check, checker

from proband.proof.rows import AuditRow

GRID = "The lamp is to the left of the chair. The chair is to the left of the table."


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("<answer>grandmother</answer>", "no steps"),
        ("Ann is Ben's mother.\nAnswer: aunt", "wrong answer, right steps"),
        ("Ann is Ben's sister.\nAnswer: aunt", "wrong answer, wrong step"),
        ("Ann is Ben's sister.\nAnswer: grandmother", "right answer, wrong step"),
        ("Zog zag the father Max Ann blue.\nAnswer: aunt", "too much unread"),
        ("   ", "not checked"),
    ],
)  # fmt: skip
def test_kinds_of_replies(reply: str, outcome: str) -> None:
    assert check(reply).outcome == outcome


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Ben is Max's father. So Ann is Max's grandmother.", "grandmother"),
        ("Ben is Max's father.\n\n**Grandmother**", "Grandmother"),
        ("Ann is Max's aunt. Wait, no. Ann is Max's grandmother.", "grandmother"),
        ("Max is Ann's grandson.", ""),  # of the two, but not what was asked
        ("If Ann were Max's aunt, Ben would be her brother.", ""),
        ("Ann is not Max's aunt.", ""),
    ],
)
def test_an_answer_that_is_not_marked(reply: str, answer: str) -> None:
    assert check(reply).answer == answer


@pytest.mark.parametrize(
    ("domain", "text", "question", "reply"),
    [
        ("grid", GRID, "Where is the lamp relative to the table?",
         "The lamp is left of the chair, so the lamp is to the left of the table.\nThe table is left of the lamp."),
        ("temporal", "The meeting was before the lunch. The lunch was before the party.",
         "When was the meeting relative to the party?",
         "The meeting was before the lunch, so the meeting was before the party.\nThe party was before the meeting."),
        ("allen", "Lunch meets Tea. Tea is before Dinner.", "Is Lunch before Dinner?",
         "Lunch meets Tea, so Lunch is before Dinner.\nDinner is before Lunch."),
        ("sizes", "Tom is taller than Ann. Ann is taller than Ben.", "Is Tom taller than Ben?",
         "Tom is taller than Ann, so Tom is taller than Ben.\nBen is taller than Tom."),
    ],
)  # fmt: skip
def test_other_domains_are_checked_by_their_own_phrases(domain: str, text: str, question: str, reply: str) -> None:
    row = AuditRow(file="own", line=None, key="1", cells={}, text=text, question=question)
    checked = checker(domain).check(row, reply)
    assert [s.verdict for s in checked.statements] == ["stated", "entailed", "contradicted"], checked


def test_a_reply_that_is_read_and_marks_no_answer_says_so() -> None:
    assert check("Ben is Max's father.").outcome == "no answer found"


def test_no_answer_to_an_inconsistent_story_is_called_wrong() -> None:
    story = "Al is the father of Bo. Al is the brother of Bo. Bo is the father of Di."
    reply = check("Al is Bo's brother.\nAnswer: grandfather", story=story, question="What is Al to Di?")
    assert [statement.verdict for statement in reply.statements] == ["stated"]
    assert (reply.outcome, reply.why) == ("too much unread", "the text is inconsistent")
