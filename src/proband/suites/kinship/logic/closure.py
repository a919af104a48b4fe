"""Forward closure: what follows from stated facts under a rule base, and `solver:symbolic`, which answers with it.

Each pair of people has a set of possible relations. A stated fact leaves one; every third person narrows the set,
D(i, j) := D(i, j) & (D(i, k) o D(k, j)), until nothing changes (path consistency over the composition table). A set
with one member is a proof, an empty set a contradiction. The closure is sound if the table is, but not complete, so
stories that it cannot prove are not used, and `search` looks for counter-families independently.

>>> from proband.suites.kinship.world.rules import load
>>> closure = close(load("sound"), ["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)])
>>> closure.answers(0, 2)
['uncle']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.world.relations import UNDETERMINED, possibilities, turned
from proband.suites.kinship.world.rules import OTHER, YES_NO, Rules, asked_relation, facts_of, of_item

Edge = Any  # [i, word, j] as a list or a tuple: person j is the word of person i
Narrowing = tuple[int, int, int, int]  # relations left between a and b through y: (a, y, b, the set)
Steps = tuple[Edge, ...]  # two premises (one: a fact from its other side) and a conclusion


def chart(rules: Rules, relations: Sequence[int], genders: Sequence[str]) -> tuple[int, int]:
    """The closure of a path, bottom up over its segments: (set of relations between the ends, number of proofs).

    D[i, j] = intersection over m of D[i, m] o D[m, j];   N[i, j] = sum over m of N[i, m] N[m, j],
    where N counts the ways to bracket a segment such that every step has a single outcome.

    >>> from proband.suites.kinship.world.rules import load
    >>> chart(load("sound"), [0, 2, 2], ["male", "male", "female", "male"])  # parent, sibling, sibling: pibling
    (64, 1)
    """
    size, compose, full = len(rules.table), rules.compositions, rules.full
    apart = full & ~rules.opposite
    rows = [[(1 << r, 1)] for r in relations]  # rows[i]: (D, N) of segments that start with fact i, shortest first
    for j in range(1, len(relations)):
        column = [rows[j][0]]  # segments that end with fact j, shortest first
        gender = genders[j + 1]
        for i in range(j - 1, -1, -1):
            mask = allowed = apart if genders[i] == gender else full
            total, m = 0, j - i
            for left, one in rows[i]:
                m -= 1
                right, two = column[m]
                cell = compose[left << size | right]
                mask &= cell
                if one and two:
                    cell &= allowed
                    if not cell & (cell - 1):
                        total += one * two
            rows[i].append((mask, total))
            column.append((mask, total))
    return rows[0][-1]


@dataclass
class Closure:
    """The state of the closure; `consistent` is False if a set became empty."""

    rules: Rules
    genders: Sequence[str]
    sets: list[list[int]]
    narrowed: list[Narrowing] = field(default_factory=list)
    known: set[frozenset[int]] = field(default_factory=set)  # pairs with a stated or proved relation
    consistent: bool = True

    def answers(self, i: int, j: int) -> list[str]:
        """The words for what j can be to i; `other` if none of them need be true."""
        return self.rules.set_words(self.sets[i][j], self.genders[j])

    def narrow(self, i: int, j: int, to: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """D(i, j) := D(i, j) & to, and the inverse for D(j, i); returns the two pairs."""
        left = self.sets[i][j] & to
        self.sets[i][j], self.sets[j][i] = left, self.rules.invert(left)
        self.consistent = self.consistent and left != 0
        self.known.add(frozenset((i, j)))
        return (i, j), (j, i)


def close(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], *, stated_only: bool = False) -> Closure:
    """The forward closure of stated facts. A word of the wrong gender is a contradiction. With `stated_only`, genders
    alone exclude no relation, so every premise is stated or proved."""
    n = len(genders)
    apart = rules.full & ~rules.opposite
    sets = [[apart if genders[i] == genders[j] else rules.full for j in range(n)] for i in range(n)]
    closure = Closure(rules, genders, sets)
    queue: deque[tuple[int, int]] = deque()
    for i, word, j in edges:
        wrong = rules.gender[word] not in (None, genders[j]) or i == j
        queue += closure.narrow(i, j, 0 if wrong else 1 << rules.code[word])
    while queue and closure.consistent:
        i, j = queue.popleft()
        for m in range(n):
            if m not in (i, j):
                for a, y, b in ((i, j, m), (m, i, j)):  # i-m through j, m-j through i
                    if stated_only and not {frozenset((a, y)), frozenset((y, b))} <= closure.known:
                        continue
                    composed = rules.union(sets[a][y], sets[y][b])
                    if sets[a][b] & ~composed:
                        queue += closure.narrow(a, b, composed)
                        closure.narrowed.append((a, y, b, sets[a][b]))
    return closure


def entailed(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> str | None:
    """The one word that follows for the query; None if nothing follows or the facts are contradictory."""
    closure = close(rules, genders, edges)
    words = closure.answers(*query)
    return words[0] if closure.consistent and len(words) == 1 and words[0] != OTHER else None


def distance(edges: Sequence[Edge], query: Sequence[int]) -> int | None:
    """The least number of stated facts that connect the two people of the query; None if none do.

    A relation between two people follows only from facts that connect them (otherwise they may belong to different
    families), so no proof uses fewer.

    >>> distance([(0, "son", 1), (1, "wife", 2), (2, "father", 3)], (0, 3))
    3
    """
    path = shortest_path(edges, query)
    return None if path is None else len(path)


def shortest_path(edges: Sequence[Edge], query: Sequence[int]) -> list[Edge] | None:
    """The facts of a shortest path between the two people of the query; None if nothing connects them.

    >>> shortest_path([(0, "son", 1), (2, "wife", 3), (1, "wife", 2)], (0, 2))
    [(0, 'son', 1), (1, 'wife', 2)]
    """
    near: dict[int, list[tuple[int, Edge]]] = {}
    for edge in edges:
        near.setdefault(edge[0], []).append((edge[2], edge))
        near.setdefault(edge[2], []).append((edge[0], edge))
    start, goal = query
    came: dict[int, list[Edge]] = {start: []}
    waiting = [start]
    for here in waiting:  # grows during the loop: breadth first
        if here == goal:
            return came[here]
        for there, edge in near.get(here, ()):
            if there not in came:
                came[there] = [*came[here], edge]
                waiting.append(there)
    return None


def asked_path(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: Sequence[int]) -> list[Edge]:
    """The facts of a shortest path, each stated about the next person; empty if nothing connects the two people.

    >>> from proband.suites.kinship.world.rules import load
    >>> asked_path(load("sound"), ["male", "female", "male"], [(1, "son", 0), (1, "brother", 2)], (0, 2))
    [(0, 'mother', 1), (1, 'brother', 2)]
    """
    here, facts = query[0], list[Edge]()
    for edge in shortest_path(edges, query) or []:
        facts.append(edge if edge[0] == here else turned(edge, genders, rules.back))
        here = facts[-1][2]
    return facts


def depth(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> int | None:
    """The length of the shortest proof: the least number of stated facts whose closure leaves one answer, or None.

    It is at least the distance and at most the number of facts that `prove` uses. If the facts of a shortest path do
    not prove the answer and the two bounds differ, smaller sets of facts are tried.

    >>> from proband.suites.kinship.world.rules import load
    >>> stated = [(0, "mother", 1), (1, "son", 2), (2, "sister", 3), (0, "sister", 3)]
    >>> depth(load("sound"), ["male", "female", "male", "female"], stated, (0, 3))
    1
    """
    path = shortest_path(edges, query)
    if path is None or entailed(rules, genders, edges, query) is None:
        return None
    if entailed(rules, genders, path, query):
        return len(path)
    _, proof = prove(rules, genders, edges, query)
    used = {tuple(edge) for step in proof for edge in step} & {tuple(edge) for edge in edges}
    for size in range(len(path), len(used)):
        for some in combinations(edges, size):
            if distance(some, query) is not None and entailed(rules, genders, some, query):
                return size
    return len(used)


def prove(
    rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]
) -> tuple[int, list[Steps]]:
    """The relations possible between the two people of the query, with a proof over sets. A step combines the relations
    of two people with a third, or turns a fact round.

    >>> from proband.suites.kinship.world.rules import load
    >>> left, steps = prove(load("sound"), ["male"] * 3, [(0, "son", 1), (1, "uncle", 2)], (0, 2))
    >>> steps
    [((0, 'son', 1), (1, 'uncle', 2), (0, 'brother|brother-in-law', 2))]
    """
    needed, kept = {frozenset(query)}, list[Narrowing]()
    for a, y, b, left in reversed(
        close(rules, genders, edges, stated_only=True).narrowed
    ):  # the premises of a needed step are needed before it
        if frozenset((a, b)) in needed:
            needed |= {frozenset((a, y)), frozenset((y, b))}
            kept.append((a, y, b, left))
    known = {(i, j): 1 << rules.code[kin] for i, kin, j in edges}
    steps: list[Steps] = []

    def stated(a: int, b: int) -> Edge:
        return a, "|".join(rules.set_words(known[a, b], genders[b])), b

    def turn(a: int, b: int) -> None:
        """Add the inverse of what is known about b and a."""
        if (b, a) in known and known.get((a, b)) != rules.invert(known[b, a]):
            known[a, b] = rules.invert(known[b, a])
            steps.append((stated(b, a), stated(a, b)))

    for a, y, b, left in reversed(kept):
        for pair in ((a, y), (y, b), (a, b)):
            turn(*pair)
        known[a, b] = left
        steps.append((stated(a, y), stated(y, b), stated(a, b)))
        if (b, a) in known:
            turn(b, a)
    turn(*query)
    return known.get(query, rules.full), steps


# ---- solver:symbolic -----------------------------------------------------------------------------------------------


class Symbolic:
    """Closes the stated facts of an item under its rule base. Possible relations score 1, others 0.

    It sees the facts, not the text, so it scores like a perfect reader. It cannot solve an item without facts.
    """

    name = "solver:symbolic"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": "symbolic", "method": "forward closure"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        if "edges" not in item.facts or "query" not in item.facts:
            raise ProbandError(f"item {item.id!r} has no fact graph: 'edges' and 'query' are missing")
        facts = facts_of(item)
        words = close(of_item(item), facts.genders, facts.edges).answers(*facts.pair)
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))


def scores(item: Item, words: Sequence[str]) -> tuple[float, ...]:
    """Scores of the choices from the possible relations; for yes/no, the share that supports the relation asked about.

    >>> item = Item(id="a", suite="kinship", prompt="...", choices=("yes", "no"), facts={"asked": "aunt"})
    >>> scores(item, ["aunt"]), scores(item, ["mother"])
    ((1.0, 0.0), (0.0, 1.0))
    """
    if item.choices == YES_NO:
        yes = list(words).count(asked_relation(item)) / len(words) if words else 0.0
        return (yes, 1.0 - yes)
    if len(words) != 1 and UNDETERMINED in item.choices:
        words = [UNDETERMINED]
    if any(len(possibilities(choice)) > 1 for choice in item.choices):
        return tuple(1.0 if possibilities(choice) == set(words) else 0.0 for choice in item.choices)
    return tuple(1.0 if choice in words else 0.0 for choice in item.choices)
