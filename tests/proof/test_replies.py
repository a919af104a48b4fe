"""Replies about one family, sentence by sentence: what must not be said first."""

from __future__ import annotations

from functools import cache

import pytest

from proband.pipeline.checking import provers_of_suites
from proband.proof.replies import CheckedReply, ReplyChecker
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for

STORY = (
    "Tom is married to Ann. They have a child called Ben. Ben is married to Cleo. "
    "They have children called Dora and Max."
)
GRID = "The lamp is to the left of the chair. The chair is to the left of the table."


@cache
def checker(domain: str = "kinship") -> ReplyChecker:
    return ReplyChecker(judge_for(domain, provers_of_suites(), templates=True))


def check(reply: str, *, question: str = "What is Ann to Max?", answer: str = "", story: str = STORY) -> CheckedReply:
    row = AuditRow(file="own", line=None, key="1", cells={}, text=story, question=question)
    return checker().check(row, reply, answer)


def verdicts(reply: str) -> list[str]:
    return [step.verdict or step.kind for step in check(reply).steps]


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


def test_a_leap_is_possible_and_no_more() -> None:
    story = "Al is the son of Bo. Cy is Al's uncle."
    reply = check("So Cy is Bo's brother.\nAnswer: brother", story=story, question="What is Cy to Bo?")
    assert [statement.verdict for statement in reply.statements] == ["possible"]
    assert reply.statements[0].possible == ("brother", "brother-in-law")
    assert (reply.outcome, reply.first_wrong) == ("wrong answer, wrong step", 0)


def test_an_uncle_by_marriage_is_no_wrong_step() -> None:
    story = "Al is the son of Bo. Bo is the brother of Dee. Dee is married to Carl."
    (said,) = check("Carl is Al's uncle.", story=story, question="What is Carl to Al?").statements
    assert (said.verdict, said.assumes[:31]) == ("entailed", "the spouse of a parent's siblin")
    (wrong,) = check("Carl is Al's nephew.", story=story, question="What is Carl to Al?").statements
    assert wrong.verdict in ("possible", "contradicted")


def test_a_story_that_the_strict_world_does_not_fit_tells_its_own_sentences() -> None:
    story = "Tom is Jim's husband. Jim is the father of Sam."
    reply = check("Tom is the husband of Jim. Jim is Sam's father.", story=story, question="What is Jim to Sam?")
    assert [statement.verdict for statement in reply.statements] == ["stated", "stated"]


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


def test_two_people_of_one_name_are_not_judged() -> None:
    reply = check("There is another Max. Max is Ann's son.\nAnswer: aunt")
    assert not reply.statements
    assert reply.unread


def test_a_story_repeated_is_stated_alone() -> None:
    assert set(verdicts(STORY)) == {"stated"}


def test_a_gender_may_be_assumed_once() -> None:
    story = "Kim is the child of Bo. Bo is married to Dan."
    reply = check("Kim is Bo's son. Kim is Dan's daughter.", story=story, question="What is Kim to Bo?")
    first, second = reply.statements
    assert (first.verdict, first.assumes, second.verdict) == ("stated", "Kim is male", "contradicted")


def test_long_replies_are_cut_and_other_languages_are_unread() -> None:
    long = check("Ann is Ben's mother. " * 5_000)
    assert long.why == "only its first 20,000 characters are read"
    assert len(long.steps) > 900
    assert not check("Ann ist die Großmutter von Max. Анна — бабушка Макса.").statements


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


def test_a_statement_is_right_if_it_follows_in_a_world_that_the_story_may_mean() -> None:
    """*North of* says nothing of east and west in one world of places; in the others the mill is in the northwest."""
    text = "The mill is north of the inn. The inn is west of the pier."
    row = AuditRow(
        file="own", line=None, key="1", cells={}, text=text, question="Where is the mill relative to the pier?"
    )
    right, wrong = (
        checker("grid").check(row, f"So the mill is {said} of the pier.\nAnswer: {said}")
        for said in ("northwest", "southwest")
    )
    assert (right.outcome, right.answer_verdict) == ("right answer, right steps", "entailed")
    assert "not the distance" in right.statements[0].assumes
    assert (wrong.outcome, [s.verdict for s in wrong.statements]) == ("wrong answer, wrong step", ["possible"])
    known = ReplyChecker(judge_for("grid", provers_of_suites(), world="half-plane", templates=True))
    assert [s.verdict for s in known.check(row, "So the mill is northwest of the pier.").statements] == ["possible"]


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


@pytest.mark.parametrize("box", ["\\boxed{\\text{grandmother}}", "\\[\\boxed{ \\mathrm{grandmother} }\\]"])
def test_a_box_with_text_is_read(box: str) -> None:
    reply = check(f"Ben is Max's father.\n{box}")
    assert (reply.answer, reply.answer_verdict) == ("grandmother", "entailed")


def test_an_answer_at_the_end_of_a_line_is_read() -> None:
    reply = check("Ben is Max's father. Answer: grandmother")
    assert (reply.answer, reply.answer_verdict) == ("grandmother", "entailed")


def test_a_reply_that_is_read_and_marks_no_answer_says_so() -> None:
    assert check("Ben is Max's father.").outcome == "no answer found"


def test_cousins_and_great_aunts_are_checked() -> None:
    story = "Al is the father of Bo. Cy is the nephew of Al. Dee is the mother of Al."
    for said, verdict in (("Cy is Bo's cousin.", "entailed"), ("Dee is Bo's cousin.", "contradicted")):
        (statement,) = check(said, story=story, question="What is Cy to Bo?").statements
        assert (said, statement.verdict) == (said, verdict)
    sister = check(
        "Dee's sister is Eve. So Eve is Bo's great-aunt.",
        story=f"{story} Eve is Dee's sister.",
        question="What is Eve to Bo?",
    )
    assert (sister.answer, sister.outcome) == ("great-aunt", "right answer, right steps")


def test_what_the_prover_cannot_tell_costs_no_other_step() -> None:
    """From the statement alone it cannot be told whether they are cousins; from the story it can."""
    story = "Tom is Anna's brother. Tom's son is Max. Anna's daughter is Sue."
    reply = check(
        "Max is Anna's nephew.\nMax is Sue's brother.\nAnswer: cousin", story=story, question="What is Max to Sue?"
    )
    assert [statement.verdict for statement in reply.statements] == ["entailed", "contradicted"]
    assert (reply.outcome, reply.answer_verdict, reply.follows) == ("right answer, wrong step", "entailed", "story")
    unknown = check("Tom is Anna's brother.\nAnswer: great-uncle", story=story, question="What is Tom to Sue?")
    assert [statement.verdict for statement in unknown.statements] == ["stated"]


def test_no_answer_to_an_inconsistent_story_is_called_wrong() -> None:
    story = "Al is the father of Bo. Al is the brother of Bo. Bo is the father of Di."
    reply = check("Al is Bo's brother.\nAnswer: grandfather", story=story, question="What is Al to Di?")
    assert [statement.verdict for statement in reply.statements] == ["stated"]
    assert (reply.outcome, reply.why) == ("too much unread", "the text is inconsistent")
