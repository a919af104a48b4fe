"""The verdict on one row: read its facts and its question, ask the prover, hold the label against the answer.

entailed      the label holds in every world of the facts          false         in none; what holds instead is said
ambiguous     in some worlds and not in others                     inconsistent  the facts have no world
unread        a sentence, the question or the label is not understood; the row is no part of any rate
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proband.auditing.domain import OTHER, Domain, Fact, Word
from proband.auditing.grammar import Grammar, Reading, Unread, names_in, split
from proband.auditing.problem import Problem, Prover
from proband.auditing.rows import Row
from proband.core.errors import ProbandError

VERDICTS: Final = ("entailed", "ambiguous", "false", "inconsistent", "unread")
LEAK: Final = (
    r"(?i)^(?:[^.?!]*\b)?(?:answer|label|solution|target|hint|spoiler)s?\b(?: here| of this| to the question)?"
    r"(?: is| was| would be| must be|:|\s*=|,)*\s*[\"'(\[]*(?P<word>[\w -]+?)[\"')\]]*[.!]?$"
)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A row with its verdict. `right`: the answer that follows, if one does; `worlds`: a world for an answer."""

    verdict: str
    label: str = ""
    possible: tuple[str, ...] = ()
    right: str = ""
    reversed: bool = False
    question: tuple[str, str] = ("", "")
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


class Judge:
    """Judges rows of one domain."""

    def __init__(self, domain: Domain, prover: Prover, world: str) -> None:
        self.domain, self.prover, self.world = domain, prover, world
        self.grammar = Grammar(domain)
        self.leak = re.compile(LEAK)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def read(self, row: Row) -> tuple[Reading, tuple[str, str], tuple[str, ...]] | Unread:
        """The facts, the question and the leaks of a row."""
        if row.bad:
            return Unread(row.bad)
        if row.asked:
            return self._told(row, row.asked)
        names = names_in(row.text or row.question, row.question)
        sentences = split(row.question)
        asked = self.grammar.place_of_question(sentences, names)
        if isinstance(asked, Unread):
            return asked
        place, question = asked
        if question[0] == question[1]:
            return Unread("the question is about one thing, not two", sentences[place])
        story = split(row.text) if row.text else sentences[:place]
        leaks = tuple(sentence for sentence in story if self._leaks(sentence))
        reading = self._story(" ".join(s for s in story if s not in leaks), names, row, question)
        if reading.unread:
            return reading.unread
        missing = [thing for thing in question if not any(thing in fact[:3:2] for fact in reading.facts)]
        if missing and not reading.facts:
            return Unread("the story states no fact")
        return reading, question, leaks

    def _told(self, row: Row, asked: tuple[str, str]) -> tuple[Reading, tuple[str, str], tuple[str, ...]] | Unread:
        """The facts that one of our items tells beside its text."""
        facts: list[Fact] = []
        for a, text, b in row.facts:
            word = self.domain.word(text)
            if word is None:
                return Unread(f"{text!r} is no word of {self.domain.name}")
            facts.append(Fact(a, word.relation, b, word.gender))
        return Reading(facts=tuple(facts)), asked, ()

    def _story(self, text: str, names: set[str], row: Row, asked: tuple[str, str]) -> Reading:
        reading = self.grammar.read(text, names)
        if reading.unread and self.prover.read:
            genders = {name: row.genders.get(name, self.prover.genders(name)) for name in sorted(names)}
            other: Reading = self.prover.read(text, genders, asked)
            sentence = reading.unread.sentence
            if not other.unread:
                return other
            return Reading(unread=Unread(other.unread.reason, other.unread.sentence or sentence))
        return reading

    def _leaks(self, sentence: str) -> bool:
        found = self.leak.match(sentence)
        return bool(found) and self.domain.word(found["word"]) is not None  # type: ignore[index]

    # ---- judging -----------------------------------------------------------------------------------------------------

    def judge(self, row: Row) -> Judged:
        label = self.domain.word(row.answer) if not row.bad else None
        read = self.read(row)
        if isinstance(read, Unread):
            return Judged(verdict="unread", label=row.answer[:80], unread=read)
        reading, question, leaks = read
        if label is None:
            reason = f"the answer {row.answer[:40]!r} is no word of {self.domain.name}"
            return Judged(verdict="unread", label=row.answer[:80], unread=Unread(reason))
        genders = {name: row.genders.get(name, self.prover.genders(name)) for name in _things(reading, question)}
        problem = Problem(reading.facts, question, tuple(sorted({**genders, **reading.genders}.items())))
        try:
            return self._decide(problem, label, reading, leaks)
        except ProbandError as error:
            return Judged(verdict="unread", label=row.answer[:80], unread=Unread(str(error)))

    def _decide(self, problem: Problem, label: Word, reading: Reading, leaks: tuple[str, ...]) -> Judged:
        solution = self.prover.solve(problem, self.world)
        possible = solution.possible
        verdict = verdict_of(self.domain, label, possible)
        right = possible[0] if len(possible) == 1 and possible[0] != OTHER else ""
        proof = self._proof(problem, possible) if verdict in ("entailed", "false") and len(possible) == 1 else ()
        others = {
            world: verdict_of(self.domain, label, self.prover.solve(problem, world).possible)
            for world in self.domain.worlds
            if world != self.world
        }
        return Judged(
            verdict=verdict,
            label=self.domain.say(label),
            possible=possible,
            right=right,
            reversed=verdict == "false" and self._reversed(problem, label),
            question=problem.question,
            facts=problem.facts,
            genders=problem.genders,
            sentences=reading.sentences,
            shapes=reading.shapes,
            proof=proof,
            worlds=self._shown(problem, label) if verdict == "ambiguous" else {},
            other_worlds=others,
            notes=("answer leaked",) if leaks else (),
        )

    def _reversed(self, problem: Problem, label: Word) -> bool:
        """Is the label right for the question turned round?"""
        turned = self.prover.solve(problem._replace(question=problem.question[::-1]), self.world).possible
        return verdict_of(self.domain, label, turned) == "entailed"

    def _shown(self, problem: Problem, label: Word) -> dict[str, Any]:
        """Two worlds: one with the label, one without."""
        worlds = self.prover.solve(problem, self.world, True).worlds
        fits = [answer for answer in worlds if _fits(self.domain, label, answer)]
        rest = sorted((answer for answer in worlds if answer not in fits), key=lambda answer: answer == OTHER)
        return {answer: worlds[answer] for answer in (*fits[:1], *rest[:1])}

    def _proof(self, problem: Problem, possible: tuple[str, ...]) -> tuple[int, ...]:
        """Few facts from which the answer follows: a path between the two things, or what is left when facts that are
        not needed are left out one by one."""
        path = _path(problem)
        if path and self._enough(problem, path, possible):
            return path
        kept = list(range(len(problem.facts)))
        for number in range(len(problem.facts)):
            fewer = tuple(each for each in kept if each != number)
            if fewer and self._enough(problem, fewer, possible):
                kept = list(fewer)
        return tuple(kept)

    def _enough(self, problem: Problem, numbers: tuple[int, ...], possible: tuple[str, ...]) -> bool:
        if len(numbers) == len(problem.facts):
            return True
        fewer = problem._replace(facts=tuple(problem.facts[n] for n in numbers))
        return self.prover.solve(fewer, self.world).possible == possible


def _things(reading: Reading, question: tuple[str, str]) -> list[str]:
    return sorted({*question, *(thing for fact in reading.facts for thing in (fact.a, fact.b))})


def _path(problem: Problem) -> tuple[int, ...]:
    """The numbers of the facts on a shortest way between the two things of the question."""
    near: dict[str, list[tuple[str, int]]] = {}
    for number, fact in enumerate(problem.facts):
        if not fact.negated:
            near.setdefault(fact.a, []).append((fact.b, number))
            near.setdefault(fact.b, []).append((fact.a, number))
    start, goal = problem.question
    came: dict[str, tuple[int, ...]] = {start: ()}
    waiting = [start]
    for here in waiting:
        if here == goal:
            return came[here]
        for there, number in near.get(here, ()):
            if there not in came:
                came[there] = (*came[here], number)
                waiting.append(there)
    return ()
