"""Reads a reply sentence by sentence: each is split into clauses that are all read, or it is unread; each statement is
judged. An ambiguous pronoun or form counts as right if one of its readings is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.replies import ClauseReader, clause_reader
from proband.proof import discourse
from proband.proof.discourse import STATED, TAKEN_BACK, pattern
from proband.proof.statements import CONTRADICTED, ENTAILED, RIGHT, UNREAD, VERDICTS, Statement, StoryFacts

REMARK: Final = "remark"
MOST_DEPTH: Final = 5  # cuts of a sentence
PRONOUN: Final = re.compile(r"(?i)\b(?:he|she|they|his|her|their|him|them|it|its)\b")
DENIES: Final = re.compile(r"(?i)\b(?:not|no|never|none|neither|nor|cannot)\b|n't\b")
BEYOND_FORMS: Final = (
    r"(?P<a>{name}) is (?:an? |the )?(?P<word>[a-z-]+) (?:of|to) (?P<b>{name})",
    r"(?P<a>{name}) is (?P<b>{name})'s (?P<word>[a-z-]+)",
    r"(?P<b>{name})'s (?P<word>[a-z-]+) is (?P<a>{name})",
)
ASIDE: Final = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]")


@dataclass(frozen=True, kw_only=True)
class Step:
    """A sentence of a reply. `kind`: stated, supposed, asked, answer, taken back, or a remark that states no relation.
    `unread`: why a sentence about relations is not read."""

    begin: int
    end: int
    kind: str
    statements: tuple[Statement, ...] = ()
    unread: str = ""

    @property
    def verdict(self) -> str:
        """The worst verdict of its statements; "" if it states nothing."""
        if self.unread:
            return UNREAD
        own = [statement.verdict for statement in self.statements if not statement.withdrawn]
        return max(own, key=VERDICTS.index, default="")


class _Clauses(NamedTuple):
    """The clauses of a sentence, each with its possible readings, and the reader."""

    ways: tuple[Sequence[tuple[Fact, ...]], ...]
    reader: ClauseReader


class ReplyReading:
    """One reply as it is read."""

    def __init__(self, facts: StoryFacts, genders: Mapping[str, str | None]) -> None:
        self.facts = facts
        self.reader: ClauseReader = clause_reader(facts.judge.grammar, genders)
        self.names = sorted(genders, key=len, reverse=True)
        either = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in self.names)
        self.named = re.compile(either or "(?!)", re.IGNORECASE)
        self.done: list[Step] = []
        self.split: set[str] = set()  # names that the reply gives to two people
        self.reconsidered = 0  # number of steps before the last `wait`

    def steps(self, reply: str) -> list[Step]:
        for sentence in discourse.sentences(reply):
            text, kind = sentence.text, sentence.kind
            if sentence.reconsiders or kind == TAKEN_BACK:
                self.reconsidered = len(self.done)
            if kind == TAKEN_BACK:
                self._take_back()
                text = pattern("takes_back").sub("", text, count=1).strip(" ,.:;-!")
            step = Step(begin=sentence.begin, end=sentence.end, kind=kind)
            if kind in (STATED, TAKEN_BACK):
                step = self._step(step, text)
            if not step.statements:
                self.reader.mention(list(dict.fromkeys(self.named.findall(text))))
            self.done.append(step)
        return self.done

    def _step(self, step: Step, text: str) -> Step:
        twice = pattern("two_of_a_name").search(text)
        if twice:
            self.split |= {name for name in self.names if name in twice[0]}
        if not self._is_relational(text):
            return step if step.kind == TAKEN_BACK else replace(step, kind=REMARK)
        if len(text) > discourse.LONGEST:
            return replace(step, unread=f"a sentence of {len(text):,} characters")
        if twice:
            return replace(step, unread="two people have the same name")
        if more := self.facts.judge.says_more(text):
            return replace(step, unread=f"it is more specific than the relation: {more!r}")
        if several := next((name for name in self.named.findall(text) if name in self.split), ""):
            return replace(step, unread=f"{several} is ambiguous: two people have this name")
        read = self._sentence(text)
        if isinstance(read, str):
            other = self._beyond(discourse.clause(text))
            return replace(step, statements=(other,)) if other else replace(step, unread=read)
        statements: list[Statement] = []
        for ways in read.ways:
            try:
                stated = self._best(ways)
            except ProbandError as error:  # the prover cannot tell
                stated = str(error)
            if isinstance(stated, str):
                return replace(step, unread=stated)
            statements += stated
        self.reader = read.reader
        if not statements:
            return replace(step, kind=REMARK)
        self._withdraw(statements)
        return replace(step, statements=tuple(self._with_premises(statements)))

    def _beyond(self, text: str) -> Statement | None:
        """A statement of a relation that only the prover knows, not the domain: cousin, great-aunt."""
        name = "|".join(map(re.escape, self.names)) or "(?!)"
        for form in BEYOND_FORMS:
            if match := re.fullmatch(form.format(name=name), text):
                return self.facts.state_beyond(match["a"], match["word"], match["b"])
        return None

    def _is_relational(self, text: str) -> bool:
        """Is it about a relation of a person (a name, or a pronoun at its beginning)?"""
        if not self.reader.relation_word.search(text) and not self.facts.speaks_beyond(text):
            return False
        return self.named.search(text) is not None or PRONOUN.match(discourse.clause(text)) is not None

    # ---- reading -----------------------------------------------------------------------------------------------------

    def _sentence(self, text: str) -> _Clauses | str:
        if ASIDE.search(text) and not isinstance(
            ways := (whole := self.reader.copy()).read(discourse.clause(text)), str
        ):
            return _Clauses((ways,), whole)
        main, asides = self._asides(text)
        read: _Clauses | str = _Clauses((), self.reader)
        if not asides or self.reader.relation_word.search(main):
            read = self._clauses(main, self.reader, MOST_DEPTH)
        for aside in asides:
            if isinstance(read, str):
                return read
            further = self._clauses(aside, read.reader, MOST_DEPTH)
            read = further if isinstance(further, str) else _Clauses(read.ways + further.ways, further.reader)
        return read

    def _asides(self, text: str) -> tuple[str, list[str]]:
        """The sentence without its brackets, and their content as separate clauses."""
        text = pattern("namely").sub(r" (\1)", text)
        main = " ".join(ASIDE.sub("", text).split())
        plain = discourse.clause(main)
        asides: list[str] = []
        for match in ASIDE.finditer(text):
            inner = discourse.clause(re.sub(r"^who ", "", match[1]))
            if not self.reader.relation_word.search(inner):
                continue
            before = pattern("names_before").search(text[: match.start()])
            subject = before[0] if before else _leading(plain)
            if pattern("aside_states").fullmatch(inner) and not pattern("aside_owned").fullmatch(inner):
                asides.append(inner)
            elif self.named.search(inner) or PRONOUN.search(inner):
                bare = re.sub(r"^(?:is|are|was) ", "", inner)
                the = "the " if self.reader.relation_word.match(bare) and not bare.startswith("married") else ""
                asides.append(f"{discourse.be(subject)} {the}{bare}" if subject else bare)
            elif words := list(self.reader.relation_word.finditer(plain)):  # another word for the same
                bare = re.sub(r"^(?:an? |the )", "", inner)
                asides.append(f"{plain[: words[-1].start()]}{bare}{plain[words[-1].end() :]}")
        return (main, asides) if asides else (main if ASIDE.search(text) else text, [])

    def _clauses(self, text: str, reader: ClauseReader, depth: int, subject: str = "") -> _Clauses | str:
        """The clauses of a text if all of them are read; otherwise the words that are not understood."""
        plain = discourse.clause(text)
        if not plain or (not reader.relation_word.search(plain) and not DENIES.search(plain)):
            heard = reader.copy()
            heard.mention(list(dict.fromkeys(self.named.findall(plain))))
            return _Clauses((), heard)
        why = ""
        with_subject = (f"{subject} is {plain}",) if subject else ()
        if subject and not self.named.match(plain):  # *Ann* and *Cy is ...* are no full name
            with_subject = (f"{subject} {plain}", *with_subject)
        for attempt in (plain, *with_subject, *self._unopened(plain)):
            one = reader.copy()
            ways = one.read(attempt)
            if not isinstance(ways, str):
                return _Clauses((ways,), one)
            why = why or ways
        for left, right in discourse.cuts(plain) if depth else ():
            if not reader.relation_word.search(right):
                continue
            first = self._clauses(left, reader, 0, subject)
            if isinstance(first, str):
                continue
            lead = _leading(discourse.clause(left)) or subject
            ends = any(name.end() == len(left) for name in self.named.finditer(left))
            joint = ends and self.named.match(right)  # *married to Ann and Bo's son*
            rest = self._clauses(right, first.reader, depth - 1, "" if joint else lead)
            if not isinstance(rest, str):
                return _Clauses(first.ways + rest.ways, rest.reader)
        return why

    def _unopened(self, text: str) -> Iterator[str]:
        """The clause without its introduction: words that name no person or relation and express no doubt."""
        match = pattern("opening").fullmatch(text)
        if match and not (
            self.named.search(match["opening"])
            or self.reader.relation_word.search(match["opening"])
            or pattern("doubts").search(match["opening"])
        ):
            yield discourse.clause(match["rest"])

    # ---- judging -----------------------------------------------------------------------------------------------------

    def _best(self, ways: Sequence[tuple[Fact, ...]]) -> list[Statement] | str:
        """Of several readings of a clause, a right one; a wrong one only if all are wrong."""
        readings: list[list[Statement]] = []
        for way in ways:
            judged = self._judge(way)
            if isinstance(judged, str):
                return judged
            if all(statement.verdict in RIGHT for statement in judged):
                return judged
            readings.append(judged)
        if len(readings) == 1 or all(any(s.verdict == CONTRADICTED for s in each) for each in readings):
            return readings[0]
        return "it can be taken in two ways"

    def _judge(self, way: tuple[Fact, ...]) -> list[Statement] | str:
        """The verdicts on the facts of a clause. An unnamed person (`Ann's mother`) is the person of the story for whom
        all facts hold."""
        people = dict.fromkeys(one for fact in way for one in (fact.who, fact.of) if one not in self.facts.things)
        unnamed = [one for one in people if "'s " in one]
        if not unnamed:
            return [self.facts.state(fact) for fact in way]
        if len(unnamed) > 2:
            return f"who is {unnamed[0]}?"
        for meant in product(self.facts.things, repeat=len(unnamed)):
            who = dict(zip(unnamed, meant))
            facts = [fact._replace(who=who.get(fact.who, fact.who), of=who.get(fact.of, fact.of)) for fact in way]
            if all(fact.who != fact.of for fact in facts):
                judged = [self.facts.state(fact) for fact in facts]
                if all(statement.verdict in RIGHT for statement in judged):
                    return judged
        return f"who is {unnamed[0]}?"

    def _with_premises(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """The same with the numbers of the earlier statements from which each follows."""
        own: list[Statement] = []
        for statement in statements:
            if statement.verdict == ENTAILED and not statement.fact.negated:
                past = [s for step in self.done for s in step.statements] + own
                held = [number for number, each in enumerate(past) if self.facts.usable(each)]
                proof = self.facts.follows([past[n].fact for n in held], statement.fact)
                statement = replace(statement, premises=tuple(held[n] for n in proof or ()))
            own.append(statement)
            yield statement

    def _take_back(self) -> None:
        """The statements of the last sentence that made any are withdrawn."""
        for place in range(len(self.done) - 1, -1, -1):
            if self.done[place].statements:
                own = tuple(replace(s, withdrawn=True) for s in self.done[place].statements)
                self.done[place] = replace(self.done[place], statements=own)
                return
            if self.done[place].kind == STATED:
                return

    def _withdraw(self, statements: Sequence[Statement]) -> None:
        """A statement after `wait` withdraws an earlier, different one about the same two people."""
        latest = {frozenset((s.fact.who, s.fact.of)): s.fact for s in statements}
        for place, step in enumerate(self.done[: self.reconsidered]):
            own = tuple(
                replace(s, withdrawn=True)
                if (now := latest.get(frozenset((s.fact.who, s.fact.of)))) and not self.facts.same(s.fact, now)
                else s
                for s in step.statements
            )
            self.done[place] = replace(step, statements=own)


def _leading(text: str) -> str:
    """The names that a clause begins with."""
    lead = pattern("leading").match(text)
    return lead[0] if lead else ""
