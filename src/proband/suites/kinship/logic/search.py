"""A complete search for a counter-family: is the label entailed by the story, or is there a family in which it fails?

    facts |= target   iff   no family satisfies the axioms, all facts and not target

`sat_clauses` puts the world, the facts and the question into clauses and says why a bounded number of people is enough;
a SAT solver searches them; `kernel` checks every family found before it leaves this file. Nothing here uses the rules
or the proofs of the suite, so that the two certificates of an item cannot share a mistake.

The axioms for a given number of people are loaded into a solver once; a story is then a list of assumptions, so that
what the solver learns from one story serves the next. Entailment does not depend on what people are called, nor on
facts that are not connected with the question unless these are impossible by themselves. So stories are reduced to
patterns, and a pattern is judged once.

>>> genders = ["male", "male", "female"]
>>> entailed(genders, [(0, "brother", 1), (1, "daughter", 2)], (0, 2), "niece")
True
>>> sorted(possible(["male", "male", "male"], [(0, "son", 1), (1, "uncle", 2)], (0, 2)))
['brother', 'brother-in-law']
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.suites.kinship.logic.sat_clauses import Atoms, axioms, common, fact, model_family, question, witnesses
from proband.suites.kinship.world.relations import (
    ALL_GENDER,
    ALL_NEUTRAL,
    ALL_WORDS,
    FEMALE,
    MALE,
    NONE,
    STRICT,
    Edge,
    Family,
    World,
    agrees,
    word,
)

STORIES_PER_SOLVER = 2000  # selectors pile up in a solver that serves disjunctive facts: begin afresh now and then
LARGEST = 80  # people and witnesses: the clauses grow with the cube of their number
BUDGET = 2_000_000  # of such cubes, over all solvers that are kept; some gigabyte
IDLE_WITNESSES = 8  # a solver with up to so many idle witnesses is used rather than a new one loaded
SMALL = 24  # people and witnesses; clauses for so many are kept, some ten megabytes each
Genders = tuple[str | None, ...]
Pattern = tuple[Genders, tuple[Edge, ...], tuple[int, int]]  # genders, facts, question; the question is (0, 1)


# ---- stories up to names: what a verdict depends on ----------------------------------------------------------------


def canonical(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> tuple[Pattern, list[int]]:
    """The story with the asked pair as 0 and 1 and the others numbered as the edges meet them; and who is who.

    >>> canonical(["male", "female", "male"], [(2, "mother", 1)], (2, 1))
    ((('male', 'female', 'male'), ((0, 'mother', 1),), (0, 1)), [2, 1, 0])
    """
    check_people(genders, edges, query, world)
    known = list(genders)
    for _, relation, j in edges:  # what the words say of genders; a clash is left for the search to find
        known[j] = known[j] or ALL_GENDER.get(relation)
    order = list(dict.fromkeys([*query, *(x for i, _, j in edges for x in (i, j)), *range(len(genders))]))
    number = {x: n for n, x in enumerate(order)}
    renamed = tuple(sorted({(number[i], relation, number[j]) for i, relation, j in edges}))
    pattern = (tuple(known[x] for x in order), renamed, (number[query[0]], number[query[1]]))
    return pattern, order


def parts(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> tuple[Pattern, list[int], list[Pattern]]:
    """The pattern of the facts connected with the question and who is who in it; then the patterns of the rest.

    Families of unconnected stories side by side are a family of all, so what is not connected with the question matters
    only if it has no family at all. (The question of a rest is its first fact.)

    >>> parts(["male"] * 5, [(3, "son", 1), (0, "son", 2)], (2, 0))
    ((('male', 'male'), ((1, 'son', 0),), (0, 1)), [2, 0], [(('male', 'male'), ((0, 'son', 1),), (0, 1))])
    """
    check_people(genders, edges, query, world)
    piece = list(range(len(genders)))
    for i, _, j in edges:
        old, new = piece[i], piece[j]
        if old != new:
            piece = [new if p == old else p for p in piece]
    pieces = {piece[query[0]], piece[query[1]]}
    rest = group_by_key((piece[edge[0]], edge) for edge in edges if piece[edge[0]] not in pieces)
    main = [edge for edge in edges if piece[edge[0]] in pieces]
    pattern, order = _trim(genders, main, query, world)
    return pattern, order, [_trim(genders, facts, facts[0][::2], world)[0] for facts in rest.values()]


def _trim(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World
) -> tuple[Pattern, list[int]]:
    """The canonical pattern without the people that no fact is about."""
    (known, facts, pair), order = canonical(genders, edges, query, world)
    about = 1 + max(x for i, _, j in (*facts, (0, "", 1)) for x in (i, j))
    return (known[:about], facts, pair), order[:about]


def check_people(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> None:
    """Fail in a sentence if the facts speak of people or relations that there are not."""
    for x in [*query, *(x for i, _, j in edges for x in (i, j))]:
        if not 0 <= x < len(genders):
            raise ProbandError(f"person {x} is not one of the {len(genders)} people of the story")
    for _, relation, _ in edges:
        if ALL_NEUTRAL.get(relation) not in world.neutrals:
            raise ProbandError(f"{relation!r} is not one of the 22 relations")


def restore(family: Family, order: Sequence[int]) -> Family:
    """A family of a canonical pattern with the story's own numbers again."""
    old = [*order, *range(family.named, len(family))]  # the family's number -> the story's
    turn = sorted(range(len(family)), key=old.__getitem__)

    def person(n: int | None) -> int | None:
        return None if n is None else old[n]

    return Family(
        named=family.named,
        genders=tuple(family.genders[n] for n in turn),
        father=tuple(person(family.father[n]) for n in turn),
        mother=tuple(person(family.mother[n]) for n in turn),
        spouses=tuple(tuple(sorted(old[s] for s in family.spouses[n])) for n in turn),
        world=family.world,
    )


# ---- the solvers ---------------------------------------------------------------------------------------------------


def _clauses(*, named: int, size: int, world: World) -> tuple[Atoms, dict[str, int], list[list[int]]]:
    """The axioms for so many people, and the question about the first two: its atoms by relation."""
    atoms = Atoms(named=named, size=size)
    clauses = list(axioms(atoms, world))  # they number atoms that the question has
    holds, asked = question(atoms, world)
    return atoms, holds, clauses + asked


_small_clauses = lru_cache(maxsize=8)(_clauses)


class Search:
    """A solver loaded with the axioms for `named` people and `spare` witnesses; the question is about 0 and 1.

    `open` adds witnesses for the question itself, so that one may ask for families in which some relation holds.
    """

    def __init__(self, *, named: int, spare: int, world: World, open: bool) -> None:
        from pysat.solvers import Minisat22

        self.world, self.stories = world, 0
        extra = max(witnesses(neutral, world) for neutral in world.neutrals) if open else 0
        size = named + spare + extra + common(world)
        make = _small_clauses if size <= SMALL else _clauses
        atoms, self.holds, clauses = make(named=named, size=size, world=world)
        self.atoms, self.spare = copy(atoms), range(named, named + spare)  # a copy: it goes on counting
        self.solver = Minisat22(bootstrap_with=clauses)
        self.some: dict[str, int] = {}
        if open:
            free = range(named + spare, named + spare + extra)
            for neutral in world.neutrals:
                self.some[neutral] = on = self.atoms.fresh()
                self._demand(on, (0, ALL_WORDS[neutral][0], 1), free)

    def _demand(self, on: int, edge: Edge, free: Sequence[int]) -> list[int]:
        """Clauses "on -> the edge holds", where it has two ways to hold; otherwise just its literals."""
        literals, ways = fact(self.atoms, edge, free=free, world=self.world)
        for literal in literals:
            self.solver.add_clause([-on, literal])
        if ways:
            way = self.atoms.fresh()
            for sign, literals_of_way in zip((way, -way), ways):
                for literal in literals_of_way:
                    self.solver.add_clause([-on, -sign, literal])
        return [on]

    def assume(self, genders: Genders, edges: Iterable[Edge]) -> list[int] | None:
        """The story as assumptions; None where an edge joins a person to themselves or gender clashes are in sight."""
        self.stories += 1
        literals: list[int] = []
        next_free = self.spare.start
        for edge in edges:
            i, relation, j = edge
            if i == j or genders[j] != ALL_GENDER.get(relation, genders[j]):
                return None
            free = range(next_free, next_free + witnesses(ALL_NEUTRAL[relation], self.world))
            next_free = free.stop
            own, ways = fact(self.atoms, edge, free=free, world=self.world)
            literals += self._demand(self.atoms.fresh(), edge, free) if ways else own
        male = self.atoms.male
        literals += [male(x) if gender == MALE else -male(x) for x, gender in enumerate(genders) if gender is not None]
        return literals

    def find(self, pattern: Pattern, avoid: Sequence[str] = (), some: str | None = None) -> Family | None:
        """A family of the story in which no relation of `avoid` holds of the query, and `some` does if given."""
        genders, edges, query = pattern
        literals = self.assume(genders, edges)
        if literals is None:
            return None
        literals += [-self.holds[neutral] for neutral in avoid]
        literals += [self.some[some]] if some is not None else []
        if not self.solver.solve(assumptions=literals):
            return None
        values = self.solver.get_model()
        family = model_family(self.atoms, lambda literal: values[literal - 1] > 0, world=self.world)
        held = set(family.neutral_relations(*query))
        if not agrees(family, genders, edges) or held & set(avoid) or (some is not None and some not in held):
            # cannot happen while `sat_clauses` says what `relations` means
            raise AssertionError(f"the search found a family that the kernel rejects: {pattern} {family.broken()}")
        return family


_SEARCHES: dict[tuple[int, int, World, bool], Search] = {}


def _close() -> None:
    """Solvers hold memory outside Python; let go of it before the interpreter takes their module apart."""
    for search in _SEARCHES.values():
        search.solver.delete()
    _SEARCHES.clear()


atexit.register(_close)


def forget() -> None:
    """Begin with fresh solvers and an empty memory.

    Which of several families is found depends on what the solver was asked before; after this it depends on what is
    asked from here on. Verdicts never depend on it.
    """
    _close()
    _entailed.cache_clear()
    _consistent.cache_clear()
    families_of.cache_clear()


def _room(genders: Genders, edges: Sequence[Edge], world: World) -> tuple[int, int]:
    """The people and the witnesses of a story."""
    named, spare = max(len(genders), 2), sum(witnesses(ALL_NEUTRAL[relation], world) for _, relation, _ in edges)
    if named + spare > LARGEST:
        raise ProbandError(f"too large to search: {len(genders)} people and {len(edges)} connected facts")
    return named, spare


def _search(genders: Genders, edges: Sequence[Edge], *, world: World, open: bool) -> Search:
    """The solver for stories of this size, kept from one story to the next."""
    named, spare = _room(genders, edges, world)
    spare += spare % 2
    for roomier in range(spare, spare + IDLE_WITNESSES, 2):
        search = _SEARCHES.get((named, roomier, world, open))
        if search and search.stories < STORIES_PER_SOLVER:
            return search
    if (old := _SEARCHES.pop((named, spare, world, open), None)) is not None:
        old.solver.delete()
    while _SEARCHES and sum(each.atoms.size**3 for each in _SEARCHES.values()) + (named + spare) ** 3 > BUDGET:
        _SEARCHES.pop(next(iter(_SEARCHES))).solver.delete()
    search = _SEARCHES[named, spare, world, open] = Search(named=named, spare=spare, world=world, open=open)
    return search


# ---- the questions -------------------------------------------------------------------------------------------------


def find(pattern: Pattern, *, world: World, avoid: Sequence[str] = (), some: str | None = None) -> Family | None:
    """What `Search.find` finds, with a solver that is kept."""
    if pattern[2] != (0, 1):
        raise ProbandError("the question is about one person, not two, or the pattern is not canonical")
    return _search(*pattern[:2], world=world, open=some is not None).find(pattern, avoid, some)


def _with_gender(pattern: Pattern, person: int, gender: str) -> Pattern:
    genders, edges, query = pattern
    return tuple(gender if x == person else g for x, g in enumerate(genders)), edges, query


def _counter(pattern: Pattern, target: str, world: World) -> Family | None:
    genders, _, (_, j) = pattern
    gender = ALL_GENDER.get(target)
    if genders[j] is None:  # then a family in which j is of the other gender is a counter-family too
        man, woman = (_with_gender(pattern, j, each) for each in (MALE, FEMALE))
        if gender is None:
            return _counter(man, target, world) or _counter(woman, target, world)
        own, other = (man, woman) if gender == MALE else (woman, man)
        return find(other, world=world) or _counter(own, target, world)
    return find(pattern, world=world, avoid=[ALL_NEUTRAL[target]] if gender in (None, genders[j]) else [])


def family_of(
    genders: Sequence[str | None],
    edges: Sequence[Edge],
    query: tuple[int, int],
    *,
    avoid: Sequence[str] = (),
    world: World = STRICT,
) -> Family | None:
    """A family in which the story is true and none of the neutral relations `avoid` holds of the query; None: there is
    none. It is the same one each time: a fresh solver finds it.

    >>> family_of(["male", "male"], [(0, "father", 1)], (0, 1)).relations(0, 1)
    frozenset({'father'})
    """
    pattern, order = canonical(genders, edges, query, world)
    named, spare = _room(pattern[0], edges, world)
    search = Search(named=named, spare=spare, world=world, open=False)
    try:
        family = search.find(pattern, avoid)
    finally:
        search.solver.delete()
    return family and restore(family, order)


def entailed(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], target: str, *, world: World = STRICT
) -> bool:
    """Does `target` hold of the query in every family of the story, and is there such a family?"""
    if ALL_NEUTRAL.get(target) not in world.neutrals:
        raise ProbandError(f"{target!r} is not one of the 22 relations")
    pattern, _, rest = parts(genders, edges, query, world)
    return _entailed(pattern, target, world) and all(_consistent(each, world) for each in rest)


@lru_cache(maxsize=200_000)
def _entailed(pattern: Pattern, target: str, world: World) -> bool:
    return _counter(pattern, target, world) is None and find(pattern, world=world) is not None


@lru_cache(maxsize=200_000)
def _consistent(pattern: Pattern, world: World) -> bool:
    return find(pattern, world=world) is not None


def possible(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], *, world: World = STRICT
) -> frozenset[str]:
    """The relations that hold of the query in some family of the story; 'none' where none need hold.

    Empty for an inconsistent story. In the strict world relations exclude one another, so a label is entailed iff it
    is the only one possible; in a laxer world ask `entailed`.
    """
    pattern, _, rest = parts(genders, edges, query, world)
    if not all(_consistent(each, world) for each in rest):
        return frozenset()
    return frozenset(families_of(pattern, world))


@lru_cache(maxsize=50_000)
def families_of(pattern: Pattern, world: World = STRICT) -> Mapping[str, Family]:
    """For each possible relation of the query a family in which it holds (for 'none', in which no relation does)."""
    genders, _, (_, j) = pattern
    gender = genders[j]
    if gender is None:
        return {
            **families_of(_with_gender(pattern, j, MALE), world),
            **families_of(_with_gender(pattern, j, FEMALE), world),
        }
    families: dict[str, Family] = {}
    met: list[str] = []
    while (family := find(pattern, world=world, avoid=met)) is not None:
        held = list(family.neutral_relations(*pattern[2]))
        if not held:
            families[NONE] = family
            break
        met += held
        families |= {word(neutral, gender): family for neutral in held}
    exclusive = world.by_blood and world.one_spouse and world.no_stepparents  # at most one relation holds of two people
    for neutral in world.neutrals if NONE in families or (families and not exclusive) else ():
        if neutral not in met and (family := find(pattern, world=world, some=neutral)) is not None:
            families[word(neutral, gender)] = family
    return families
