"""Kinship as a domain of `proband audit`: facts read from any text, decided by the search for a family.

The second prover is the closure under the composition table (`logic.closure`), which shares no code with the search; it
is sound and may leave more open than the search does.

>>> from proband.core.types import Fact
>>> facts = (Fact("Bo", "child", "Al", "male"), Fact("Cy", "pibling", "Bo", "male"))
>>> solve(Problem(facts, ("Cy", "Al")), STRICT).possible
('brother', 'brother-in-law')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, product
from typing import Any, Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Domain
from proband.english.domain import Word as WordOf
from proband.english.first_names import gender_of_name
from proband.english.parsed_people import ParsedPeople
from proband.proof.problem import Problem, Prover, Solution
from proband.suites.kinship.audit.one_person import one_person, own_ancestor
from proband.suites.kinship.item_views import family_svg
from proband.suites.kinship.logic import search
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.logic.sat_clauses import witnesses
from proband.suites.kinship.logic.search import Pattern, parts
from proband.suites.kinship.world import relations
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL, NONE, STRICT, Edge, Family
from proband.suites.kinship.world.rules import OTHER, load

MOST_UNKNOWN: Final = 6  # people of unknown gender for which both genders are tried


class FamilyWorld(NamedTuple):
    """A family, and the names of its first people; the question is about the first two."""

    family: Family
    names: tuple[str, ...]


class FamilyPeople(NamedTuple):
    names: tuple[str, ...]
    genders: tuple[str | None, ...]
    edges: tuple[Edge, ...]
    query: tuple[int, int]


def provided(domain: Domain) -> Prover:
    """The prover that the domain's file names. It starts with fresh solvers, because the family that a solver finds
    depends on its earlier questions."""
    search.forget()
    worlds = worlds_of(domain)
    return Prover(
        solve=lambda problem, world, shown=False: solve(problem, worlds[world], shown),
        check=check,
        complete=False,
        draw=draw,
        describe=describe,
        second_reader=ParsedPeople(domain),
        entails=lambda problem, answer, world: entails(problem, answer, worlds[world]),
        genders=gender_of_name,
        certain_genders=partial(gender_of_name, certain=True),
        fits=fits,
        beyond=lambda problem, label, world: beyond(domain.steps_beyond, problem, label, worlds[world]),
        relations_beyond=frozenset(domain.steps_beyond),
        one_person=partial(one_person, kin={word for p in domain.words.values() for word in p.pattern.split("|")}),
        contradictory=own_ancestor,
    )


def worlds_of(domain: Domain) -> dict[str, relations.World]:
    """The worlds of the domain's file: `relaxes` lists the axioms that a world drops."""
    worlds: dict[str, relations.World] = {}
    for name in domain.worlds:
        dropped = domain.raw.get("relaxes", {}).get(name, ())
        if unknown := next((axiom for axiom in dropped if axiom not in relations.AXIOMS), None):
            known = sorted(relations.AXIOMS)
            raise ProbandError(f"domain {domain.name}: world {name!r} relaxes {unknown!r}; there are {known}")
        axioms: dict[str, Any] = dict.fromkeys(dropped, False)
        worlds[name] = relations.World(**axioms)
    return worlds


def solve(problem: Problem, world: relations.World, shown: bool = False) -> Solution:
    """The words that hold for the question in some family of the facts, with such families."""
    families: dict[str, FamilyWorld] = {}
    patterns: list[Pattern] = []
    for people in _assignments(problem, world):
        pattern, order, rest = parts(people.genders, people.edges, people.query)
        if max(_size(each, world) for each in (pattern, *rest)) > search.LARGEST:
            raise ProbandError(f"has {len(people.edges)} facts about {len(people.names)} people, too many to search")
        if all(search.families_of(each, world) for each in rest):
            patterns.append(pattern)
            names = tuple(people.names[x] for x in order)
            for answer, family in (_best if shown else search.families_of)(pattern, world).items():
                families.setdefault(answer, FamilyWorld(family, names))
    denied = [fact for fact in problem.facts if fact.negated]
    if denied:
        families = _without(problem, denied, families, world)
    possible = tuple(each for each in (*relations.RELATIONS, NONE) if each in families)
    neutrals = [NEUTRAL.get(each, NONE) for each in possible]
    always = tuple(dict.fromkeys(neutrals))
    if len(always) > 1:
        open_ = NONE in always or world.exclusive or denied
        always = (
            ()
            if open_
            else tuple(each for each in always if not any(search.find(p, world=world, avoid=[each]) for p in patterns))
        )
    certain = tuple(
        each for each, neutral in zip(possible, neutrals) if neutral in always and neutrals.count(neutral) == 1
    )
    return Solution(possible=possible, certain=certain, always=always, worlds=families if shown else {})


def _size(pattern: Pattern, world: relations.World) -> int:
    """The number of people and witnesses of a pattern, with those of the question."""
    return len(pattern[0]) + sum([witnesses(NEUTRAL[r], world) for _, r, _ in pattern[1]]) + witnesses("pibling", world)


@lru_cache(maxsize=50_000)
def _best(pattern: Pattern, world: relations.World) -> dict[str, Family]:
    """A family for each answer: families with a relation first, then small ones."""
    families = {
        answer: relations.lean(each, *pattern[1:]) for answer, each in search.families_of(pattern, world).items()
    }
    order = sorted(families, key=lambda answer: (answer == NONE, len(families[answer]), answer))
    return {answer: families[answer] for answer in order}


def entails(problem: Problem, answer: str, world: relations.World) -> bool:
    """Does the answer hold in every family? One search is enough if nothing is denied and all genders are known."""
    people = list(islice(_assignments(problem, world), 2))
    if len(people) != 1 or answer == NONE or any(fact.negated for fact in problem.facts):
        return answer in solve(problem, world).certain
    return search.entailed(people[0].genders, people[0].edges, people[0].query, answer, world=world)


def _without(
    problem: Problem, denied: Sequence[Fact], families: dict[str, FamilyWorld], world: relations.World
) -> dict[str, FamilyWorld]:
    """The answers that remain when some relations are denied, each with a family in which the denied relations fail."""
    kept: dict[str, FamilyWorld] = {}
    for answer, shown in families.items():
        if not any(_holds(shown, fact) for fact in denied):
            kept[answer] = shown
        elif len(denied) > 1 or answer == NONE:
            raise ProbandError("whether negated facts leave the answer open is too large to search")
        elif other := _avoiding(problem, denied[0], answer, world):
            kept[answer] = other
    return kept


def _holds(world: FamilyWorld, fact: Fact) -> bool:
    """Does the denied relation hold in this family? True if it does not contain both people."""
    if fact.who not in world.names or fact.of not in world.names:
        return True
    a, b = world.names.index(fact.who), world.names.index(fact.of)
    return fact.relation in world.family.neutral_relations(b, a)


def _avoiding(problem: Problem, denied: Fact, answer: str, world: relations.World) -> FamilyWorld | None:
    """A family in which the facts and the answer hold and the denied relation does not."""
    a, b = problem.question
    claim = Fact(a, NEUTRAL[answer], b, GENDER[answer])
    facts = (*(fact for fact in problem.facts if not fact.negated), claim)
    for people in _assignments(problem._replace(facts=facts, question=(denied.who, denied.of)), world):
        pattern, order, rest = parts(people.genders, people.edges, people.query)
        if all(search.families_of(each, world) for each in rest):
            family = search.find(pattern, world=world, avoid=[denied.relation])
            if family is not None:
                return FamilyWorld(family, tuple(people.names[x] for x in order))
    return None


def _assignments(problem: Problem, world: relations.World) -> Iterator[FamilyPeople]:
    """All combinations of those genders that facts need and that neither words nor names determine."""
    names = tuple(dict.fromkeys([*problem.question, *(n for f in problem.facts for n in (f.who, f.of))]))
    number = {name: x for x, name in enumerate(names)}
    known: dict[str, str | None] = {name: gender for name, gender in problem.genders if name in number}
    facts = [fact for fact in problem.facts if not fact.negated]
    by_word: dict[str, str] = {}
    for fact in facts:
        if fact.gender and {by_word.setdefault(fact.who, fact.gender), known.get(fact.who) or fact.gender} != {
            fact.gender
        }:
            return  # the same person is a man and a woman
    known |= by_word
    if world.two_genders:
        _spouses(facts, known)
    open_ = sorted({f.who for f in facts if not known.get(f.who) and not known.get(f.of)})
    if len(open_) > MOST_UNKNOWN:
        raise ProbandError(f"the genders of {len(open_)} people are unknown")
    query = (number[problem.question[1]], number[problem.question[0]])
    for choice in product((MALE, FEMALE), repeat=len(open_)):
        genders = {**known, **dict(zip(open_, choice))}
        edges = tuple(dict.fromkeys(_edge(fact, genders, number) for fact in facts))
        yield FamilyPeople(names, tuple(genders.get(name) for name in names), edges, query)


def _spouses(facts: Sequence[Fact], known: dict[str, str | None]) -> None:
    """A spouse has the other gender."""
    for _ in range(2):
        for fact in facts:
            for one, other in ((fact.who, fact.of), (fact.of, fact.who)):
                if fact.relation == "spouse" and known.get(one) and not known.get(other):
                    known[other] = FEMALE if known[one] == MALE else MALE


def _edge(fact: Fact, genders: Mapping[str, str | None], number: Mapping[str, int]) -> Edge:
    """The fact as stated about a person of known gender."""
    if gender := genders.get(fact.who):
        return number[fact.of], relations.word(fact.relation, gender), number[fact.who]
    return number[fact.who], relations.word(relations.INVERSE[fact.relation], genders[fact.of] or MALE), number[fact.of]


def check(problem: Problem, world: str) -> frozenset[str]:
    """The relations that the closure under the composition table of the strict world leaves possible."""
    left: set[str] = set()
    for people in _assignments(problem, STRICT):
        unknown = [x for x, gender in enumerate(people.genders) if gender is None]
        for choice in product((MALE, FEMALE), repeat=len(unknown)):
            genders = [g or choice[unknown.index(x)] for x, g in enumerate(people.genders)]
            closed = close(load("sound"), genders, people.edges)
            left |= set(closed.answers(*people.query)) if closed.consistent else set()
    return frozenset(NONE if each == OTHER else each for each in left)


def draw(world: FamilyWorld, question: tuple[str, str], answer: str) -> str:
    shown = "no relation" if answer == NONE else answer
    return family_svg(world.family, list(world.names), query=(0, 1), answer=shown, title=f"{question[0]}: {shown}")


def describe(world: FamilyWorld) -> dict[str, Sequence[str | int | None]]:
    family = world.family
    return {
        "people": [*world.names, *[None] * (len(family) - len(world.names))],
        "genders": family.genders,
        "father": family.father,
        "mother": family.mother,
        "spouse": [spouses[0] if spouses else None for spouses in family.spouses],
    }


def fits(answer: str, asked: WordOf) -> bool:
    """Does an `answer` (a father) satisfy what is asked for (a parent, a father)?"""
    return answer in NEUTRAL and NEUTRAL[answer] == asked.relation and asked.gender in (None, GENDER[answer])


def beyond(
    steps: Mapping[str, Sequence[tuple[str, str]]], problem: Problem, label: WordOf, world: relations.World
) -> str:
    """The verdict on a label outside the 22 relations (cousin, great-aunt): entailed if the story has a person between
    the two, false if nobody can be or, where relations exclude each other, if one of the 22 holds; otherwise undecided.

    >>> facts = (Fact("Al", "parent", "Bo", "male"), Fact("Cy", "nibling", "Al", "male"))
    >>> cousin = {"cousin": [("parent", "nibling")]}
    >>> beyond(cousin, Problem(facts, ("Cy", "Bo"), (("Bo", "male"),)), WordOf("cousin"), STRICT)
    'entailed'
    """
    possible = solve(problem, world).possible
    if not possible:
        return "inconsistent"
    if NONE not in possible and world.exclusive:
        return "false"
    a, b = problem.question
    between = [x for x in dict.fromkeys(thing for f in problem.facts for thing in (f.who, f.of)) if x not in (a, b)]
    for x in between:
        near, far = (solve(problem._replace(question=pair), world) for pair in ((x, b), (a, x)))
        for first, second in steps[label.relation]:
            if first in near.always and second in far.always:
                genders = [GENDER[each] for each in far.possible if NEUTRAL.get(each) == second]
                if label.gender is None or genders == [label.gender]:
                    return "entailed"
                return "false" if len(genders) == 1 else "gender open"
    ways = [
        (Fact(x, first, b), Fact(a, second, x, label.gender))
        for x in (*between, "somebody between them")
        for first, second in steps[label.relation]
    ]
    if not any(solve(problem._replace(facts=(*problem.facts, *way)), world).possible for way in ways):
        return "false"
    if world.dropped and beyond(steps, problem, label, STRICT) == "false":  # its families are possible here, too
        return "ambiguous"
    raise ProbandError(f"whether {label.relation!r} follows is too large to search")
