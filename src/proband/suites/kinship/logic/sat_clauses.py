"""The world as propositional clauses over named people and witnesses, for a SAT solver.

Why this is complete. The axioms of the world are universal ("for all people ...") and every relation is existential
("there is a parent of i who ..."). So give each fact its own witnesses (Skolem constants): the fact becomes a list of
atoms parent(a, b), married(a, b) and inequalities. What is left has constants and no functions, the Bernays-
Schönfinkel class with equality: it has a model iff the axioms instantiated with the constants alone have a
propositional one, with equality as a relation that the others respect. Witnesses needed per fact "j is the ... of i":

    parent, child, spouse        none
    sibling                      u, a common parent
    grandparent, grandchild      u, the one between
    parent-, child-in-law        u, the spouse in between
    uncle, aunt (nephew, niece)  u, the parent; w, a common parent of u and the uncle
    sibling-in-law               u, the spouse of one; w, a common parent of u and the other
    great-grandparent, -child    u and w, the two between
    cousin                       u and v, the parents; w, a common parent of these
    (uncle by marriage           v, the uncle's spouse, next to u and w)
    step-parent, step-child      u, the parent in between
    step-sibling                 u, the parent; w, the parent's spouse
    half-sibling                 u, the parent in common

In the blended world siblings share two parents, so a sibling has one more witness. Half- and step-siblings are not
purely existential: they do *not* share two parents, or any. In a fact this adds a universal sentence, which is still in
the class. That the two people of the question are *not* half-siblings means that the shared parent is not the only one,
which needs the other parent: the two witnesses COMMON are the parents that the two people share, if there are any.

One parent in common is enough for siblings: by axiom 2 they then have the same parents. No second parent need exist:
a family with a lone parent is a family (the function is partial), and adding a fresh spouse who becomes the other
parent of the lone parent's children changes no relation between others.

Witnesses may equal each other or named people: the variables same(a, b). Two named people are never the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Final

from proband.suites.kinship.world.relations import ALL_NEUTRAL, FEMALE, MALE, Edge, Family, World

FALSE: Final = 0  # the literal of an atom that never holds, such as parent(a, a)
COMMON: Final = 2  # witnesses of a question about half- or step-siblings: the father and mother that they share
Clause = list[int]


def witnesses(neutral: str, world: World) -> int:
    """
    >>> witnesses("pibling", World()), witnesses("sibling-in-law", World())
    (2, 2)
    """
    return max(len(path) - 1 + sum(_own(letter, world) for letter in path) for path in world.paths[neutral])


def _own(letter: str, world: World) -> int:
    """The number of witnesses of a letter itself, in addition to the people between two letters."""
    return {"p": 0, "c": 0, "s": 0, "b": world.shared, "q": 2}.get(letter, 1)


def common(world: World) -> int:
    return COMMON if any(letter in "hq" for paths in world.paths.values() for path in paths for letter in path) else 0


class Atoms:
    """Numbers for the atoms over `size` constants; the first `named` are people of the story.

    >>> atoms = Atoms(named=1, size=2)
    >>> atoms.parent[0, 1] != atoms.parent[1, 0], atoms.married[0, 1] == atoms.married[1, 0], atoms.parent[0, 0]
    (True, True, 0)
    """

    def __init__(self, *, named: int, size: int) -> None:
        self.named, self.size = named, size
        self.count = size  # atoms 1..size: constant x is male
        tables = (defaultdict[tuple[int, int], int](int) for _ in range(7))  # unset atoms are FALSE
        self.parent, self.ancestor, self.married, self.kin, self.same = (next(tables) for _ in range(5))
        self.shares, self.shares_both = tables  # shared parents of two people; set by the axioms of the blended world
        for pair in permutations(range(size), 2):  # (a, b): a is a parent, or an ancestor, of b
            self.parent[pair], self.ancestor[pair] = self.fresh(), self.fresh()
        for a, b in combinations(range(size), 2):  # kin: one ancestor in common, or one is the other's, or they are one
            self.married[a, b] = self.married[b, a] = self.fresh()
            self.kin[a, b] = self.kin[b, a] = self.fresh()
            if b >= named:  # two named people are never the same
                self.same[a, b] = self.same[b, a] = self.fresh()

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def male(self, x: int) -> int:
        return x + 1


def implies(body: Sequence[int], *head: int) -> Iterator[Clause]:
    """The clause "all of body -> one of head", unless a literal of the body is FALSE.

    >>> list(implies([1, 2], 3)), list(implies([1, FALSE], 3)), list(implies([1, 2], FALSE))
    ([[-1, -2, 3]], [], [[-1, -2]])
    """
    if FALSE not in body:
        yield [-b for b in body] + [h for h in head if h]


# ---- the axioms ----------------------------------------------------------------------------------------------------


def axioms(atoms: Atoms, world: World) -> Iterator[Clause]:
    parent, married, same, male = atoms.parent, atoms.married, atoms.same, atoms.male
    people = range(atoms.size)
    for a, b in combinations(people, 2):
        yield from implies([same[a, b], male(a)], male(b))
        yield from implies([same[a, b], male(b)], male(a))
        if world.two_genders:
            yield [-married[a, b], male(a), male(b)]
            yield [-married[a, b], -male(a), -male(b)]
    for a, b, x in permutations(people, 3):
        # what holds for a constant holds for every equal constant
        yield from implies([same[a, b], parent[a, x]], parent[b, x])
        yield from implies([same[a, b], parent[x, a]], parent[x, b])
        yield from implies([same[a, b], married[a, x]], married[b, x])
        if world.no_stepparents:
            yield [-married[a, b], -parent[a, x], parent[b, x]]
        if a < b:
            yield from implies([same[a, x], same[x, b]], same[a, b])
            if world.married_parents:  # parents of one gender are equal
                yield from implies([parent[a, x], parent[b, x]], same[a, b], married[a, b])
            if world.one_spouse:
                yield from implies([married[a, x], married[b, x]], same[a, b])
    for a, b in permutations(people, 2):
        yield from implies([same[a, b], parent[a, b]])
        if world.no_stepparents:
            yield [-married[a, b], -parent[a, b]]
    yield from _acyclic(atoms)
    if world.strangers:
        yield from _strangers(atoms)
    if world.partners_apart:
        yield from _partners_apart(atoms)
    elif not world.married_parents or not world.two_genders:
        yield from _two_parents(atoms, world)


def _two_parents(atoms: Atoms, world: World) -> Iterator[Clause]:
    """Everybody has at most two parents, from different families: one of each gender, or a first and a second."""
    parent, same, people = atoms.parent, atoms.same, range(atoms.size)
    first = defaultdict[tuple[int, int], int](int)  # whether one person is the first of the other's two parents
    for a, x in permutations(people, 2):
        first[a, x] = atoms.male(a) if world.two_genders else atoms.fresh()
    for a, b, x in permutations(people, 3):
        if a < b:
            body = [parent[a, x], parent[b, x]]
            yield from implies([*body, first[a, x], first[b, x]], same[a, b])
            yield from implies(body, same[a, b], first[a, x], first[b, x])
            if world.strangers:
                yield from implies([*body, atoms.kin[a, b]], same[a, b])


def _partners_apart(atoms: Atoms) -> Iterator[Clause]:
    """Axioms 2' and 4' for parents, axiom 6, and consequences for two people who share one or both parents."""
    parent, married, kin, same, male = atoms.parent, atoms.married, atoms.kin, atoms.same, atoms.male
    people = range(atoms.size)
    partner, step, fathers, mothers = (defaultdict[tuple[int, int], int](int) for _ in range(4))
    for a, b in permutations(people, 2):
        step[a, b] = atoms.fresh()  # a is a partner of a parent of b, and not a parent of b
        yield [-step[a, b], -kin[a, b]]
    for a, b in combinations(people, 2):
        for table in (atoms.shares, atoms.shares_both, partner, fathers, mothers):
            table[a, b] = table[b, a] = atoms.fresh()
        yield [-fathers[a, b], -mothers[a, b], atoms.shares_both[a, b]]
        yield [-married[a, b], partner[a, b]]
        yield from implies([partner[a, b], kin[a, b]], same[a, b])
    for a, b, x in permutations(people, 3):
        yield [-partner[a, b], -parent[a, x], parent[b, x], step[b, x]]
        yield [-step[a, x], -partner[b, x], -kin[a, b]]
        yield [-step[a, x], -partner[a, b], parent[b, x], -kin[b, x]]
        if a < b:
            yield from implies([parent[a, x], parent[b, x]], same[a, b], male(a), male(b))
            yield from implies([parent[a, x], parent[b, x], male(a), male(b)], same[a, b])
            yield from implies([parent[a, x], parent[b, x]], same[a, b], partner[a, b])
            yield from implies([step[a, x], step[b, x], kin[a, b]], same[a, b])
            yield [-parent[x, a], -parent[x, b], atoms.shares[a, b]]
            yield [-parent[x, a], -parent[x, b], -male(x), fathers[a, b]]
            yield [-parent[x, a], -parent[x, b], male(x), mothers[a, b]]


def _acyclic(atoms: Atoms) -> Iterator[Clause]:
    """Axiom 3. Ancestry needs no axiom for `same`: parenthood has one, and a cycle closes through it."""
    parent, ancestor = atoms.parent, atoms.ancestor
    for a, b in permutations(range(atoms.size), 2):
        yield [-parent[a, b], ancestor[a, b]]
        yield [-ancestor[a, b], -parent[b, a]]
    for a, b, c in permutations(range(atoms.size), 3):
        yield [-ancestor[a, b], -parent[b, c], ancestor[a, c]]


def _strangers(atoms: Atoms) -> Iterator[Clause]:
    """Axiom 4: kin[x, y] and parent[y, z] give kin[x, z], starting from kin[x, x]; spouses are not kin."""
    parent, kin = atoms.parent, atoms.kin
    for a, b in combinations(range(atoms.size), 2):
        yield from implies([atoms.same[a, b]], kin[a, b])
        yield [-atoms.married[a, b], -kin[a, b]]
    for a, b in permutations(range(atoms.size), 2):
        yield [-parent[a, b], kin[a, b]]
    for a, b, c in permutations(range(atoms.size), 3):
        yield [-kin[a, b], -parent[b, c], kin[a, c]]


# ---- facts: a conjunction of literals, or a disjunction of two conjunctions ----------------------------------------

FactLiterals = tuple[Clause, tuple[Clause, Clause] | None]  # literals that hold; then one of two further lists


def fact(atoms: Atoms, edge: Edge, *, free: Sequence[int], world: World) -> FactLiterals:
    """The edge as literals over its own witnesses `free`, without its gender.

    >>> atoms = Atoms(named=2, size=3)
    >>> fact(atoms, (0, "sister", 1), free=[2], world=World()) == ([atoms.parent[2, 0], atoms.parent[2, 1]], None)
    True
    """
    i, relation, j = edge
    ways = []
    for path in world.paths[ALL_NEUTRAL[relation]]:
        people, left = [i, *free[: len(path) - 1], j], list(free[len(path) - 1 :])
        literals: Clause = []
        for letter, x, y in zip(path, people, people[1:]):
            own, left = left[: _own(letter, world)], left[_own(letter, world) :]
            literals += _literals(atoms, letter, x, y, own)
        ways.append([literal for literal in literals if literal])  # -same of two named people always holds
    return (ways[0], None) if len(ways) == 1 else ([], (ways[0], ways[1]))


def _literals(atoms: Atoms, letter: str, x: int, y: int, own: Sequence[int]) -> Clause:
    """Literals for "y is the letter of x", with its own witnesses."""
    parent, married = atoms.parent, atoms.married
    match letter:
        case "p":
            return [parent[y, x]]
        case "c":
            return [parent[x, y]]
        case "s":
            return [married[x, y]]
        case "a" | "b":
            both = [parent[z, child] for z in own for child in (x, y)]
            genders = [atoms.male(own[0]), -atoms.male(own[1])] if len(own) == 2 else []
            return [*both, *genders, -atoms.same[x, y]]
        case "h":
            return [parent[own[0], x], parent[own[0], y], -atoms.shares_both[x, y]]
        case "t":
            return [parent[own[0], x], married[own[0], y], -parent[y, x]]
        case "u":
            return _literals(atoms, "t", y, x, own)
        case _:
            z, w = own
            return [parent[z, x], married[z, w], parent[w, y], -atoms.shares[x, y]]


# ---- the question: what is person 1 to person 0? -------------------------------------------------------------------


def instances(atoms: Atoms, world: World) -> Iterator[tuple[str, Clause, Clause]]:
    """Every way in which a relation can hold between 0 and 1: (neutral relation, literals, constants that differ)."""
    shared: Clause = []
    if common(world):  # the last two constants are the shared parents of 0 and 1
        shared = [atoms.fresh() for _ in range(COMMON)]
        for atom, constant, sign in zip(shared, (atoms.size - 2, atoms.size - 1), (1, -1)):
            for literal in (atoms.parent[constant, 0], atoms.parent[constant, 1], sign * atoms.male(constant)):
                yield "", [atom], [literal]
    for neutral, paths in world.paths.items():
        for path in paths:
            for between in product(range(atoms.size), repeat=len(path) - 1):
                people = (0, *between, 1)
                steps = [list(_step(atoms, letter, x, y, shared)) for letter, x, y in zip(path, people, people[1:])]
                for way in product(*steps):
                    yield neutral, [b for body, _ in way for b in body], [u for _, unless in way for u in unless]


def _step(atoms: Atoms, letter: str, x: int, y: int, shared: Clause) -> Iterator[tuple[Clause, Clause]]:
    """Every way in which y can be the letter of x: literals, and a disjunction that holds otherwise."""
    parent, married, people = atoms.parent, atoms.married, range(atoms.size)
    match letter:
        case "p" | "c" | "s":
            yield _literals(atoms, letter, x, y, ()), []
        case _ if x == y:
            return
        case "b" if atoms.shares_both[x, y]:
            yield [atoms.shares_both[x, y]], []
        case "a" if atoms.shares[x, y]:
            yield [atoms.shares[x, y]], [atoms.same[x, y]]
        case "a" | "b":
            yield from (([parent[z, x], parent[z, y]], [atoms.same[x, y]]) for z in people)
        case "h":
            yield from (([parent[z, x], parent[z, y]], [one]) for z in people for one in shared)
        case "t":
            yield from (([parent[z, x], married[z, y]], [parent[y, x]]) for z in people)
        case "u":
            yield from _step(atoms, "t", y, x, shared)
        case _:
            yield from (([parent[z, x], married[z, w], parent[w, y]], shared) for z in people for w in people)


def question(atoms: Atoms, world: World) -> tuple[dict[str, int], list[Clause]]:
    """An atom per neutral relation that is true if the relation holds between 0 and 1."""
    holds = {neutral: atoms.fresh() for neutral in world.neutrals}
    holds_or = {**holds, "": FALSE}
    clauses = [c for name, body, unless in instances(atoms, world) for c in implies(body, *unless, holds_or[name])]
    return holds, clauses


# ---- a model, back as a family -------------------------------------------------------------------------------------


def model_family(atoms: Atoms, true: Callable[[int], bool], *, world: World) -> Family:
    """The family of a propositional model: equal constants become one person, unused witnesses are dropped."""
    people: list[int] = []
    for x in range(atoms.size):
        if not any(true(atoms.same[x, y]) for y in people if atoms.same[x, y]):
            people.append(x)

    parents = {x: [a for a in people if a != x and true(atoms.parent[a, x])] for x in people}
    spouses = {x: [a for a in people if a != x and true(atoms.married[a, x])] for x in people}
    busy = {a for x in people for a in [*parents[x], *spouses[x]]} | {x for x in people if parents[x] or spouses[x]}
    people = [x for x in people if x < atoms.named or x in busy]
    number = {x: n for n, x in enumerate(people)}
    male = {x: true(atoms.male(x)) for x in people}

    def couple(x: int) -> tuple[int | None, int | None]:
        """The father and the mother; two parents of one gender come in either order."""
        own = sorted(parents[x], key=lambda a: not male[a])
        first = number[own[0]] if own and (male[own[0]] or len(own) > 1) else None
        return first, number[own[-1]] if own and (not male[own[-1]] or len(own) > 1) else None

    couples = [couple(x) for x in people]
    return Family(
        named=atoms.named,
        genders=tuple(MALE if male[x] else FEMALE for x in people),
        father=tuple(father for father, _ in couples),
        mother=tuple(mother for _, mother in couples),
        spouses=tuple(tuple(sorted(number[a] for a in spouses[x])) for x in people),
        world=world,
    )
