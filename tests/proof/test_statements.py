"""Verdicts on one statement: in which worlds it holds and what it assumes."""

from __future__ import annotations

import pytest
from tests.proof.conftest import STORY, check, checker

from proband.pipeline.checking import provers_of_suites
from proband.proof.replies import ReplyChecker
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for


def verdicts(reply: str) -> list[str]:
    return [step.verdict or step.kind for step in check(reply).steps]


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


def test_a_story_repeated_is_stated_alone() -> None:
    assert set(verdicts(STORY)) == {"stated"}


def test_a_gender_may_be_assumed_once() -> None:
    story = "Kim is the child of Bo. Bo is married to Dan."
    reply = check("Kim is Bo's son. Kim is Dan's daughter.", story=story, question="What is Kim to Bo?")
    first, second = reply.statements
    assert (first.verdict, first.assumes, second.verdict) == ("stated", "Kim is male", "contradicted")


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
    ("world", "west", "east"),
    [("", "entailed", "entailed"), ("unit", "entailed", "entailed"), ("half-plane", "contradicted", "entailed")],
)
def test_a_negation_is_right_where_a_world_excludes_it_and_contradicted_where_it_follows_in_all(
    world: str, west: str, east: str
) -> None:
    """To the west means exactly west, or anywhere on that side."""
    own = ReplyChecker(judge_for("grid", provers_of_suites(), world=world, templates=True))
    text, question = (
        "The mill is northwest of the inn. The inn is west of the pier.",
        "Where is the mill relative to the pier?",
    )
    row = AuditRow(file="own", line=None, key="1", cells={}, text=text, question=question)
    said = "The mill is not west of the inn. The mill is not east of the inn. The inn is not west of the pier."
    statements = own.check(row, said).statements
    assert [each.verdict for each in statements] == [west, east, "contradicted"]
    assert bool(statements[0].assumes) == (not world)
    assert not statements[1].assumes


def test_what_is_right_in_one_world_alone_lists_it() -> None:
    row = AuditRow(
        file="",
        line=None,
        key="1",
        cells={},
        text="The mill is northwest of the inn.",
        question="Where is the mill relative to the inn?",
    )
    (said,) = checker("grid").check(row, "The mill is west of the inn.").statements
    assert (said.verdict, said.assumes[:26]) == ("entailed", "a fact is about one axis o")


def test_a_denied_gender_that_is_open_is_possible() -> None:
    story = "Kim is the child of Bo. Bo is the brother of Dee. Dee is married to Carl."
    denied = "Kim is not Bo's son. Carl is not Kim's uncle. Carl is not Kim's father. Kim is not Bo's child."
    reply = check(denied, story=story, question="What is Kim to Bo?")
    assert [each.verdict for each in reply.statements] == ["possible", "possible", "entailed", "contradicted"]


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
