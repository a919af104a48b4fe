"""A complete search for a counter-family: is the label entailed by the story, or is there a family in which it fails?

    facts |= target   iff   no family satisfies the axioms, all facts and not target

`sat_clauses` translates the world, the facts and the question into clauses and explains why a bounded number of people
is enough. A SAT solver searches them, and the kernel (world/relations.py) checks every family. Nothing here uses the
rules or proofs of the suite, so the two certificates of an item cannot share an error.

The axioms for a given number of people are loaded into a solver once. A story is a list of assumptions, so what the
solver learns from one story helps with the next. Entailment does not depend on names, nor on facts that are not
connected with the question (unless they are contradictory). So stories are reduced to patterns, and each pattern is
judged once.

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
from proband.suites.kinship.world import relations
from proband.suites.kinship.world.relations import ALL_GENDER, ALL_NEUTRAL, FEMALE, MALE, STRICT, Edge, Family, World

STORIES_PER_SOLVER = 2000  # selectors accumulate in a solver with disjunctive facts, so it is replaced now and then
LARGEST = 80  # people and witnesses: the clauses grow with the cube of their number
BUDGET = 2_000_000  # sum of these cubes over all kept solvers; about a gigabyte
IDLE_WITNESSES = 8  # a solver with up to this many unused witnesses is reused instead of loading a new one
SMALL = 24  # people and witnesses; clauses for so many are kept, about ten megabytes each
Genders = tuple[str | None, ...]
Pattern = tuple[Genders, tuple[Edge, ...], tuple[int, int]]  # genders, facts, question; the question is (0, 1)


# ---- stories without names: what a verdict depends on --------------------------------------------------------------


def canonical(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> tuple[Pattern, list[int]]:
    """The story with the asked pair as 0 and 1 and other people numbered in order of their edges; and the old numbers.

    >>> canonical(["male", "female", "male"], [(2, "mother", 1)], (2, 1))
    ((('male', 'female', 'male'), ((0, 'mother', 1),), (0, 1)), [2, 1, 0])
    """
    check_people(genders, edges, query, world)
    known = list(genders)
    for _, relation, j in edges:  # genders from words; the search finds a contradiction
        known[j] = known[j] or ALL_GENDER.get(relation)
    order = list(dict.fromkeys([*query, *(x for i, _, j in edges for x in (i, j)), *range(len(genders))]))
    number = {x: n for n, x in enumerate(order)}
    renamed = tuple(sorted({(number[i], relation, number[j]) for i, relation, j in edges}))
    pattern = (tuple(known[x] for x in order), renamed, (number[query[0]], number[query[1]]))
    return pattern, order


def parts(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> tuple[Pattern, list[int], list[Pattern]]:
    """The pattern of the facts connected with the question and its old numbers; then the patterns of the other facts.

    Families of unconnected stories together are a family of all, so facts that are not connected with the question
    matter only if they have no family. (The question of such a pattern is its first fact.)

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
    """The canonical pattern without people who occur in no fact."""
    (known, facts, pair), order = canonical(genders, edges, query, world)
    about = 1 + max(x for i, _, j in (*facts, (0, "", 1)) for x in (i, j))
    return (known[:about], facts, pair), order[:about]


def check_people(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], world: World = STRICT
) -> None:
    """Raise an error if the facts contain unknown people or relations."""
    for x in [*query, *(x for i, _, j in edges for x in (i, j))]:
        if not 0 <= x < len(genders):
            raise ProbandError(f"person {x} is not one of the {len(genders)} people of the story")
    for _, relation, _ in edges:
        if ALL_NEUTRAL.get(relation) not in world.neutrals:
            raise ProbandError(f"{relation!r} is no relation of this world")


# ---- the solvers ---------------------------------------------------------------------------------------------------


def _clauses(*, named: int, size: int, world: World) -> tuple[Atoms, dict[str, int], list[list[int]]]:
    """The axioms for this many people, and the question about the first two: its atoms by relation."""
    atoms = Atoms(named=named, size=size)
    clauses = list(axioms(atoms, world))  # they number atoms that the question uses
    holds, asked = question(atoms, world)
    return atoms, holds, clauses + asked


_small_clauses = lru_cache(maxsize=8)(_clauses)


class Search:
    """A solver loaded with the axioms for `named` people and `spare` witnesses; the question is about 0 and 1.

    `open` adds witnesses for the question itself, to find families in which some relation holds.
    """

    def __init__(self, *, named: int, spare: int, world: World, open: bool) -> None:
        from pysat.solvers import Minisat22

        self.world, self.stories = world, 0
        extra = max(witnesses(neutral, world) for neutral in world.neutrals) if open else 0
        size = named + spare + extra + common(world)
        make = _small_clauses if size <= SMALL else _clauses
        atoms, self.holds, clauses = make(named=named, size=size, world=world)
        self.atoms, self.spare = copy(atoms), range(named, named + spare)  # a copy, because it goes on counting
        self.solver = Minisat22(bootstrap_with=clauses)
        self.some: dict[str, int] = {}
        if open:
            free = range(named + spare, named + spare + extra)
            for neutral in world.neutrals:
                self.some[neutral] = on = self.atoms.fresh()
                self._demand(on, (0, relations.ALL_WORDS[neutral][0], 1), free)

    def _demand(self, on: int, edge: Edge, free: Sequence[int]) -> list[int]:
        """Clauses "on -> the edge holds" if it can hold in two ways; otherwise only its literals."""
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
        """The story as assumptions; None if an edge joins a person to themselves or genders clash."""
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
        """A family of the story in which no relation of `avoid` holds for the query, and `some` does if given."""
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
        if not relations.agrees(family, genders, edges) or held & set(avoid) or (some is not None and some not in held):
            # cannot happen if `sat_clauses` and `relations` agree
            raise AssertionError(f"the search found a family that the kernel rejects: {pattern} {family.broken()}")
        return family


_SEARCHES: dict[tuple[int, int, World, bool], Search] = {}


def _close() -> None:
    """Free the solvers' memory, which is outside Python, before the interpreter unloads their module."""
    for search in _SEARCHES.values():
        search.solver.delete()
    _SEARCHES.clear()


atexit.register(_close)


def forget() -> None:
    """Start with fresh solvers and empty caches.

    Which of several families is found depends on the earlier questions of a solver. Verdicts do not depend on it.
    """
    _close()
    _entailed.cache_clear()
    _consistent.cache_clear()
    families_of.cache_clear()


def _room(genders: Genders, edges: Sequence[Edge], world: World) -> tuple[int, int]:
    """The numbers of people and witnesses of a story."""
    named, spare = max(len(genders), 2), sum(witnesses(ALL_NEUTRAL[relation], world) for _, relation, _ in edges)
    if named + spare > LARGEST:
        raise ProbandError(f"too large to search: {len(genders)} people and {len(edges)} connected facts")
    return named, spare


def _search(genders: Genders, edges: Sequence[Edge], *, world: World, open: bool) -> Search:
    """The solver for stories of this size, reused between stories."""
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
    """The result of `Search.find`, with a reused solver."""
    if pattern[2] != (0, 1):
        raise ProbandError("the question is about one person, not two, or the pattern is not canonical")
    return _search(*pattern[:2], world=world, open=some is not None).find(pattern, avoid, some)


def _with_gender(pattern: Pattern, person: int, gender: str) -> Pattern:
    genders, edges, query = pattern
    return tuple(gender if x == person else g for x, g in enumerate(genders)), edges, query


def _counter(pattern: Pattern, target: str, world: World) -> Family | None:
    genders, _, (_, j) = pattern
    gender = ALL_GENDER.get(target)
    if genders[j] is None:  # a family in which j has the other gender is also a counter-family
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
    """A family in which the story is true and no neutral relation of `avoid` holds for the query, or None. A fresh
    solver finds it, so it is always the same.

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
    if family is None:
        return None
    old = [*order, *range(family.named, len(family))]  # the family's number -> the story's
    return family.renumbered(sorted(range(len(family)), key=old.__getitem__))


def entailed(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int], target: str, *, world: World = STRICT
) -> bool:
    """Does `target` hold for the query in every family of the story, and is there such a family?"""
    if ALL_NEUTRAL.get(target) not in world.neutrals:
        raise ProbandError(f"{target!r} is no relation of this world")
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
    """The relations that hold for the query in some family of the story; 'none' if none need hold.

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
            families[relations.NONE] = family
            break
        met += held
        families |= {relations.word(neutral, gender): family for neutral in held}
    for neutral in world.neutrals if relations.NONE in families or (families and not world.exclusive) else ():
        if neutral not in met and (family := find(pattern, world=world, some=neutral)) is not None:
            families[relations.word(neutral, gender)] = family
    return families
