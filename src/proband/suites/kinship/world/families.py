"""Families as a function of a random generator (section 3.2.1 of the paper), the names of their people, and a family
as a graph: relations, people between two others, and the part that a story needs.

Each of `founders` couples starts a tree of `levels` generations. A couple has a number of children from the range
`children`; a child marries with probability `marry`, either into another founder's tree (probability `cross`, when
a person there is free) or a newcomer, who has parents and siblings with probability `inlaws`. In the blended world a
couple parts with probability `part` after its children are born: both marry newcomers, who may already have children,
and have children with them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.suites.kinship.world.relations import FEMALE, MALE, STRICT, Family, World
from proband.suites.kinship.world.rules import FamilyRow, Rules, rule_bodies

COMMON = ("parent", "child", "sibling", "spouse", "parent-in-law", "child-in-law")  # most chains consist of these
RARE = 10  # with `spread`, other relations are stated this many times as often as common ones
UNLIKE = 50  # draws of a dissimilar name before any other name is accepted
SOUNDS: Final = (("ph", "f"), ("v", "f"), ("c", "k"), ("z", "s"), ("g", "j"))
UNHEARD: Final = str.maketrans("", "", "aeiouyh")
LISTED_ORDERS = 7  # up to this size, all orders are listed
ORDERS = [list(permutations(range(n))) for n in range(LISTED_ORDERS + 1)]
Random = Callable[[], float]  # a number from 0 up to 1
Pair = tuple[int, int]
Row = FamilyRow


def shuffle(n: int, draw: Random) -> Sequence[int]:
    """A uniform order of 0..n-1; for small n, one draw picks it.

    >>> shuffle(3, lambda: 0.99), len(shuffle(9, lambda: 0.5))
    ((2, 1, 0), 9)
    """
    if n <= LISTED_ORDERS:
        return ORDERS[n][int(draw() * len(ORDERS[n]))]
    return sorted(range(n), key=lambda _: draw())


def _load_names() -> dict[str, tuple[str, ...]]:
    lists: dict[str, list[str]] = {MALE: [], FEMALE: []}
    gender = MALE
    for line in read_utf8(DATA / "kinship" / "names.txt").splitlines():
        if line in lists:
            gender = line
        elif line and not line.startswith("#"):
            lists[gender] += line.split()
    return {gender: tuple(names) for gender, names in lists.items()}


# 300 common English first names, ours. Names are placeholders (section 3.2.6 of the thesis): only the gender may be
# inferred from them. So no name is in both lists, and none is an everyday word.
NAMES: Final = _load_names()
GENDER_OF: Final = {name: gender for gender, names in NAMES.items() for name in names}


@lru_cache(maxsize=10_000)
def likeness(name: str) -> frozenset[str]:
    """Keys that a name shares with names that look or sound alike: its first three letters, its consonants by sound,
    and the name without one letter.

    >>> [bool(likeness(a) & likeness(b)) for a, b in (("Brian", "Bryan"), ("Sara", "Sarah"), ("Joan", "Roy"))]
    [True, True, False]
    >>> sorted(likeness("Joe"))
    ['je', 'jo', 'joe', 'joe...', 'j~', 'oe']
    """
    low = name.lower()
    sound = low
    for letters, one in SOUNDS:
        sound = sound.replace(letters, one)
    sound = sound.translate(UNHEARD)
    skeleton = "".join(c for i, c in enumerate(sound) if i == 0 or c != sound[i - 1])
    return frozenset({low, low[:3] + "...", skeleton + "~", *(low[:i] + low[i + 1 :] for i in range(len(low)))})


def names_for(genders: Sequence[str], given: Mapping[str, Sequence[str]], draw: Random, *, alike: bool) -> list[str]:
    """A different one of the names `given` by gender for each person; `alike`: they may look or sound alike."""
    for gender in dict.fromkeys(genders):
        needed, count = genders.count(gender), len(given.get(gender, ()))
        if needed > count:
            raise ProbandError(f"a story needs {needed} names ({gender}); there are {count}")
    names, taken = list[str](), set[str]()
    for gender in genders:
        free, tries = given[gender], 0 if alike else UNLIKE
        while (name := free[int(draw() * len(free))]) in names or (tries > 0 and not taken.isdisjoint(likeness(name))):
            tries -= 1
        names.append(name)
        taken |= likeness(name)
    return names


# ---- making a family -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FamilyShape:
    """The settings of the generator."""

    levels: int = 3
    children: tuple[int, int] = (1, 4)
    marry: float = 0.8
    inlaws: float = 0.6
    cross: float = 0.2
    founders: int = 2
    part: float = 0.0


def make_family(rng: random.Random, shape: FamilyShape = FamilyShape()) -> Family:
    """A family; the same generator state gives the same family.

    >>> family = make_family(random.Random(1))
    >>> len(family), family.broken()
    (49, None)
    """
    grow = _Growing(rng, shape)
    level = [grow.couple(grow.person(MALE), grow.person(FEMALE)) for _ in range(shape.founders)]
    for _ in range(1, shape.levels):
        children = [child for couple in level for child in grow.children(couple)]
        for couple in level if shape.part else ():
            children += grow.second_marriages(couple)
        free = [child for child in children if rng.random() < shape.marry]
        level = list(grow.weddings(free))
    return grow.done()


class _Growing:
    """A family under construction."""

    def __init__(self, rng: random.Random, shape: FamilyShape) -> None:
        self.rng, self.shape = rng, shape
        self.genders: list[str] = []
        self.father: list[int | None] = []
        self.mother: list[int | None] = []
        self.spouse: list[int | None] = []
        self.blood: list[frozenset[int]] = []  # ancestors and the person

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

    def second_marriages(self, couple: tuple[int, int]) -> list[int]:
        """The couple may part; returns the children of their new marriages and those of the new spouses."""
        if self.rng.random() >= self.shape.part:
            return []
        children: list[int] = []
        for one in couple:
            self.spouse[one] = None
        for one in couple:
            gender, other = (FEMALE, MALE) if self.genders[one] == MALE else (MALE, FEMALE)
            new = self.person(gender)
            if self.rng.random() < self.shape.inlaws:
                children += self.children((new, self.person(other)))
            children += self.children(self.couple(one, new))
        return children

    def weddings(self, free: list[int]) -> Iterator[tuple[int, int]]:
        for child in free:
            if self.spouse[child] is None:
                partner = self._match(child, free) if self.rng.random() < self.shape.cross else None
                yield self.couple(child, self._newcomer(child) if partner is None else partner)

    def _match(self, child: int, free: list[int]) -> int | None:
        """An unmarried person of the other gender from another family."""
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
        rows = list(zip(self.genders, self.father, self.mother, self.spouse))
        return family_of_rows(rows, named=len(rows))


def matrix(family: Family) -> list[list[int]]:
    """`matrix[x][y]`: the relation of y to x in this world, by the definitions; the number after the last one for none.

    >>> pair = Family(named=3, genders=("male", "female", "male"), father=(None, None, 0), mother=(None, None, 1),
    ...               spouses=((1,), (0,), ()))
    >>> [[(*STRICT.neutrals, "-")[r] for r in row] for row in matrix(pair)]
    [['-', 'spouse', 'child'], ['spouse', '-', 'child'], ['parent', 'parent', '-']]
    """
    neutrals = family.world.neutrals
    table = [[len(neutrals)] * len(family) for _ in range(len(family))]
    for x, row in enumerate(table):
        for relation, neutral in enumerate(neutrals):
            for z in family.related(x, neutral):
                row[z] = relation
    return table


# ---- a family as a graph -------------------------------------------------------------------------------------------


class FamilyGraph:
    """A family as chains and noise use it; each part is computed when it is first needed."""

    def __init__(self, family: Family, rules: Rules, *, spread: bool = False) -> None:
        self.family, self.rules = family, rules
        rare = {r for r, name in enumerate(rules.neutrals) if name not in COMMON}
        self.rare = rare if spread else set[int]()  # stated more often than they occur
        self.genders, self.none = family.genders, len(rules.neutrals)  # none: the number for no relation
        self.matrix = matrix(family)
        self.rows = rows_of(family)
        self.splits, self.in_common, self.needed = cache(self._splits), cache(self._in_common), cache(self._needed)
        words = (*rules.words, ("", ""))
        female = [gender == FEMALE for gender in family.genders]
        self.words = [[words[r][f] for r, f in zip(row, female)] for row in self.matrix]  # the matrix in words

    @cached_property
    def pairs(self) -> dict[tuple[int, str, str], list[Pair]]:
        """(relation of z to x, gender of z, gender of x) -> all such (x, z)."""
        pairs: dict[tuple[int, str, str], list[Pair]] = {}
        for x, row in enumerate(self.matrix):
            for z, relation in enumerate(row):
                if relation != self.none:
                    pairs.setdefault((relation, self.genders[z], self.genders[x]), []).append((x, z))
        return pairs

    @cached_property
    def by_relation(self) -> list[list[list[int]]]:
        """Relatives by relation: `by_relation[a][r]` are the people who are the r of a."""
        relatives: list[list[list[int]]] = [[[] for _ in range(self.none + 1)] for _ in self.matrix]
        for of_a, row in zip(relatives, self.matrix):
            for y, relation in enumerate(row):
                of_a[relation].append(y)
        return relatives

    @cached_property
    def kin(self) -> list[list[int]]:
        """Everybody's relatives, by the relations of the rules."""
        return [[y for y, relation in enumerate(row) if relation != self.none] for row in self.matrix]

    def _splits(self, a: int, b: int) -> list[list[int]]:
        """The rules that resolve the fact (a, b) in this family: for each, the people who can come between a and b.
        With `spread`, a rule with a rare relation counts RARE times."""
        bodies = rule_bodies(self.rules, same=self.genders[a] == self.genders[b])[self.matrix[a][b]]
        from_a, from_b, inverse = self.by_relation[a], self.by_relation[b], self.rules.inverse
        groups = []
        for first, second in bodies:
            back = from_b[inverse[second]]
            if group := [y for y in from_a[first] if y in back]:
                groups += [group] * (1 if self.rare.isdisjoint((first, second)) else RARE)
        return groups

    def _in_common(self, a: int, b: int) -> list[int]:
        """The common relatives of a and b."""
        return [y for y in self.kin[a] if self.matrix[y][b] != self.none]

    def _needed(self, a: int, b: int) -> tuple[int, ...]:
        """The unnamed people in a fact about a and b."""
        return between(self.family, self.rules.neutrals[self.matrix[a][b]], a, b)


def family_pool(rules: Rules, *, seed: int, spread: bool = False) -> Callable[[int], FamilyGraph]:
    """Families by number; each has all the relations."""
    return cache(lambda number: _rich_family(rules, random.Random(f"family {seed} {number}"), spread=spread))


def _rich_family(rules: Rules, rng: random.Random, *, spread: bool) -> FamilyGraph:
    """The first of 50 families that has every relation between every two genders, or the one that has most."""
    world, best = rules.kin, None
    shape = FamilyShape(levels=world.levels, part=world.parted, cross=world.cross)
    complete = 4 * len(rules.neutrals) - 2  # relations x 2 x 2 genders, less the spouses of one gender
    for _ in range(50):
        graph = FamilyGraph(replace(make_family(rng, shape), world=world), rules, spread=spread)
        best = graph if best is None or len(graph.pairs) > len(best.pairs) else best
        if len(best.pairs) == complete:
            break
    assert best is not None
    return best


def resolve(groups: list[list[int]], used: set[int], draw: Random) -> int:
    """A person for one more step: uniformly a rule with unused people, then uniformly one of these; or -1."""
    if not groups:
        return -1
    group = groups[int(draw() * len(groups))]
    y = group[int(draw() * len(group))]
    if y not in used:
        return y
    if used.issuperset(group):
        rest = [each for each in groups if not used.issuperset(each)]
        if not rest:
            return -1
        group = rest[int(draw() * len(rest))]
    free = [y for y in group if y not in used]
    return free[int(draw() * len(free))]


# ---- the part of a family that a story's facts are true in ---------------------------------------------------------
#
# It shows that the facts are consistent: the named people of the family that the story is taken from, and the unnamed
# people in its facts (a brother needs a shared parent, an uncle a parent who is his sibling).
# Any part of a family is a family.


def between(family: Family, relation: str, a: int, b: int) -> tuple[int, ...]:
    """The people that the fact "b is the relation of a" needs between the two.

    >>> home = Family(named=4, genders=("male", "female", "male", "female"), father=(2, 2, None, None),
    ...               mother=(3, 3, None, None), spouses=((), (), (3,), (2,)))
    >>> between(home, "sibling", 0, 1), between(home, "parent", 0, 2)
    ((2,), ())
    """
    for path in family.world.paths[relation]:
        people = next(_walks(family, path, a, b), None)
        if people is not None:
            hidden = [z for letter, x, y in zip(path, people, people[1:]) for z in _unnamed(family, letter, x, y)]
            return tuple(dict.fromkeys([*people[1:-1], *hidden]))
    raise AssertionError(f"person {b} is no {relation} of person {a}")


def _walks(family: Family, path: str, a: int, b: int) -> Iterator[tuple[int, ...]]:
    """The walks from a to b along the letters of a path."""
    for y in sorted(family.step(path[0], a)):
        if len(path) == 1 and y == b:
            yield a, b
        elif len(path) > 1:
            yield from ((a, *rest) for rest in _walks(family, path[1:], y, b))


def _unnamed(family: Family, letter: str, x: int, y: int) -> Sequence[int]:
    """The unnamed people of a letter: shared parents, or the couple in between."""
    parents, spouses = family.parents, family.spouses
    common = sorted(parents[x] & parents[y])
    if letter in "abh":
        return common[: family.world.shared] if letter == "b" else common[:1]
    if letter == "t":
        return [min(z for z in parents[x] if y in spouses[z])]
    if letter == "u":
        return _unnamed(family, "t", y, x)
    if letter == "q":
        return min((z, s) for z in parents[x] for s in spouses[z] if s in parents[y])
    return ()


class FamilyPart(NamedTuple):
    """The part of one family in a story: its people, their seats in the story, and the pairs that facts are about."""

    rows: Sequence[Row]
    needed: Callable[[int, int], tuple[int, ...]]  # `between` of a pair, for any relation
    seats: dict[int, int]  # the unnamed people that facts need are added
    pairs: Iterable[Pair]


def rows_of(family: Family) -> list[Row]:
    return [
        (gender, father, mother, spouses[0] if spouses else None)
        for gender, father, mother, spouses in zip(family.genders, family.father, family.mother, family.spouses)
    ]


def family_of_rows(rows: Sequence[Row], *, named: int, world: World = STRICT) -> Family:
    return Family(
        named=named,
        genders=tuple(row[0] for row in rows),
        father=tuple(row[1] for row in rows),
        mother=tuple(row[2] for row in rows),
        spouses=tuple(() if row[3] is None else (row[3],) for row in rows),
        world=world,
    )


def witness(parts: Iterable[FamilyPart], named: int) -> list[Row]:
    """The rows of a family, the named people first, in the order of their seats."""
    people: list[Row] = [("", None, None, None)] * named
    size = named
    for rows, needed, seats, pairs in parts:
        for pair in pairs:
            for person in needed(*pair):
                if person not in seats:
                    seats[person] = size
                    size += 1
        at: Callable[[int | None], int | None] = seats.get  # type: ignore[assignment] # nobody has no seat
        people += [("", None, None, None)] * (size - len(people))
        for who, place in seats.items():
            gender, father, mother, spouse = rows[who]
            people[place] = (gender, at(father), at(mother), at(spouse))
    return people
