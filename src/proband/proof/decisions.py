"""The verdict on a label from the facts of its row, in every world; names play no part in it.

entailed      the label holds in every world of the facts          false         in none; the right answer is shown
ambiguous     in some worlds and not in others                     inconsistent  the facts have no world
gender open   the relation follows, the gender is not stated         unread        a part of it is not understood
depends on the world   the verdict differs between the worlds of the domain, and none was named

Facts that differ only in names are decided once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import OTHER, Domain
from proband.english.reading import AskedRelation, Label, Unread
from proband.proof.answers import outcome, verdict_of
from proband.proof.problem import Problem, Prover, Solution

DEPENDS, GENDER_OPEN = "depends on the world", "gender open"
VERDICTS: Final = ("entailed", "ambiguous", "false", "inconsistent", GENDER_OPEN, DEPENDS, "unread")
DECIDED: Final = VERDICTS[:4]  # the verdicts that rates are about
ACCUSING: Final = ("ambiguous", "false", "inconsistent")
DECISIONS_KEPT: Final = 20_000
PATHS_TRIED: Final = 500
NOTHING_ASKED: Final = AskedRelation("", "")


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What the findings of a group share. The same fault has the same `key` in every run."""

    key: str
    claim: str
    kind: str  # template, label, facts, open


@dataclass(frozen=True, kw_only=True)
class RowVerdict:
    """The verdict on a row. `right`: the answer that follows, if one does; `worlds`: a world for an answer."""

    verdict: str
    label: str = ""
    possible: tuple[str, ...] = ()
    right: str = ""
    correction: str = ""  # the same as a label: one of the options, where there are options
    reversed: bool = False
    asked: AskedRelation = NOTHING_ASKED
    facts: tuple[Fact, ...] = ()
    genders: tuple[tuple[str, str | None], ...] = ()
    sentences: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    proof: tuple[int, ...] = ()  # numbers of the facts from which the answer follows
    worlds: Mapping[str, Any] = field(default_factory=dict)
    by_world: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)  # verdict, possible answers
    readers: tuple[str, ...] = ()  # that read it and lead to this verdict
    one_reading: bool = False  # where two are needed
    disagree: bool = False  # unread because two readings lead to different verdicts
    unread: Unread | None = None
    cause: Cause | None = None  # where the judge knows it; else `Causes` learns it from all rows
    notes: tuple[str, ...] = ()  # "answer leaked", "duplicate with another label", ...

    @property
    def read(self) -> bool:
        """Whether it is read: by two readings, or from facts or templates, which need only one."""
        return self.verdict != "unread" and not self.one_reading

    @property
    def accused(self) -> bool:
        """Whether the row is read and its label is wrong or open."""
        return self.verdict in ACCUSING and self.read

    def shape_of(self, fact: Fact) -> str:
        """The shape of the sentence that a fact was read from, where its reader gives shapes."""
        return self.shapes[fact.sentence] if 0 <= fact.sentence < len(self.shapes) else ""

    def problem(self, facts: tuple[Fact, ...] | None = None) -> Problem:
        """What the prover was given, or the same with other facts."""
        return Problem(self.facts if facts is None else facts, self.asked.pair, self.genders)


class Decider:
    """Decides labels of one domain in some of its worlds; the first is the one that is shown."""

    def __init__(self, domain: Domain, prover: Prover, worlds: tuple[str, ...]) -> None:
        self.domain, self.prover, self.worlds, self.world = domain, prover, worlds, worlds[0]
        self._decide = lru_cache(maxsize=DECISIONS_KEPT)(self._decided)

    def decide(self, problem: Problem, asked: AskedRelation, label: Label) -> RowVerdict:
        """The verdict on a label, with the names of the problem."""
        renamed, numbers = numbered(problem, asked)
        number = {thing: place for place, thing in numbers.items()}
        own = label._replace(text=number.get(label.text, label.text))
        made = self._decide(renamed, asked.renamed(number), own)

        def named(answers: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(numbers.get(each, each) for each in answers)

        return replace(
            made,
            possible=named(made.possible),
            right=numbers.get(made.right, made.right),
            by_world={world: (verdict, named(possible)) for world, (verdict, possible) in made.by_world.items()},
            asked=asked,
            facts=problem.facts,
            genders=problem.genders,
        )

    def _decided(self, problem: Problem, asked: AskedRelation, label: Label) -> RowVerdict:
        solutions = {world: outcome(self.prover, problem, asked, world) for world in self.worlds}
        by_world = {
            world: (self._verdict(problem, asked, label, each, world), each.possible)
            for world, each in solutions.items()
        }
        verdicts = {verdict for verdict, _ in by_world.values()}
        verdict = verdicts.pop() if len(verdicts) == 1 else DEPENDS
        single = {each.certain[0] if len(each.certain) == 1 else "" for each in solutions.values()}
        right = single.pop() if len(single) == 1 and verdict != DEPENDS else ""
        possible = tuple(dict.fromkeys(answer for each in solutions.values() for answer in each.possible))
        proves = verdict in ("entailed", "false") and bool(right)
        return RowVerdict(
            verdict=verdict,
            possible=() if verdict == DEPENDS else possible,
            right="" if right == OTHER else right,
            reversed=verdict == "false" and asked.word is None and self._reversed(problem, label),
            proof=self._proof(problem, asked, solutions[self.world]) if proves else (),
            by_world=by_world,
        )

    def _verdict(self, problem: Problem, asked: AskedRelation, label: Label, solution: Solution, world: str) -> str:
        if self.prover.beyond and label.word and label.word.relation not in (*self.domain.inverse, OTHER):
            return self.prover.beyond(problem, label.word, world)
        return verdict_of(self.domain, label, asked, solution)

    def _reversed(self, problem: Problem, label: Label) -> bool:
        """Is the label right for the question turned around?"""
        turned = problem._replace(question=problem.question[::-1])
        asked = AskedRelation(*turned.question)
        known = label.word is not None and label.word.relation in self.domain.inverse
        solutions = (outcome(self.prover, turned, asked, world) for world in self.worlds)
        return known and all(verdict_of(self.domain, label, asked, each) == "entailed" for each in solutions)

    def _proof(self, problem: Problem, asked: AskedRelation, solution: Solution) -> tuple[int, ...]:
        """A small set of facts from which the answer follows: the shortest path between the two things that is
        sufficient, or the facts that remain after the others are removed one by one."""
        if asked.who and asked.of:
            for path in islice(paths(problem), PATHS_TRIED):
                if self._enough(problem, asked, path, solution):
                    return path
        return fewest(len(problem.facts), lambda numbers: self._enough(problem, asked, numbers, solution))

    def _enough(self, problem: Problem, asked: AskedRelation, numbers: Sequence[int], solution: Solution) -> bool:
        if len(numbers) == len(problem.facts):
            return True
        fewer = problem._replace(facts=tuple(problem.facts[n] for n in numbers))
        if asked.word is not None:
            try:
                return outcome(self.prover, fewer, asked, self.world) == solution
            except ProbandError:  # with fewer facts it is more than can be asked
                return False
        if len(solution.possible) > 1:
            return self.prover.solve(fewer, self.world).certain == solution.certain
        return next(paths(fewer), None) is not None and self.prover.follows(fewer, solution.certain[0], self.world)


def numbered(problem: Problem, asked: AskedRelation) -> tuple[Problem, dict[str, str]]:
    """The problem with things numbered as they come (#0, #1, ...), those of the question first, and sentences
    forgotten; and which thing has which number."""
    number: dict[str, str] = {}
    for thing in (*asked.pair, *asked.among, *(thing for fact in problem.facts for thing in (fact.who, fact.of))):
        if thing:
            number.setdefault(thing, f"#{len(number)}")
    facts = tuple(f._replace(who=number[f.who], of=number[f.of], sentence=-1) for f in problem.facts)
    genders = sorted((number[thing], gender) for thing, gender in problem.genders if thing in number)
    a, b = (number.get(each, "") for each in problem.question)
    return Problem(facts, (a, b), tuple(genders)), {own: thing for thing, own in number.items()}


def fewest(facts: int, enough: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """Numbers of the facts of a minimal sufficient set: every fact is removed that can be."""
    kept = tuple(range(facts))
    for number in range(facts):
        fewer = tuple(each for each in kept if each != number)
        if fewer and enough(fewer):
            kept = fewer
    return kept


def paths(problem: Problem) -> Iterator[tuple[int, ...]]:
    """The facts (by number) of the simple paths between the two things, shortest first."""
    near: dict[str, list[tuple[str, int]]] = {}
    for number, fact in enumerate(problem.facts):
        if not fact.negated:
            near.setdefault(fact.who, []).append((fact.of, number))
            near.setdefault(fact.of, []).append((fact.who, number))
    start, goal = problem.question
    waiting: list[tuple[tuple[str, ...], tuple[int, ...]]] = [((start,), ())]
    for met, path in waiting:
        if met[-1] == goal:
            yield path
        elif len(waiting) < 20 * PATHS_TRIED:
            waiting += [((*met, there), (*path, number)) for there, number in near.get(met[-1], ()) if there not in met]
