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
from proband.suites.kinship.world.kernel import Family
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRALS

OTHER = len(NEUTRALS)  # the number that stands for "no relation of the eleven"


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
        if not 0 <= low <= high or high < 1:
            raise ProbandError(f"children per couple is {low}..{high}; it must be a range that reaches 1")


def make(rng: random.Random, shape: Shape = Shape()) -> Family:  # noqa: B008
    """A family; the same generator state gives the same family.

    >>> family = make(random.Random(1))
    >>> len(family), family.broken()
    (49, None)
    """
    grow = _Growing(rng, shape)
    level = [grow.couple(grow.person(MALE), grow.person(FEMALE)) for _ in range(shape.founders)]
    for _ in range(1, shape.levels):
        children = [child for couple in level for child in grow.children(couple)]
        free = [child for child in children if rng.random() < shape.marry]
        level = list(grow.weddings(free))
    return grow.done()


class _Growing:
    """A family while it grows."""

    def __init__(self, rng: random.Random, shape: Shape) -> None:
        self.rng, self.shape = rng, shape
        self.genders: list[str] = []
        self.father: list[int | None] = []
        self.mother: list[int | None] = []
        self.spouse: list[int | None] = []
        self.blood: list[frozenset[int]] = []  # ancestors and oneself

    def person(self, gender: str, parents: tuple[int, int] | tuple[()] = ()) -> int:
        number = len(self.genders)
        father, mother = parents or (None, None)
        self.genders.append(gender)
        self.father.append(father)
        self.mother.append(mother)
        self.spouse.append(None)
        self.blood.append(frozenset({number}).union(*(self.blood[parent] for parent in parents)))
        return number

    def couple(self, one: int, two: int) -> tuple[int, int]:
        self.spouse[one], self.spouse[two] = two, one
        return one, two

    def children(self, couple: tuple[int, int]) -> list[int]:
        parents = couple if self.genders[couple[0]] == MALE else (couple[1], couple[0])
        count = self.rng.randint(*self.shape.children)
        return [self.person(self.rng.choice((MALE, FEMALE)), parents) for _ in range(count)]

    def weddings(self, free: list[int]) -> Iterator[tuple[int, int]]:
        for child in free:
            if self.spouse[child] is None:
                partner = self._match(child, free) if self.rng.random() < self.shape.cross else None
                yield self.couple(child, self._newcomer(child) if partner is None else partner)

    def _match(self, child: int, free: list[int]) -> int | None:
        """Somebody of the other gender and another family, for whom no wedding is planned yet."""
        fits = [
            other
            for other in free
            if self.spouse[other] is None
            and self.genders[other] != self.genders[child]
            and not self.blood[other] & self.blood[child]
        ]
        return self.rng.choice(fits) if fits else None

    def _newcomer(self, child: int) -> int:
        gender = FEMALE if self.genders[child] == MALE else MALE
        if self.rng.random() >= self.shape.inlaws:
            return self.person(gender)
        parents = self.couple(self.person(MALE), self.person(FEMALE))
        newcomer = self.person(gender, parents)
        for _ in range(self.rng.randint(*self.shape.children) - 1):
            self.person(self.rng.choice((MALE, FEMALE)), parents)
        return newcomer

    def done(self) -> Family:
        return Family(
            named=len(self.genders),
            genders=tuple(self.genders),
            father=tuple(self.father),
            mother=tuple(self.mother),
            spouses=tuple(() if spouse is None else (spouse,) for spouse in self.spouse),
        )


def matrix(family: Family) -> list[list[int]]:
    """`matrix[x][y]`: which of the eleven relations y is to x, straight from the definitions; OTHER for none.

    >>> pair = Family(named=3, genders=("male", "female", "male"), father=(None, None, 0), mother=(None, None, 1),
    ...               spouses=((1,), (0,), ()))
    >>> [[(*NEUTRALS, "-")[r] for r in row] for row in matrix(pair)]
    [['-', 'spouse', 'child'], ['spouse', '-', 'child'], ['parent', 'parent', '-']]
    """
    n = len(family)
    p, s = family.parents, family.spouses
    c: list[list[int]] = [[] for _ in range(n)]
    for x in range(n):
        for parent in p[x]:
            c[parent].append(x)
    b = [{y for parent in p[x] for y in c[parent]} - {x} for x in range(n)]
    table = [[OTHER] * n for _ in range(n)]
    for x, row in enumerate(table):
        people = {
            "parent": p[x],
            "child": c[x],
            "sibling": b[x],
            "spouse": s[x],
            "grandparent": [z for y in p[x] for z in p[y]],
            "grandchild": [z for y in c[x] for z in c[y]],
            "pibling": [z for y in p[x] for z in b[y]],
            "nibling": [z for y in b[x] for z in c[y]],
            "parent-in-law": [z for y in s[x] for z in p[y]],
            "child-in-law": [z for y in c[x] for z in s[y]],
            "sibling-in-law": [z for y in s[x] for z in b[y]] + [z for y in b[x] for z in s[y]],
        }
        for relation, neutral in enumerate(NEUTRALS):
            for z in people[neutral]:
                row[z] = relation
    return table
