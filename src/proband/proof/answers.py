"""The possible answers of a question in the worlds of its facts, and the verdict on a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from proband.core.errors import ProbandError
from proband.english.domain import OTHER, Domain, Word
from proband.english.labels import NO, UNKNOWN, YES, moved
from proband.english.reading import AskedRelation, Label
from proband.proof.problem import Problem, Prover, Solution

MOST_THINGS: Final = 24  # that are held against each other where a thing is asked for
YES_OR_NO: Final = {
    "entailed": Solution((YES,), (YES,)),
    "false": Solution((NO,), (NO,)),
    **dict.fromkeys(("ambiguous", "gender open"), Solution((YES, NO))),
    "inconsistent": Solution(),
}


def outcome(prover: Prover, problem: Problem, asked: AskedRelation, world: str) -> Solution:
    """The answers to a question in a world."""
    if asked.route:
        return _route(prover, problem, world)
    if asked.word is None:
        return prover.solve(problem, world)
    if asked.who and prover.beyond and asked.word.relation in prover.relations_beyond:
        return YES_OR_NO[prover.beyond(problem, asked.word, world)]
    if asked.who:
        return _yes_or_no(prover, prover.solve(problem, world), asked.word)
    things = list(dict.fromkeys(thing for fact in problem.facts for thing in (fact.who, fact.of)))
    if len(things) > MOST_THINGS:
        raise ProbandError(f"{len(things)} things are too many to compare")
    held = _Held(prover, problem, asked.word, world, fits=prover.fits if asked.of else prover.includes)
    among = asked.among or things
    if asked.of:
        return _collect(held, [t for t in among if t != asked.of], lambda t: held.of(t, asked, things))
    return _collect(held, among, lambda t: held.ranked(t, among, asked.rank))


def _route(prover: Prover, problem: Problem, world: str) -> Solution:
    """The distance from one thing to the other, where each fact is a step."""
    worlds = prover.solve(problem, world, True).worlds
    a, b = problem.question
    if not worlds:
        return Solution()
    met, waiting = {b}, [b]
    for here in waiting:
        near = [f.of if f.who == here else f.who for f in problem.facts if here in (f.who, f.of) and not f.negated]
        waiting += [there for there in dict.fromkeys(near) if there not in met]
        met |= set(near)
    if world != prover.step_world or a not in met:
        return Solution((UNKNOWN,))
    place = next(iter(worlds.values()))
    way = moved(place[a]["x"] - place[b]["x"], place[a]["y"] - place[b]["y"])
    return Solution((way,), (way,))


def _holds(fitting: Callable[[str, Word], bool], solution: Solution, word: Word) -> tuple[bool, bool]:
    """Does the word hold (in some world, in all)? An answer may be more specific than the word, for example by
    gender."""
    fits = [fitting(each, word) for each in solution.possible]
    certain = word.gender is None and word.relation in solution.always
    certain = certain or any(fitting(each, word) for each in solution.certain)
    return any(fits), certain or (bool(fits) and all(fits))


def _yes_or_no(prover: Prover, solution: Solution, word: Word) -> Solution:
    some, all_ = _holds(prover.fits, solution, word)
    return YES_OR_NO[
        "inconsistent" if not solution.possible else "entailed" if all_ else "ambiguous" if some else "false"
    ]


class _Held:
    """Whether a relation holds of pairs of things: in all worlds, in some, in none."""

    def __init__(
        self, prover: Prover, problem: Problem, word: Word, world: str, *, fits: Callable[[str, Word], bool]
    ) -> None:
        self.prover, self.problem, self.word, self.world, self.fits = prover, problem, word, world, fits
        self.pair, self.consistent = cache(self._pair), True

    def _pair(self, a: str, b: str) -> tuple[bool, bool]:
        """(in some world, in all)."""
        solution = self.prover.solve(self.problem._replace(question=(a, b)), self.world)
        self.consistent = self.consistent and bool(solution.possible)
        return _holds(self.fits, solution, self.word)

    def of(self, thing: str, asked: AskedRelation, things: Sequence[str]) -> tuple[bool, bool]:
        some, all_ = self.pair(thing, asked.of)
        if not asked.adjacent or not some:
            return some, all_
        between = [(self.pair(u, asked.of), self.pair(thing, u)) for u in things if u not in (thing, asked.of)]
        if any(one[1] and other[1] for one, other in between):
            return False, False
        return some, all_ and not any(one[0] and other[0] for one, other in between)

    def ranked(self, thing: str, things: Sequence[str], rank: int) -> tuple[bool, bool]:
        """Do exactly `rank` - 1 things precede it, and does it precede all others?"""
        others = [u for u in things if u != thing]
        before = [self.pair(u, thing) for u in others]
        behind = [self.pair(thing, u) for u in others]
        surely_before, perhaps_before = sum(all_ for _, all_ in before), sum(some for some, _ in before)
        surely_behind, perhaps_behind = sum(all_ for _, all_ in behind), sum(some for some, _ in behind)
        rest = len(others) - (rank - 1)
        some = surely_before <= rank - 1 <= perhaps_before and surely_behind <= rest <= perhaps_behind
        return some, surely_before == rank - 1 and surely_behind == rest


def _collect(held: _Held, things: Sequence[str], holds: Callable[[str], tuple[bool, bool]]) -> Solution:
    found = {thing: holds(thing) for thing in things}
    if not held.consistent:
        return Solution()
    possible = tuple(thing for thing, (some, _) in found.items() if some)
    certain = tuple(thing for thing, (_, all_) in found.items() if all_)
    return Solution(possible or (UNKNOWN,), certain)


def verdict_of(domain: Domain, label: Label, asked: AskedRelation, solution: Solution) -> str:
    """entailed, false, ambiguous, gender open (right except for a gender that is not stated), or inconsistent."""
    possible, certain = solution.possible, solution.certain
    if not possible:
        return "inconsistent"
    if asked.route and possible == (UNKNOWN,):
        return "ambiguous"
    if label.text == UNKNOWN:
        return "false" if certain else "gender open" if solution.always else "entailed"
    fits = [each for each in possible if fits_label(domain, label, each)]
    if not fits:
        return "false"
    if (asked.word is None and len(fits) == len(possible)) or any(each in fits for each in certain):
        return "entailed"
    if asked.word and asked.word.gender and not asked.who and len(fits) == len(possible) == 1:
        return "gender open"  # the only one it can be, if the gender is right
    if asked.word is None and label.word and label.word.relation in solution.always:
        return "gender open" if label.word.gender else "entailed"
    return "ambiguous"


def fits_label(domain: Domain, label: Label, answer: str) -> bool:
    """Does the answer fit the label? A label without a gender fits either."""
    if label.word is None or answer == OTHER:
        return label.text == answer
    word = domain.word(answer)
    return word is not None and word.relation == label.word.relation and label.word.gender in (None, word.gender)
