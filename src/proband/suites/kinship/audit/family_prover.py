"""Kinship as a domain of `proband audit`: facts read from any text, decided by the search for a family.

The second prover is the closure under the composition table (`logic.closure`), which shares no code with the search; it
is sound and may leave more open than the search does.

>>> from proband.auditing.domain import Fact
>>> facts = (Fact("Bo", "child", "Al", "male"), Fact("Cy", "pibling", "Bo", "male"))
>>> solve(Problem(facts, ("Cy", "Al")), "strict").possible
('brother', 'brother-in-law')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from typing import Any, Final, NamedTuple

from proband.auditing.domain import Domain, Fact
from proband.auditing.grammar import Grammar, split
from proband.auditing.problem import Problem, Prover, Solution
from proband.auditing.reading import Reading, Unread
from proband.auditing.things import names_in
from proband.core.errors import ProbandError
from proband.suites.kinship.logic import search
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.logic.sat_clauses import witnesses
from proband.suites.kinship.logic.search import Pattern, parts
from proband.suites.kinship.reading.grammar import read_facts
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world.families import GENDER_OF
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.relations import (
    FEMALE,
    GENDER,
    INVERSE,
    MALE,
    NEUTRAL,
    NONE,
    RELATIONS,
    WORLDS,
    Edge,
    Family,
    lean,
    word,
)
from proband.suites.kinship.world.relations import World as WorldKind
from proband.suites.kinship.world.rules import load

MOST_UNKNOWN: Final = 6  # people of unknown gender whose genders are tried
KIN_WORDS: Final = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))
_BEFORE_KIN: Final = r"(?:(?:a|an|the|his|her|their|my|really|actually|\S+'s)\s+)*"
UNSURE: Final = re.compile(  # what the reader does not look for, and what would turn a statement into another
    rf"(?i)(?:\bnot|n't|\bnever|\bno longer|\bneither|\bnor)\s+{_BEFORE_KIN}(?:{KIN_WORDS})\b|"
    rf"\bif\b[^.]*\b(?:is|was|were|be)\b[^.]*\b(?:{KIN_WORDS})\b|\b(?:maybe|perhaps|might be|supposedly|pretend\w*)\b|"
    rf"\badopt(?:ed|ive) (?:{KIN_WORDS})\b|\bfianc\w+|\b(?:step|half|god|foster|ex|great)-?(?:{KIN_WORDS})\b"
)
PRONOUN: Final = re.compile(r"(?i)\b(?:(he|his|him|himself)|(she|her|hers|herself))\b")


class World(NamedTuple):
    """A family, and the names of its first people; the question is about the first two."""

    family: Family
    names: tuple[str, ...]


class People(NamedTuple):
    names: tuple[str, ...]
    genders: tuple[str | None, ...]
    edges: tuple[Edge, ...]
    query: tuple[int, int]


def provided(domain: Domain) -> Prover:
    """What the domain's file names as its prover. It begins with fresh solvers: which of several families is shown
    depends on what a solver was asked before."""
    search.forget()
    return Prover(
        solve=solve,
        check=check,
        complete=False,
        draw=draw,
        describe=describe,
        reader=_Reader(domain),
        entails=entails,
        genders=GENDER_OF.get,
    )


def solve(problem: Problem, world: str, shown: bool = False) -> Solution:
    """The words that hold of the question in some family of the facts, and such families."""
    families: dict[str, World] = {}
    for people in _assignments(problem):
        pattern, order, rest = parts(people.genders, people.edges, people.query)
        if max(map(_size, (pattern, *rest))) > search.LARGEST:
            raise ProbandError(f"tells {len(people.edges)} facts of {len(people.names)} people, too many to search")
        if all(search.families_of(each, WORLDS[world]) for each in rest):
            names = tuple(people.names[x] for x in order)
            for answer, family in (_best if shown else search.families_of)(pattern, WORLDS[world]).items():
                families.setdefault(answer, World(family, names))
    if denied := [fact for fact in problem.facts if fact.negated]:
        families = _without(problem, denied, families, world)
    possible = tuple(each for each in (*RELATIONS, NONE) if each in families)
    certain = possible if len(possible) == 1 else ()
    return Solution(possible=possible, certain=certain, worlds=families if shown else {})


def _size(pattern: Pattern) -> int:
    """People and witnesses of a pattern in the world that needs most of them, the question's own included."""
    world = WORLDS["all-three"]
    return len(pattern[0]) + sum([witnesses(NEUTRAL[r], world) for _, r, _ in pattern[1]]) + witnesses("pibling", world)


@lru_cache(maxsize=50_000)
def _best(pattern: Pattern, world: WorldKind) -> dict[str, Family]:
    """A family for each answer, best looked at: those first in which nobody married into another generation, then those
    with a relation rather than none, then small ones."""
    families, level = search.families_of(pattern, world), search.families_of(pattern, WORLDS["one-generation"])
    best = {answer: level.get(answer, family) for answer, family in families.items()}
    order = sorted(best, key=lambda answer: (answer not in level, answer == NONE, len(best[answer]), answer))
    return {answer: lean(best[answer], pattern[1], pattern[2]) for answer in order}


def entails(problem: Problem, answer: str, world: str) -> bool:
    """Is the answer the only one? Where nothing is denied and all genders are known, one search tells."""
    people = list(islice(_assignments(problem), 2))
    if len(people) != 1 or answer == NONE or any(fact.negated for fact in problem.facts):
        return solve(problem, world).possible == (answer,)
    return search.entailed(people[0].genders, people[0].edges, people[0].query, answer, world=WORLDS[world])


def _without(problem: Problem, denied: Sequence[Fact], families: dict[str, World], world: str) -> dict[str, World]:
    """The answers that are left when some relations are denied, each with a family in which they do not hold."""
    kept: dict[str, World] = {}
    for answer, shown in families.items():
        if not any(_holds(shown, fact) for fact in denied):
            kept[answer] = shown
        elif len(denied) > 1 or answer == NONE:
            raise ProbandError("whether the answer is left open by negated facts is more than the search can be asked")
        elif other := _avoiding(problem, denied[0], answer, world):
            kept[answer] = other
    return kept


def _holds(world: World, fact: Fact) -> bool:
    """Does the denied relation hold in this family? Of people who are not in it, it may."""
    if fact.a not in world.names or fact.b not in world.names:
        return True
    a, b = world.names.index(fact.a), world.names.index(fact.b)
    return fact.relation in world.family.neutral_relations(b, a)


def _avoiding(problem: Problem, denied: Fact, answer: str, world: str) -> World | None:
    """A family of the facts in which the answer holds and the denied relation does not: asked about the denied pair."""
    a, b = problem.question
    claim = Fact(a, NEUTRAL[answer], b, GENDER[answer])
    facts = (*(fact for fact in problem.facts if not fact.negated), claim)
    for people in _assignments(problem._replace(facts=facts, question=(denied.a, denied.b))):
        pattern, order, rest = parts(people.genders, people.edges, people.query)
        if all(search.families_of(each, WORLDS[world]) for each in rest):
            family = search.find(pattern, world=WORLDS[world], avoid=[denied.relation])
            if family is not None:
                return World(family, tuple(people.names[x] for x in order))
    return None


def _assignments(problem: Problem) -> Iterator[People]:
    """The people with every combination of genders that neither words nor names tell and that facts need."""
    names = tuple(dict.fromkeys([*problem.question, *(n for f in problem.facts for n in (f.a, f.b))]))
    number = {name: x for x, name in enumerate(names)}
    known: dict[str, str | None] = {name: gender for name, gender in problem.genders if name in number}
    facts = [fact for fact in problem.facts if not fact.negated]
    by_word: dict[str, str] = {}
    for fact in facts:
        if fact.gender and {by_word.setdefault(fact.a, fact.gender), known.get(fact.a) or fact.gender} != {fact.gender}:
            return  # somebody is a man and a woman
    known |= by_word
    _spouses(facts, known)
    open_ = sorted({f.a for f in facts if not known.get(f.a) and not known.get(f.b)})
    if len(open_) > MOST_UNKNOWN:
        raise ProbandError(f"the genders of {len(open_)} people are not told")
    query = (number[problem.question[1]], number[problem.question[0]])
    for choice in product((MALE, FEMALE), repeat=len(open_)):
        genders = {**known, **dict(zip(open_, choice))}
        edges = tuple(dict.fromkeys(_edge(fact, genders, number) for fact in facts))
        yield People(names, tuple(genders.get(name) for name in names), edges, query)


def _spouses(facts: Sequence[Fact], known: dict[str, str | None]) -> None:
    """A spouse is of the other gender."""
    for _ in range(2):
        for fact in facts:
            for one, other in ((fact.a, fact.b), (fact.b, fact.a)):
                if fact.relation == "spouse" and known.get(one) and not known.get(other):
                    known[other] = FEMALE if known[one] == MALE else MALE


def _edge(fact: Fact, genders: Mapping[str, str | None], number: Mapping[str, int]) -> Edge:
    """The fact from the side of somebody whose gender is known."""
    if gender := genders.get(fact.a):
        return number[fact.b], word(fact.relation, gender), number[fact.a]
    return number[fact.a], word(INVERSE[fact.relation], genders[fact.b] or MALE), number[fact.b]


def check(problem: Problem, world: str) -> frozenset[str]:
    """What the closure under the composition table leaves open."""
    left: set[str] = set()
    for people in _assignments(problem):
        unknown = [x for x, gender in enumerate(people.genders) if gender is None]
        for choice in product((MALE, FEMALE), repeat=len(unknown)):
            genders = [g or choice[unknown.index(x)] for x, g in enumerate(people.genders)]
            left |= closure_answers(genders, people.edges, people.query)
    return frozenset(left)


def closure_answers(genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> set[str]:
    """The relations (or none) that the closure leaves open; nothing at all if the facts contradict each other."""
    closed = close(load("sound"), genders, edges)
    return {NONE if each == "other" else each for each in closed.answers(*query)} if closed.consistent else set()


def draw(world: World, question: tuple[str, str], answer: str) -> str:
    shown = "no relation" if answer == NONE else answer
    return family_svg(world.family, list(world.names), query=(0, 1), answer=shown, title=f"{question[0]}: {shown}")


def describe(world: World) -> dict[str, Any]:
    family = world.family
    return {
        "people": [*world.names, *[None] * (len(family) - len(world.names))],
        "genders": family.genders,
        "father": family.father,
        "mother": family.mother,
        "spouse": [spouses[0] if spouses else None for spouses in family.spouses],
    }


class _Reader:
    """Reads a story that the phrases of the domain do not cover; the question must be one of its forms."""

    def __init__(self, domain: Domain) -> None:
        self.grammar = Grammar(domain)

    def __call__(self, text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
        names = names_in(text, question)
        asked = self.grammar.question(question, names)
        if isinstance(asked, Unread):
            return Reading(unread=asked)
        known = {name: genders.get(name, GENDER_OF.get(name)) for name in sorted(names)}
        return replace(read(text, known, asked.pair), question=asked)


def read(text: str, genders: Mapping[str, str | None], asked: Sequence[str]) -> Reading:
    """A story in English, read strictly: each kin word must have an owner and a person, each pronoun one reading.
    `genders` has all that looks like a name."""
    if unsure := UNSURE.search(text):
        return Reading(unread=Unread(f"{unsure[0]!r} may change what is said", _around(text, unsure.start())))
    known = {name: gender for name, gender in genders.items() if gender or name in asked or _is_person(name, text)}
    if doubtful := [name for name in genders if name not in known and not _is_word(name)]:
        return Reading(unread=Unread(f"{doubtful[0]!r} may be a person or not", _around(text, text.find(doubtful[0]))))
    _infer_genders(text, known)
    if PRONOUN.search(text) and (nobody := next((name for name in known if not known[name]), "")):
        return Reading(unread=Unread(f"the gender of {nobody} is not told, and a pronoun may mean anybody", ""))
    reading = read_facts(text, known, strict=True)
    if reading.problems:
        return Reading(unread=Unread(reading.problems[0], ""))
    facts = tuple(Fact(person, NEUTRAL[kin], owner, GENDER[kin]) for owner, kin, person in reading.facts)
    return Reading(facts=facts, sentences=(text,), shapes=("",), genders=known)


def _infer_genders(text: str, known: dict[str, str | None]) -> None:
    """Genders that the text tells: by kin words, by marriage, and by a pronoun after the only name of a sentence."""
    for sentence in split(text):
        if first := PRONOUN.search(sentence):
            before = {
                name for name in known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence[: first.start()])
            }
            if len(before) == 1 and not known[only := before.pop()]:
                known[only] = MALE if first[1] else FEMALE
    facts = [Fact(person, NEUTRAL[kin], owner, GENDER[kin]) for owner, kin, person in read_facts(text, known).facts]
    for fact in facts:
        known[fact.a] = known[fact.a] or fact.gender
    _spouses(facts, known)


def _is_person(name: str, text: str) -> bool:
    """Does the text call somebody by this name: in brackets, or beside a kin word?"""
    own, kin = re.escape(name), f"(?:{KIN_WORDS})"
    beside = rf"\[{own}\]|\b{kin},? {own}\b|\b{own}'s (?:\w+ )?{kin}\b|\b{own}, h(?:is|er) {kin}\b"
    return re.search(beside, text) is not None


def _is_word(name: str) -> bool:
    """Is it an English word, which may begin a sentence?"""
    from simplemma import is_known

    return all(is_known(part, lang="en") for part in name.lower().split("-"))


def _around(text: str, place: int) -> str:
    start, end = text.rfind(". ", 0, place) + 1, text.find(". ", place)
    return text[start : end + 1 if end >= 0 else len(text)].strip()[:200]
