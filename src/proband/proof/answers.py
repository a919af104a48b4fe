"""Labels and what they are held against: the answers that a question can have in the worlds of the facts.

A question may ask for a relation, for yes or no, or for a thing; a label may be one of its options ("(B)"), or say that
it cannot be told.

>>> split_options("Where is the river? (A) west (B) east (C) south")
('Where is the river?', {'a': 'west', 'b': 'east', 'c': 'south'})
>>> split_options("The church is (A) east (B) west of the bank.", is_answer={"east", "west"}.__contains__)
('The church is ___ of the bank.', {'a': 'east', 'b': 'west'})
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from proband.english.domain import OTHER, Domain, Word
from proband.english.reading import AskedRelation, Label
from proband.english.things import DETERMINERS, without_head
from proband.proof.problem import Problem, Prover, Solution

YES, NO, UNKNOWN = "yes", "no", "cannot be told"
OPTION: Final = re.compile(
    r"(?<![\w(])(?:\(([A-Ha-h1-8])\)|([A-Ha-h1-8])\)|([A-H])\.(?= [a-z])|(?<=[?:;] )([A-H])(?= [a-z]))\s*"
)
NO_RELATIONS: Final = frozenset(("beside", "next to", "near", "behind", "in front of", "inside", "at the same time as"))
UNDETERMINED: Final = re.compile(
    r"(?:it |this )?(?:(?:cannot|can't|can not) (?:be )?(?:told|tell|say|said|know|known|determined?|inferred|decided)"
    r"|unknown|undetermined|indeterminate|not enough information|impossible to (?:say|tell|know)|maybe)"
)
UNRELATED: Final = frozenset(("none", "no relation", "not related", "unrelated", "no relation of these"))
_DIRECTIONS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
STEPS: Final = {short: step for name, step in _DIRECTIONS.items() for short in (name, name[0])}
MOST_THINGS: Final = 40  # that are held against each other where a thing is asked for


def split_options(
    question: str, *, is_answer: Callable[[str], object] = lambda text: False
) -> tuple[str, dict[str, str]]:
    """A question without its options, and these by their letters. If options stand in the midst of a statement, what
    follows the last one that `is_answer` belongs to the statement."""
    marks = list(OPTION.finditer(question))
    letters = [next(filter(None, mark.groups())).lower() for mark in marks]
    if len(marks) < 2 or letters != sorted(set(letters)) or letters[0] not in ("a", "1"):
        return question, {}
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    options = {
        letter: question[mark.end() : end].strip().rstrip(",;") for letter, mark, end in zip(letters, marks, ends)
    }
    stem = re.sub(r"(?:Options|Choices|Choose(?: one)?):?\s*$", "", question[: marks[0].start()].rstrip()).rstrip(" :")
    stem = re.sub(r"\.\.\.|…", "___", stem)
    if "?" not in stem and "___" not in stem:
        words = options[letters[-1]].split()
        starts = ((n, " ".join(words[:n]).rstrip(".?!")) for n in range(len(words), 0, -1))
        own = next((n for n, start in starts if start in NO_RELATIONS or is_answer(start)), len(words))
        options[letters[-1]] = " ".join(words[:own])
        stem = " ".join([stem, "___", *words[own:]])
    return stem, {letter: text.rstrip(".?!") for letter, text in options.items()}


def read_label(
    text: str, *, domain: Domain, asked: AskedRelation, options: Mapping[str, str], things: Iterable[str]
) -> Label | None:
    """What a label says of this question; None if it is no answer to it."""
    plain = " ".join(text.strip().strip("\"'").rstrip(".!").split())
    letter = plain.strip("()[]. ").lower()
    if options:
        marked = OPTION.match(plain)
        letter = next(filter(None, marked.groups())).lower() if marked else letter
        plain = options.get(letter, plain)
    lower = plain.lower()
    if UNDETERMINED.fullmatch(lower):
        return Label(None, UNKNOWN)
    if asked.route:
        steps = [STEPS.get(step) for step in re.findall(r"[a-z]+", lower)]
        known = [step for step in steps if step]
        return Label(None, _moved(sum(x for x, _ in known), sum(y for _, y in known))) if all(steps) and steps else None
    if asked.word and asked.who:
        answer = {"yes": YES, "true": YES, "no": NO, "false": NO}.get(re.split(r"[ ,]", lower)[0])
        return Label(None, answer) if answer else None
    if asked.word:
        thing = _thing(lower, list(things))
        return Label(None, thing) if thing else None
    if domain.other and lower in UNRELATED:
        return Label(Word(OTHER), OTHER)
    plain = re.sub(r"(?i)^(?:it|he|she|they)(?:['’]s| is| are| was| were) ", "", plain)
    plain = re.sub(r"(?i)^(to|on|at) (?:its|his|her|their) ", r"\1 the ", plain)
    word = domain.word(re.sub(r"(?i)(?: (?:of|to|than|from))?(?: (?:it|her|him|them))?$", "", plain))
    return Label(word, domain.say(word)) if word else None


def _thing(text: str, things: Sequence[str]) -> str:
    """The thing that an answer means: all its words in their order, or the only one that ends so."""
    words = [each for each in re.findall(r"[\w'-]+", text) if each not in DETERMINERS]
    lowered = {thing: thing.lower().split() for thing in things}
    same = [thing for thing, own in lowered.items() if own == words]
    heads = [thing for thing, own in lowered.items() if words and own[-len(words) :] == words]
    if words[-1:] in (["one"], ["ones"]):  # the black one
        heads = [
            thing for thing, own in lowered.items() if own[: len(words) - 1] == words[:-1] and len(own) == len(words)
        ]
    return same[0] if same else heads[0] if len(heads) == 1 else without_head(words, things)


# ---- what follows ----------------------------------------------------------------------------------------------------


YES_OR_NO: Final = {
    "entailed": Solution((YES,), (YES,)),
    "false": Solution((NO,), (NO,)),
    "gender open": Solution((YES, NO)),
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
    things = list(dict.fromkeys(thing for fact in problem.facts for thing in (fact.who, fact.of)))[:MOST_THINGS]
    held = _Held(prover, problem, asked.word, world, fits=prover.fits if asked.of else prover.along)
    if asked.of:
        return _collect(held, [t for t in things if t != asked.of], lambda t: held.of(t, asked, things))
    candidates = list(asked.among) or things
    others = list(asked.among) if asked.among else things
    return _collect(held, candidates, lambda t: held.ranked(t, others, asked.rank))


def _moved(x: int, y: int) -> str:
    return f"{x:+d} right, {y:+d} up"


def _route(prover: Prover, problem: Problem, world: str) -> Solution:
    """How far one comes, where each fact is a step and facts lead from the one to the other."""
    worlds = prover.solve(problem, world, True).worlds
    a, b = problem.question
    if not worlds:
        return Solution()
    met, waiting = {b}, [b]
    for here in waiting:
        near = [f.of if f.who == here else f.who for f in problem.facts if here in (f.who, f.of) and not f.negated]
        waiting += [there for there in dict.fromkeys(near) if there not in met]
        met |= set(near)
    if world != "unit" or a not in met:
        return Solution((UNKNOWN,))
    place = next(iter(worlds.values()))
    moved = _moved(place[a]["x"] - place[b]["x"], place[a]["y"] - place[b]["y"])
    return Solution((moved,), (moved,))


def _holds(fitting: Callable[[str, Word], bool], solution: Solution, word: Word) -> tuple[bool, bool]:
    """Does the word hold (in some world, in all)? An answer may say more than the word, a gender for instance."""
    fits = [fitting(each, word) for each in solution.possible]
    certain = any(fitting(each, word) for each in solution.certain)
    return any(fits), certain or (bool(fits) and all(fits))


def _yes_or_no(prover: Prover, solution: Solution, word: Word) -> Solution:
    if not solution.possible:
        return Solution()
    some, all_ = _holds(prover.fits, solution, word)
    if all_:
        return Solution((YES,), (YES,))
    return Solution((YES, NO)) if some else Solution((NO,), (NO,))


class _Held:
    """Whether a relation holds of pairs of things: in all worlds, in some, in none."""

    def __init__(
        self, prover: Prover, problem: Problem, word: Word, world: str, *, fits: Callable[[str, Word], bool]
    ) -> None:
        self.prover, self.problem, self.word, self.world, self.fits = prover, problem, word, world, fits
        self.known: dict[tuple[str, str], tuple[bool, bool]] = {}
        self.consistent = True

    def pair(self, a: str, b: str) -> tuple[bool, bool]:
        """(in some world, in all)."""
        if (a, b) not in self.known:
            solution = self.prover.solve(self.problem._replace(question=(a, b)), self.world)
            self.consistent = self.consistent and bool(solution.possible)
            self.known[a, b] = _holds(self.fits, solution, self.word)
        return self.known[a, b]

    def of(self, thing: str, asked: AskedRelation, things: Sequence[str]) -> tuple[bool, bool]:
        some, all_ = self.pair(thing, asked.of)
        if not asked.adjacent or not some:
            return some, all_
        between = [(self.pair(u, asked.of), self.pair(thing, u)) for u in things if u not in (thing, asked.of)]
        if any(one[1] and other[1] for one, other in between):
            return False, False
        return some, all_ and not any(one[0] and other[0] for one, other in between)

    def ranked(self, thing: str, things: Sequence[str], rank: int) -> tuple[bool, bool]:
        """Is it so to all things but `rank` - 1, which are so to it?"""
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


def verdict_of(domain: Domain, label: Label, asked: AskedRelation, found: Solution) -> str:
    """entailed, false, ambiguous, gender open (right but for a gender that is not told), or inconsistent."""
    possible, certain = found.possible, found.certain
    if not possible:
        return "inconsistent"
    if asked.route and possible == (UNKNOWN,):
        return "ambiguous"
    if label.text == UNKNOWN:
        return "false" if certain else "entailed"
    fits = [each for each in possible if fits_label(domain, label, each)]
    if not fits:
        return "false"
    if asked.word is None and len(fits) == len(possible):
        return "entailed"
    if any(each in fits for each in certain):
        return "entailed"
    relations = {word.relation for each in possible if (word := domain.word(each))}
    open_ = label.word and asked.word is None and OTHER not in possible and relations == {label.word.relation}
    return "gender open" if open_ else "ambiguous"


def fits_label(domain: Domain, label: Label, answer: str) -> bool:
    """Is the answer what the label says? A label without a gender says no gender."""
    if label.word is None or answer == OTHER:
        return label.text == answer
    word = domain.word(answer)
    return word is not None and word.relation == label.word.relation and label.word.gender in (None, word.gender)
