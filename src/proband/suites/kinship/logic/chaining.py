"""Targets and backward chaining (section 3.2.2 of the paper).

The goal is a pair (x, z) with the target relation. Each iteration takes one of the facts at hand, uniformly, as the
subgoal, then one of the rules that resolve it, uniformly, and with it somebody y of the family: the fact (a, b) gives
way to (a, y) and (y, b). After k - 1 iterations k facts are left, a path from x to z from which the goal follows:

    x --- z    x --- y --- z    x --- y --- w --- z    ...

Nobody stands on the path twice, so that all k facts are needed; `revisit` allows it, as the paper's generator does.
Only rules with a single outcome are used, given the genders: "a child of my parent-in-law" is a sibling-in-law or my
spouse, but when the child has my gender it is a sibling-in-law.
"""

from __future__ import annotations

import random
from functools import cached_property, lru_cache
from itertools import pairwise

from proband.suites.kinship.logic.witness import between, rows_of
from proband.suites.kinship.world.families import OTHER, Shape, make, matrix
from proband.suites.kinship.world.kernel import Family
from proband.suites.kinship.world.relations import FEMALE, NEUTRALS
from proband.suites.kinship.world.rules import Rules
from proband.suites.kinship.world.tables import Lazy, Random

Step = tuple[int, int, int]  # (a, y, b): the fact (a, b) follows from (a, y) and (y, b)
Pair = tuple[int, int]


class FamilyGraph:
    """A family with what chaining asks of it, worked out when it is first asked for."""

    def __init__(self, family: Family, rules: Rules) -> None:
        self.family, self.rules = family, rules
        self.genders = family.genders
        self.matrix = matrix(family)
        self.rows = rows_of(family)
        self.splits: Lazy[Pair, list[list[int]]] = Lazy(self._splits)
        self.between: Lazy[Pair, list[int]] = Lazy(self._between)
        self.needed: Lazy[Pair, tuple[int, ...]] = Lazy(self._needed)
        words = (*rules.words, ("", ""))
        female = [gender == FEMALE for gender in family.genders]
        self.said = [[words[r][f] for r, f in zip(row, female)] for row in self.matrix]  # matrix in words

    @cached_property
    def pairs(self) -> dict[tuple[int, str, str], list[Pair]]:
        """(relation of z to x, gender of z, gender of x) -> all such (x, z)."""
        found: dict[tuple[int, str, str], list[Pair]] = {}
        for x, row in enumerate(self.matrix):
            for z, relation in enumerate(row):
                if relation != OTHER:
                    found.setdefault((relation, self.genders[z], self.genders[x]), []).append((x, z))
        return found

    @cached_property
    def by_relation(self) -> list[list[list[int]]]:
        """Everybody's relatives: `by_relation[a][r]` are those who are the r of a."""
        found: list[list[list[int]]] = [[[] for _ in range(OTHER + 1)] for _ in self.matrix]
        for a, row in enumerate(self.matrix):
            for y, relation in enumerate(row):
                found[a][relation].append(y)
        return found

    @cached_property
    def kin(self) -> list[list[int]]:
        """Everybody's relatives, in the sense of the eleven relations."""
        return [[y for y, relation in enumerate(row) if relation != OTHER] for row in self.matrix]

    def _splits(self, pair: Pair) -> list[list[int]]:
        """The rules that resolve the fact (a, b) in this family: for each, those who can stand between a and b."""
        a, b = pair
        bodies = rule_bodies(self.rules, same=self.genders[a] == self.genders[b])[self.matrix[a][b]]
        from_a, from_b, inverse = self.by_relation[a], self.by_relation[b], self.rules.inverse
        groups = []
        for first, second in bodies:
            back = from_b[inverse[second]]
            if group := [y for y in from_a[first] if y in back]:
                groups.append(group)
        return groups

    def _between(self, pair: Pair) -> list[int]:
        """The relatives that a and b have in common."""
        a, b = pair
        return [y for y in self.kin[a] if self.matrix[y][b] != OTHER]

    def _needed(self, pair: Pair) -> tuple[int, ...]:
        """Whom a fact about a and b speaks of beside them."""
        a, b = pair
        return between(self.family, NEUTRALS[self.matrix[a][b]], a, b)


def pool(rules: Rules, *, seed: int, shape: Shape) -> Lazy[int, FamilyGraph]:
    """Families by number; every one has all the relations."""
    return Lazy(lambda number: _rich(rules, shape, random.Random(f"family {seed} {number}")))


def _rich(rules: Rules, shape: Shape, rng: random.Random) -> FamilyGraph:
    """The first of 50 families that has every relation between every two genders, or the one that has most."""
    best = None
    for _ in range(50):
        ground = FamilyGraph(make(rng, shape), rules)
        if best is None or len(ground.pairs) > len(best.pairs):
            best = ground
        if len(best.pairs) == 42:  # 11 relations x 2 x 2 genders, less the spouses of one gender
            break
    assert best is not None
    return best


def resolve(groups: list[list[int]], used: set[int], draw: Random) -> int:
    """Somebody for one more step: a rule with anybody free in it, uniformly, then one of those, uniformly; or -1."""
    if not groups:
        return -1
    group = groups[int(draw() * len(groups))]
    y = group[int(draw() * len(group))]
    if y not in used:
        return y
    free = [y for y in group if y not in used]
    if not free:
        rest = [left for group in groups if (left := [y for y in group if y not in used])]
        if not rest:
            return -1
        free = rest[int(draw() * len(rest))]
    return free[int(draw() * len(free))]


def backward(ground: FamilyGraph, goal: tuple[int, int], k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """A path of k facts from x to z and the steps that lead back to the goal, or None where the family gives out.

    >>> from proband.suites.kinship.world.rules import load
    >>> ground = pool(load("sound"), seed=0, shape=Shape())[0]
    >>> path, steps = backward(ground, ground.pairs[6, "female", "male"][0], 3, random.Random(0).random)
    >>> len(path), len(steps)
    (4, 2)
    """
    x, z = goal
    path, used, steps = [x, z], {x, z}, []
    splits = ground.splits
    for last in range(1, k):
        at = int(draw() * last)
        y = resolve(splits[path[at], path[at + 1]], used, draw)
        if y < 0:  # this subgoal cannot be resolved: another one, uniformly
            others = [i for i in range(last) if i != at]
            while others and y < 0:
                at = others.pop(int(draw() * len(others)))
                y = resolve(splits[path[at], path[at + 1]], used, draw)
            if y < 0:
                return None
        steps.append((path[at], y, path[at + 1]))
        path.insert(at + 1, y)
        used.add(y)
    return path, steps


def revisiting(ground: FamilyGraph, goal: tuple[int, int], k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """Like `backward`, but somebody may come twice, as in the paper's generator: k may exceed the depth.

    Nobody stands beside themselves, and no fact is told twice.
    """
    x, z = goal
    path, steps = [x, z], []
    for _ in range(20 * k):
        at = int(draw() * (len(path) - 1))
        a, b = path[at], path[at + 1]
        y = resolve(ground.splits[a, b], {a, b}, draw)
        told = {frozenset(fact) for fact in pairwise(path)}
        if y >= 0 and frozenset((a, y)) not in told and frozenset((y, b)) not in told:
            steps.append((a, y, b))
            path.insert(at + 1, y)
            if len(path) == k + 1:
                return path, steps
    return None


def symbolic(rules: Rules, target: int, k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """Backward chaining on the rules alone, each bringing somebody new: (k relations, steps), people being 0..k.

    >>> from proband.suites.kinship.world.rules import load
    >>> symbolic(load("grid"), 1, 2, random.Random(0).random)  # east, then north, is northeast
    ([2, 0], [(0, 1, 2)])
    """
    bodies = rule_bodies(rules)
    relations, path, steps = [target], [0, k], []  # on the path, labels: the ends, then -1, -2, ... as they come
    for fresh in range(1, k):
        places = [i for i, relation in enumerate(relations) if bodies[relation]]
        if not places:
            return None
        at = places[int(draw() * len(places))]
        choice = bodies[relations[at]]
        relations[at : at + 1] = choice[int(draw() * len(choice))]
        steps.append((path[at], -fresh, path[at + 1]))
        path.insert(at + 1, -fresh)
    place = {label: i for i, label in enumerate(path)}
    return relations, [(place[a], place[y], place[b]) for a, y, b in steps]


@lru_cache(maxsize=32)
def rule_bodies(rules: Rules, *, same: bool = False) -> list[list[tuple[int, int]]]:
    """For each relation, the pairs that compose to it and to nothing else, whatever the genders (or if the two ends are
    of the `same` gender)."""
    n, table = len(rules.neutrals), rules.same if same else rules.table
    return [[(a, b) for a in range(n) for b in range(n) if table[a][b] == 1 << relation] for relation in range(n)]
