"""A whole reply: its sentences with their verdicts, its first wrong step, missing facts, and the kind of reply. A
sentence is read if it can be split into clauses that are all read; otherwise it is unread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.reading import AskedRelation, Label, Reading, Unread
from proband.proof.discourse import answer_in
from proband.proof.rows import AuditRow
from proband.proof.sentences import ReplyReading, Step
from proband.proof.statements import FOLLOWS, RIGHT, UNREAD, WRONG, Statement, StoryFacts
from proband.proof.verdicts import Judge, RowJudge

ALL_RIGHT, STEP_WRONG = "right answer, right steps", "right answer, wrong step"
BOTH_WRONG, ANSWER_WRONG = "wrong answer, wrong step", "wrong answer, right steps"
NO_STEPS, TOO_MUCH_UNREAD, NOT_CHECKED = "no steps", "too much unread", "not checked"
NO_ANSWER: Final = "no answer found"  # though its steps are read
OUTCOMES: Final = (
    ALL_RIGHT, STEP_WRONG, BOTH_WRONG, ANSWER_WRONG, NO_STEPS, NO_ANSWER, TOO_MUCH_UNREAD, NOT_CHECKED
)  # fmt: skip
ENOUGH_READ: Final = 2 / 3  # of the sentences about relations, for a reply without a wrong step to be called right
LONGEST_REPLY: Final = 20_000  # characters that are read
BRIEF: Final = 4  # words: a reply with fewer is its answer
CASES_KEPT: Final = 256


@dataclass(frozen=True, kw_only=True)
class CheckedReply:
    """`follows`: "steps" if the answer follows from the statements, "story" if it follows only from the story. `used`:
    how many statements it needs. `missing`: facts of the story that it needs and no statement states. `first_wrong`:
    the number of the first wrong statement (those withdrawn left out)."""

    outcome: str
    steps: tuple[Step, ...] = ()
    answer: str = ""
    answer_verdict: str = ""
    right_answer: str = ""
    follows: str = ""
    used: int = 0
    missing: tuple[Fact, ...] = ()
    first_wrong: int | None = None
    why: str = ""  # it was not checked, or only its beginning
    domain: Domain | None = None  # that the statements are about

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(s for step in self.steps for s in step.statements if not s.withdrawn)

    @property
    def unread(self) -> int:
        return sum(step.verdict == UNREAD for step in self.steps)

    @property
    def read(self) -> int:
        """Sentences about relations that were read."""
        return sum(bool(step.statements) for step in self.steps)

    @property
    def right_share(self) -> float | None:
        """Of the statements that were read, those that are stated or entailed."""
        own = self.statements
        return sum(s.verdict in RIGHT for s in own) / len(own) if own else None


class Case(NamedTuple):
    """The facts and the question of replies. `genders`: with those that names make likely."""

    facts: StoryFacts
    asked: AskedRelation
    options: Mapping[str, str]
    genders: Mapping[str, str | None]


class ReplyChecker:
    """Checks replies in one domain."""

    def __init__(self, judge: Judge) -> None:
        if not isinstance(judge, RowJudge):
            raise ProbandError(f"replies about {judge.name} are not read: it has no sentences, only answers")
        self.judge = judge
        self.cases: dict[tuple[str, str, str], Case | Unread] = {}

    def case(self, row: AuditRow) -> Case | Unread:
        """The facts and the question of an item (cached for the last items)."""
        key = (row.file, row.text, row.question or row.key)
        if key not in self.cases:
            if len(self.cases) >= CASES_KEPT:
                self.cases.clear()
            self.cases[key] = self._case(row)
        return self.cases[key]

    def _case(self, row: AuditRow) -> Case | Unread:
        read = self.judge.read(row)
        if isinstance(read, Unread):
            return read
        reading, text = read
        asked = reading.question or AskedRelation("", "")
        things = {*filter(None, asked.pair), *(thing for fact in reading.facts for thing in (fact.who, fact.of))}
        stated = {fact.who: fact.gender for fact in reading.facts if fact.gender and not fact.negated}
        own = {**reading.genders, **stated, **{t: g for t, g in row.genders.items() if g}}
        genders = {thing: own.get(thing) or self.judge.prover.certain_genders(thing) for thing in sorted(things)}
        likely = {thing: gender or self.judge.prover.genders(thing) for thing, gender in genders.items()}
        return Case(StoryFacts(self.judge, reading.facts, genders), asked, text.options, likely)

    def check(self, row: AuditRow, reply: str, answer: str = "") -> CheckedReply:
        """Check a reply to an item. `answer`: from the source; otherwise the answer that the reply marks."""
        case = self.case(row)
        if isinstance(case, Unread):
            return CheckedReply(outcome=NOT_CHECKED, why=f"the item is unread: {case.reason}")
        if not reply.strip():
            return CheckedReply(outcome=NOT_CHECKED, why="the reply is empty")
        facts = StoryFacts(self.judge, case.facts.stated, case.facts.genders)
        try:
            steps = tuple(ReplyReading(facts, case.genders).steps(reply[:LONGEST_REPLY]))
            final = answer or answer_in(reply) or self._last_line(case, reply)
            return self._judged(case, facts, steps, final, cut=len(reply) > LONGEST_REPLY)
        except ProbandError as error:
            return CheckedReply(outcome=NOT_CHECKED, why=str(error))

    # ---- the answer --------------------------------------------------------------------------------------------------

    def _judged(
        self, case: Case, facts: StoryFacts, steps: tuple[Step, ...], answer: str, *, cut: bool
    ) -> CheckedReply:
        own = [s for step in steps for s in step.statements if not s.withdrawn]
        first = next((number for number, s in enumerate(own) if s.verdict in WRONG), None)
        checked = CheckedReply(
            domain=self.judge.domain, outcome=NO_STEPS, steps=steps, answer=answer, first_wrong=first,
            why=f"only its first {LONGEST_REPLY:,} characters are read" if cut else "",
        )  # fmt: skip
        label = self._label(case, answer) if answer else self._last_stated(case.asked, own)
        checked = replace(checked, answer=answer or (label.text if label else ""))
        if label is None and re.fullmatch(r"[\w-]+(?:['’]s)?", answer):  # a word that is no relation of the domain
            label = Label(None, answer.lower())
        if label is None:
            why = f"{answer[:40]!r} is not an answer to the question" if answer else f"{NO_ANSWER} in the reply"
            return replace(checked, outcome=judged_outcome(checked, None), why=checked.why or why)
        asked = case.asked._replace(who=label.pair[0], of=label.pair[1]) if label.pair else case.asked
        try:
            decision = facts.ask(facts.stated, asked, label)
        except ProbandError as error:  # the steps are judged all the same
            return replace(checked, outcome=judged_outcome(checked, None), why=checked.why or str(error))
        broken = decision.verdict == "inconsistent"  # in every world: no answer is right or wrong
        right = None if broken else decision.verdict in FOLLOWS
        checked = replace(checked, why=checked.why or ("the text is inconsistent" if broken else ""))
        checked = replace(checked, answer_verdict=decision.verdict, right_answer=decision.right)
        if right and own:
            usable = dict.fromkeys(s.fact for s in own if facts.usable(s))
            stated = [fact for fact in usable if {fact.who, fact.of} != {asked.who, asked.of}]
            needed = [facts.stated[number] for number in decision.proof]
            proved = facts.try_ask(stated, asked, label)
            enough = proved is not None and proved.verdict == decision.verdict
            missing = () if enough else tuple(fact for fact in needed if facts.follows(stated, fact) is None)
            used = len(proved.proof) if enough and proved else len(needed) - len(missing)
            checked = replace(checked, follows="steps" if enough else "story", missing=missing, used=used)
        return replace(checked, outcome=judged_outcome(checked, right))

    def _last_line(self, case: Case, reply: str) -> str:
        """A short last line, or its end after *Answer:*, if it answers the question; a short reply as a whole."""
        last = reply.strip().splitlines()[-1].rpartition(". Answer: ")[2].strip(' .*_`"')
        brief = len(last.split()) < BRIEF and (len(reply.split()) < BRIEF or self._label(case, last) is not None)
        return last if brief else ""

    def _last_stated(self, asked: AskedRelation, own: Sequence[Statement]) -> Label | None:
        """If no answer is marked: the last statement about the two people in the question, in that order."""
        about = [s.fact for s in own if (s.fact.who, s.fact.of) == asked.pair and not s.fact.negated]
        if not about:
            return None
        word = Word(about[-1].relation, about[-1].gender)
        return Label(word, self.judge.domain.word_for(word))

    def _label(self, case: Case, answer: str) -> Label | None:
        return self.judge.label_of(answer, Reading(facts=case.facts.stated, question=case.asked), case.options)


def judged_outcome(checked: CheckedReply, right: bool | None) -> str:
    """The kind of reply."""
    if not checked.read and not checked.unread:
        return NO_STEPS if right is not None else TOO_MUCH_UNREAD
    if right is None:
        return TOO_MUCH_UNREAD if checked.unread or checked.answer else NO_ANSWER
    if checked.first_wrong is not None:
        return STEP_WRONG if right else BOTH_WRONG
    if right:
        enough = checked.read >= ENOUGH_READ * (checked.read + checked.unread)
        return ALL_RIGHT if enough and checked.statements else TOO_MUCH_UNREAD
    return TOO_MUCH_UNREAD if checked.unread or not checked.statements else ANSWER_WRONG
