"""The verdict on one row: read its facts and its question, ask the prover, hold the label against the answer.

entailed      the label holds in every world of the facts          false         in none; what holds instead is said
ambiguous     in some worlds and not in others                     inconsistent  the facts have no world
unread        a sentence, the question or the label is not understood; the row is no part of any rate

Facts that differ in names alone are decided once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from proband.auditing.domain import OTHER, Domain, Fact, Word
from proband.auditing.grammar import Grammar, names_in, split
from proband.auditing.problem import Problem, Prover
from proband.auditing.reading import Reading, Unread
from proband.auditing.rows import AuditRow
from proband.core.errors import ProbandError

VERDICTS: Final = ("entailed", "ambiguous", "false", "inconsistent", "unread")
DECISIONS_KEPT: Final = 20_000
PATHS_TRIED: Final = 500
LEAK: Final = re.compile(
    r"(?i)^(?:[^.?!]*\b)?(?:answer|label|solution|target|hint|spoiler)s?\b(?: here| of this| to the question)?"
    r"(?: is| was| would be| must be|:|\s*=|,)*\s*[\"'(\[]*(?P<word>[\w -]+?)[\"')\]]*[.!]?$"
)
Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class RowVerdict:
    """What is said of a row. `right`: the answer that follows, if one does; `worlds`: a world for an answer."""

    verdict: str
    label: str = ""
    possible: tuple[str, ...] = ()
    right: str = ""
    reversed: bool = False
    question: Pair = ("", "")
    facts: tuple[Fact, ...] = ()
    genders: tuple[tuple[str, str | None], ...] = ()
    sentences: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    proof: tuple[int, ...] = ()  # numbers of the facts from which the answer follows
    worlds: Mapping[str, Any] = field(default_factory=dict)
    other_worlds: Mapping[str, str] = field(default_factory=dict)
    unread: Unread | None = None
    notes: tuple[str, ...] = ()  # "answer leaked", "duplicate with another label", ...

    def problem(self, facts: tuple[Fact, ...] | None = None) -> Problem:
        """What the prover was given, or the same with other facts."""
        return Problem(self.facts if facts is None else facts, self.question, self.genders)


class Decision(NamedTuple):
    """What of a verdict does not depend on names."""

    verdict: str
    possible: tuple[str, ...]
    reversed: bool
    proof: tuple[int, ...]
    other_worlds: Mapping[str, str]


def verdict_of(domain: Domain, label: Word, possible: tuple[str, ...]) -> str:
    if not possible:
        return "inconsistent"
    fits = [each for each in possible if _fits(domain, label, each)]
    return "false" if not fits else "entailed" if len(fits) == len(possible) else "ambiguous"


def _fits(domain: Domain, label: Word, answer: str) -> bool:
    """Is the answer what the label says? A label without a gender says no gender."""
    if answer == OTHER:
        return False
    word = domain.word(answer)
    return word is not None and word.relation == label.relation and label.gender in (None, word.gender)


class RowJudge:
    """Judges rows of one domain."""

    def __init__(self, domain: Domain, prover: Prover, world: str) -> None:
        self.domain, self.prover, self.world = domain, prover, world
        self.grammar = Grammar(domain)
        self.decide = lru_cache(maxsize=DECISIONS_KEPT)(self._decide)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def read(self, row: AuditRow) -> tuple[Reading, Pair, tuple[str, ...]] | Unread:
        """The facts, the question and the leaks of a row."""
        if row.bad:
            return Unread(row.bad)
        if row.facts and row.pair:
            return self._given_facts(row, row.pair)
        names = names_in(row.text or row.question, row.question)
        sentences = split(row.question)
        question = (0, row.pair) if row.pair else self.grammar.place_of_question(sentences, names)
        if isinstance(question, Unread):
            return question
        place, pair = question
        if pair[0] == pair[1]:
            return Unread("the question is about one thing, not two", sentences[place])
        story = split(row.text) if row.text else sentences[:place]
        leaks = tuple(sentence for sentence in story if self._leaks(sentence))
        reading = self._story(" ".join(s for s in story if s not in leaks), names, row, pair)
        if reading.unread:
            return reading.unread
        return (reading, pair, leaks) if reading.facts else Unread("the story states no fact")

    def _given_facts(self, row: AuditRow, pair: Pair) -> tuple[Reading, Pair, tuple[str, ...]] | Unread:
        """The facts that a row has beside its text."""
        facts: list[Fact] = []
        for a, text, b in row.facts:
            word = self.domain.word(text)
            if word is None:
                return Unread(f"{text!r} is no word of {self.domain.name}")
            facts.append(Fact(a, word.relation, b, word.gender))
        return Reading(facts=tuple(facts)), pair, ()

    def _story(self, text: str, names: set[str], row: AuditRow, question: Pair) -> Reading:
        reading = self.grammar.read(text, names)
        if not reading.unread or not self.prover.read:
            return reading
        genders = {name: row.genders.get(name, self.prover.genders(name)) for name in sorted(names)}
        other: Reading = self.prover.read(text, genders, question)
        if not other.unread:
            return other
        return Reading(unread=Unread(other.unread.reason, other.unread.sentence or reading.unread.sentence))

    def _leaks(self, sentence: str) -> bool:
        leak = LEAK.match(sentence)
        return leak is not None and self.domain.word(leak["word"]) is not None

    def _genders(self, row: AuditRow, reading: Reading, things: Iterable[str]) -> dict[str, str | None]:
        """Of each thing: the gender that the source gives, else its words, else the text, else the name."""
        by_name = {thing: self.prover.genders(thing) for thing in things}
        told = {fact.a: fact.gender for fact in reading.facts if fact.gender and not fact.negated}
        given = {thing: gender for thing, gender in row.genders.items() if thing in things}
        return {**by_name, **reading.genders, **told, **given}

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def judge(self, row: AuditRow) -> RowVerdict:
        outcome = self.read(row)
        if isinstance(outcome, Unread):
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=outcome)
        reading, question, leaks = outcome
        label = self.domain.word(row.answer)
        things = {*question, *(thing for fact in reading.facts for thing in (fact.a, fact.b))}
        genders = tuple(sorted(self._genders(row, reading, things).items()))
        problem = Problem(reading.facts, question, genders)
        try:
            if label is None:
                raise ProbandError(f"the answer {row.answer[:40]!r} is no word of {self.domain.name}")
            decision = self.decide(numbered(problem), label)
            shown = self._shown(problem, label) if decision.verdict in ("ambiguous", "false") else {}
        except ProbandError as error:
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=Unread(str(error)))
        possible = decision.possible
        return RowVerdict(
            verdict=decision.verdict,
            label=self.domain.say(label),
            possible=possible,
            right=possible[0] if len(possible) == 1 and possible[0] != OTHER else "",
            reversed=decision.reversed,
            question=question,
            facts=problem.facts,
            genders=genders,
            sentences=reading.sentences,
            shapes=reading.shapes,
            proof=decision.proof,
            worlds=shown,
            other_worlds=decision.other_worlds,
            notes=("answer leaked",) if leaks else (),
        )

    def _decide(self, problem: Problem, label: Word) -> Decision:
        possible = self.prover.solve(problem, self.world).possible
        verdict = verdict_of(self.domain, label, possible)
        others = {
            world: verdict_of(self.domain, label, self.prover.solve(problem, world).possible)
            for world in self.domain.worlds
            if world != self.world
        }
        return Decision(
            verdict=verdict,
            possible=possible,
            reversed=verdict == "false" and self._reversed(problem, label),
            proof=self._proof(problem, possible) if verdict in ("entailed", "false") and len(possible) == 1 else (),
            other_worlds=others,
        )

    def _reversed(self, problem: Problem, label: Word) -> bool:
        """Is the label right for the question turned around?"""
        turned = self.prover.solve(problem._replace(question=problem.question[::-1]), self.world).possible
        return verdict_of(self.domain, label, turned) == "entailed"

    def _shown(self, problem: Problem, label: Word) -> dict[str, Any]:
        """Two worlds: one with the label, if there is one, and one without."""
        worlds = self.prover.solve(problem, self.world, True).worlds
        fits = [answer for answer in worlds if _fits(self.domain, label, answer)]
        rest = sorted((answer for answer in worlds if answer not in fits), key=lambda answer: answer == OTHER)
        return {answer: worlds[answer] for answer in (*fits[:1], *rest[:1])}

    def _proof(self, problem: Problem, possible: tuple[str, ...]) -> tuple[int, ...]:
        """Few facts from which the answer follows: the shortest path between the two things along which it does, or
        what is left when facts that are not needed are left out one by one."""
        for path in islice(_paths(problem), PATHS_TRIED):
            if self._enough(problem, path, possible):
                return path
        return fewest(len(problem.facts), lambda numbers: self._enough(problem, numbers, possible))

    def _enough(self, problem: Problem, numbers: Sequence[int], possible: tuple[str, ...]) -> bool:
        if len(numbers) == len(problem.facts):
            return True
        fewer = problem._replace(facts=tuple(problem.facts[n] for n in numbers))
        return next(_paths(fewer), None) is not None and self.prover.follows(fewer, possible[0], self.world)

    def is_inconsistent(self, judged: RowVerdict, numbers: Sequence[int]) -> bool:
        """Do these facts of a row contradict each other?"""
        facts = tuple(judged.facts[number] for number in numbers)
        return not self.prover.solve(judged.problem(facts), self.world).possible


def numbered(problem: Problem) -> Problem:
    """The problem with things numbered as they come, those of the question first, and sentences forgotten.

    >>> numbered(Problem((Fact("Al", "left", "Bo", None, False, 3),), ("Bo", "Al")))
    Problem(facts=(Fact(a='1', relation='left', b='0', gender=None, negated=False, sentence=-1),), \
question=('0', '1'), genders=())
    """
    number: dict[str, str] = {}
    for thing in (*problem.question, *(thing for fact in problem.facts for thing in (fact.a, fact.b))):
        number.setdefault(thing, str(len(number)))
    a, b = problem.question
    facts = tuple(f._replace(a=number[f.a], b=number[f.b], sentence=-1) for f in problem.facts)
    genders = sorted((number[thing], gender) for thing, gender in problem.genders if thing in number)
    return Problem(facts, (number[a], number[b]), tuple(genders))


def fewest(facts: int, enough: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """Numbers of facts that are enough and of which none can be left out: each is, one by one, where it can."""
    kept = tuple(range(facts))
    for number in range(facts):
        fewer = tuple(each for each in kept if each != number)
        if fewer and enough(fewer):
            kept = fewer
    return kept


def _paths(problem: Problem) -> Iterator[tuple[int, ...]]:
    """The numbers of the facts on the ways between the two things that meet nothing twice, the shortest first."""
    near: dict[str, list[tuple[str, int]]] = {}
    for number, fact in enumerate(problem.facts):
        if not fact.negated:
            near.setdefault(fact.a, []).append((fact.b, number))
            near.setdefault(fact.b, []).append((fact.a, number))
    start, goal = problem.question
    waiting: list[tuple[tuple[str, ...], tuple[int, ...]]] = [((start,), ())]
    for met, path in waiting:
        if met[-1] == goal:
            yield path
        elif len(waiting) < 20 * PATHS_TRIED:
            waiting += [((*met, there), (*path, number)) for there, number in near.get(met[-1], ()) if there not in met]
