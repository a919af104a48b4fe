"""Families as a function of a random generator (section 3.2.1 of the paper), and the relations that hold in one.

Each of `founders` couples starts a tree of `levels` generations. A couple has a number of children from the range
`children`; a child marries with probability `marry`, either into another founder's tree (probability `cross`, when
somebody there is free) or a newcomer, who brings parents and siblings along with probability `inlaws`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from proband.core.errors import ProbandError
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRALS

NOBODY = -1
OTHER = len(NEUTRALS)  # the number that stands for "no relation of the eleven"
(
    PARENT,
    CHILD,
    SIBLING,
    SPOUSE,
    GRANDPARENT,
    GRANDCHILD,
    PIBLING,
    NIBLING,
    PARENT_IN_LAW,
    CHILD_IN_LAW,
    SIBLING_IN_LAW,
) = range(OTHER)


@dataclass(frozen=True)
class Family:
    """People are numbers; `father`, `mother` and `spouse` hold a person's number or NOBODY."""

    genders: tuple[str, ...]
    father: tuple[int, ...]
    mother: tuple[int, ...]
    spouse: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.genders)

    def parents(self, person: int) -> Iterator[int]:
        return (p for p in (self.father[person], self.mother[person]) if p != NOBODY)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The settings of the generator."""

    levels: int = 3
    children: tuple[int, int] = (1, 4)
    marry: float = 0.8
    inlaws: float = 0.6
    cross: float = 0.2
    founders: int = 2

    def __post_init__(self) -> None:
        low, high = self.children
        if self.levels < 2 or self.founders < 1:
            raise ProbandError("a family has at least 2 levels and 1 founding couple")
        if not 0 <= low <= high or high < 1:
            raise ProbandError(f"children per couple is {low}..{high}; it must be a range that reaches 1")
        for name, share in (("marry", self.marry), ("inlaws", self.inlaws), ("cross", self.cross)):
            if not 0 <= share <= 1:
                raise ProbandError(f"{name} is {share}; a probability lies between 0 and 1")


def make(rng: random.Random, shape: Shape = Shape()) -> Family:  # noqa: B008
    """A family; the same generator state gives the same family.

    >>> family = make(random.Random(1))
    >>> len(family), broken(family)
    (49, None)
    """
    grow = _Growing(rng, shape)
    level = [grow.couple(grow.person(MALE, tree=t), grow.person(FEMALE, tree=t)) for t in range(shape.founders)]
    for depth in range(1, shape.levels):
        children = [child for couple in level for child in grow.children(couple)]
        free = [child for child in children if rng.random() < shape.marry]
        level = [(child, partner) for child, partner in grow.weddings(free, last=depth == shape.levels - 1)]
    return grow.done()


class _Growing:
    """A family while it grows; `tree` tells which founders or in-laws a person descends from (all of them)."""

    def __init__(self, rng: random.Random, shape: Shape) -> None:
        self.rng, self.shape = rng, shape
        self.genders: list[str] = []
        self.father: list[int] = []
        self.mother: list[int] = []
        self.spouse: list[int] = []
        self.blood: list[frozenset[int]] = []  # ancestors and oneself

    def person(self, gender: str, *, tree: int = 0, parents: tuple[int, int] | None = None) -> int:
        number = len(self.genders)
        father, mother = parents or (NOBODY, NOBODY)
        self.genders.append(gender)
        self.father.append(father)
        self.mother.append(mother)
        self.spouse.append(NOBODY)
        inherited = self.blood[father] | self.blood[mother] if parents else frozenset()
        self.blood.append(inherited | {number})
        return number

    def couple(self, one: int, two: int) -> tuple[int, int]:
        self.spouse[one], self.spouse[two] = two, one
        return one, two

    def children(self, couple: tuple[int, int]) -> list[int]:
        parents = couple if self.genders[couple[0]] == MALE else (couple[1], couple[0])
        count = self.rng.randint(*self.shape.children)
        return [self.person(self.rng.choice((MALE, FEMALE)), parents=parents) for _ in range(count)]

    def weddings(self, free: list[int], *, last: bool) -> Iterator[tuple[int, int]]:
        for child in free:
            if self.spouse[child] == NOBODY:
                partner = self._match(child, free) if self.rng.random() < self.shape.cross else None
                yield self.couple(child, self._newcomer(child, last=last) if partner is None else partner)

    def _match(self, child: int, free: list[int]) -> int | None:
        """Somebody of the other gender and another family, for whom no wedding is planned yet."""
        fits = [
            other
            for other in free
            if self.spouse[other] == NOBODY
            and self.genders[other] != self.genders[child]
            and not self.blood[other] & self.blood[child]
        ]
        return self.rng.choice(fits) if fits else None

    def _newcomer(self, child: int, *, last: bool) -> int:
        gender = FEMALE if self.genders[child] == MALE else MALE
        if self.rng.random() >= self.shape.inlaws:
            return self.person(gender)
        parents = self.couple(self.person(MALE), self.person(FEMALE))
        newcomer = self.person(gender, parents=parents)
        for _ in range(self.rng.randint(*self.shape.children) - 1):
            self.person(self.rng.choice((MALE, FEMALE)), parents=parents)
        return newcomer

    def done(self) -> Family:
        return Family(tuple(self.genders), tuple(self.father), tuple(self.mother), tuple(self.spouse))


def broken(family: Family) -> str | None:
    """Which axiom of the world (see relations) a family breaks, or None."""
    everybody = range(len(family))
    if len({len(family.genders), len(family.father), len(family.mother), len(family.spouse)}) != 1:
        return "the lists differ in length"
    for x in everybody:
        father, mother, spouse = family.father[x], family.mother[x], family.spouse[x]
        if father != NOBODY and family.genders[father] != MALE:
            return f"the father of {x} is not male"
        if mother != NOBODY and family.genders[mother] != FEMALE:
            return f"the mother of {x} is not female"
        if spouse != NOBODY and (family.spouse[spouse] != x or family.genders[spouse] == family.genders[x]):
            return f"{x} and {spouse} are no couple"
        for parent, other in ((father, mother), (mother, father)):
            if parent != NOBODY and family.spouse[parent] != other:
                return f"the parents of {x} are not married to each other"
    blood = _ancestries(family)
    if blood is None:
        return "somebody is their own ancestor"
    for x in everybody:
        if family.spouse[x] != NOBODY and blood[x] & blood[family.spouse[x]]:
            return f"{x} and {family.spouse[x]} are of one family"
    return None


def _ancestries(family: Family) -> list[frozenset[int]] | None:
    """Everybody's ancestors and themselves, or None where ancestry has a cycle."""
    blood: dict[int, frozenset[int]] = {}
    waiting = set(range(len(family)))
    while waiting:
        ready = [x for x in sorted(waiting) if all(p in blood for p in family.parents(x))]
        if not ready:
            return None
        for x in ready:
            blood[x] = frozenset({x}).union(*(blood[p] for p in family.parents(x)))
        waiting.difference_update(ready)
    return [blood[x] for x in range(len(family))]


def matrix(family: Family) -> list[list[int]]:
    """`matrix[x][y]`: which of the eleven relations y is to x, straight from the definitions; OTHER for none.

    >>> pair = Family(("male", "female", "male"), (-1, -1, 0), (-1, -1, 1), (1, 0, -1))
    >>> [[(*NEUTRALS, "-")[r] for r in row] for row in matrix(pair)]
    [['-', 'spouse', 'child'], ['spouse', '-', 'child'], ['parent', 'parent', '-']]
    """
    n = len(family)
    p = [tuple(family.parents(x)) for x in range(n)]
    c: list[list[int]] = [[] for _ in range(n)]
    for x in range(n):
        for parent in p[x]:
            c[parent].append(x)
    b = [[y for y in c[p[x][0]] if y != x] if p[x] else [] for x in range(n)]
    s = [(y,) if y != NOBODY else () for y in family.spouse]
    table = [[OTHER] * n for _ in range(n)]
    for x, row in enumerate(table):
        for relation, people in (
            (PARENT, p[x]),
            (CHILD, c[x]),
            (SIBLING, b[x]),
            (SPOUSE, s[x]),
            (GRANDPARENT, [z for y in p[x] for z in p[y]]),
            (GRANDCHILD, [z for y in c[x] for z in c[y]]),
            (PIBLING, [z for y in p[x] for z in b[y]]),
            (NIBLING, [z for y in b[x] for z in c[y]]),
            (PARENT_IN_LAW, [z for y in s[x] for z in p[y]]),
            (CHILD_IN_LAW, [z for y in c[x] for z in s[y]]),
            (SIBLING_IN_LAW, [z for y in s[x] for z in b[y]] + [z for y in b[x] for z in s[y]]),
        ):
            for z in people:
                row[z] = relation
    return table
