"""Forward closure: what follows from told facts under a rule base, with the proof.

Every two people keep the set of relations still possible between them. A told fact leaves one; any third person
narrows the set, D(i, j) := D(i, j) & (D(i, k) o D(k, j)), until nothing moves (path consistency over the composition
table). A set with one member is a proof, an empty one a contradiction. Sound whenever the table is; not complete,
which is why what it cannot prove is not emitted, and why `certify` searches independently.

>>> from proband.suites.kinship.world.rules import load
>>> closure = close(load("sound"), ["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)])
>>> closure.answers(0, 2), closure.proof(0, 2)
(['uncle'], [[[0, 'mother', 1], [1, 'brother', 2], [0, 'uncle', 2]]])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from proband.suites.kinship.world.rules import OTHER, Rules

Edge = Any  # [i, word, j] as a list or a tuple: person j is the word of person i


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
    rows = [[(1 << r, 1)] for r in relations]  # rows[i]: (D, N) of the segments that start with fact i, shortest first
    for j in range(1, len(relations)):
        column = [rows[j][0]]  # of the segments that end with fact j, shortest first
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
class Narrowing:
    """One narrowing of D(i, j): what is left, and the two sets (or the one, turned) it came from."""

    i: int
    j: int
    left: int
    sources: tuple[int, ...]  # numbers of earlier narrowings; the last is the previous state of D(i, j), if any
    via: int | None


@dataclass
class Closure:
    """The state of the closure; `consistent` is False when some set ran empty, at `clash`."""

    rules: Rules
    genders: Sequence[str]
    sets: list[list[int]]
    why: list[list[int]]
    log: list[Narrowing] = field(default_factory=list)
    clash: tuple[int, int] | None = None

    @property
    def consistent(self) -> bool:
        return self.clash is None

    def answers(self, i: int, j: int) -> list[str]:
        """The words for what j can be to i; `other` where none of them need be true."""
        return self._words(self.sets[i][j], self.genders[j])

    def proof(self, i: int, j: int) -> list[list[list[Any]]]:
        """The steps to D(i, j), each a list of premises and, last, the conclusion; sets are words joined by `|`."""
        needed: set[int] = set()
        waiting = [self.why[i][j]]
        while waiting:
            number = waiting.pop()
            if number >= 0 and number not in needed:
                needed.add(number)
                waiting.extend(self.log[number].sources)
        steps = []
        for number in sorted(needed):
            step = self.log[number]
            if step.via is not None:
                premises = [self._fact(self.log[source]) for source in step.sources[:2]]
                before = [self._fact(self.log[source]) for source in step.sources[2:] if source >= 0]
                steps.append([*premises, *before, self._fact(step)])
        return steps

    def _fact(self, step: Narrowing) -> list[Any]:
        return [step.i, "|".join(self._words(step.left, self.genders[step.j])), step.j]

    def _words(self, relations: int, gender: str) -> list[str]:
        words = [*(self.rules.word(r, gender) for r in range(len(self.rules.neutrals))), OTHER]
        return [word for r, word in enumerate(words) if relations >> r & 1]


def close(rules: Rules, genders: Sequence[str], edges: Sequence[Edge]) -> Closure:
    """The forward closure of told facts. A word of the wrong gender is a contradiction at once."""
    n = len(genders)
    start = [
        [rules.full & ~rules.opposite if genders[i] == genders[j] else rules.full for j in range(n)] for i in range(n)
    ]
    closure = Closure(rules, genders, start, [[-1] * n for _ in range(n)])
    queue: deque[tuple[int, int]] = deque()
    for i, word, j in edges:
        told = 1 << rules.code[word]
        if rules.gender[word] not in (None, genders[j]) or i == j:
            told = 0
        _narrow(closure, i, j, told, (), None, queue)
    while queue and closure.clash is None:
        i, j = queue.popleft()
        for m in range(n):
            if m in (i, j):
                continue
            _compose(closure, i, j, m, queue)  # i-m through j
            _compose(closure, m, i, j, queue)  # m-j through i
    return closure


def _compose(closure: Closure, a: int, y: int, b: int, queue: deque[tuple[int, int]]) -> None:
    sets = closure.sets
    result = closure.rules.union(sets[a][y], sets[y][b])
    if sets[a][b] & ~result:
        sources = (closure.why[a][y], closure.why[y][b], closure.why[a][b])
        _narrow(closure, a, b, sets[a][b] & result, sources, y, queue)


def _narrow(
    closure: Closure, i: int, j: int, to: int, sources: tuple[int, ...], via: int | None, queue: deque[tuple[int, int]]
) -> None:
    """D(i, j) := D(i, j) & to, and the same for D(j, i), turned."""
    left = closure.sets[i][j] & to
    if left == closure.sets[i][j] and sources:
        return
    for a, b, mask in ((i, j, left), (j, i, closure.rules.invert(left))):
        origin = sources if (a, b) == (i, j) else (len(closure.log) - 1,)
        closure.log.append(Narrowing(a, b, mask, origin, via if (a, b) == (i, j) else None))
        closure.sets[a][b], closure.why[a][b] = mask, len(closure.log) - 1
    queue.append((i, j))
    queue.append((j, i))
    if not left:
        closure.clash = (i, j)


def entailed(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> str | None:
    """The one word that follows for the query, or None: nothing does, or the facts contradict each other."""
    closure = close(rules, genders, edges)
    found = closure.answers(*query)
    return found[0] if closure.consistent and len(found) == 1 and found[0] != OTHER else None


def distance(edges: Sequence[Edge], query: Sequence[int]) -> int | None:
    """How many told facts lie between the two people of the query, at least; None where none connect them.

    A relation between two people follows only from facts that connect them (others leave open that they belong to
    different families), so no proof uses fewer.

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
    for here in waiting:  # grows while we walk: breadth first
        if here == goal:
            return came[here]
        for there, edge in near.get(here, ()):
            if there not in came:
                came[there] = [*came[here], edge]
                waiting.append(there)
    return None


def depth(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> int | None:
    """The length of the shortest proof: the least number of told facts whose closure leaves one answer; None for none.

    It is at least the distance and at most the cost of a line of rules with single outcomes; where the two differ,
    smaller sets of facts are tried.

    >>> from proband.suites.kinship.world.rules import load
    >>> told = [(0, "mother", 1), (1, "son", 2), (2, "sister", 3), (0, "sister", 3)]
    >>> depth(load("sound"), ["male", "female", "male", "female"], told, (0, 3))
    1
    """
    least, most = distance(edges, query), _line(rules, genders, edges, query)
    if least is None:
        return None
    for size in range(least, len(edges) + 1 if most is None else most):
        for some in combinations(edges, size):
            if distance(some, query) is not None and entailed(rules, genders, some, query):
                return size
    return most


def _line(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> int | None:
    """The cheapest derivation by rules with single outcomes: a told fact costs 1, a step the sum of its premises."""
    cost: dict[tuple[int, int], tuple[int, int]] = {}  # pair -> (cost, relation)
    for i, word, j in edges:
        cost[i, j], cost[j, i] = (1, rules.code[word]), (1, rules.inverse[rules.code[word]])
    people, moved = range(len(genders)), True
    while moved:
        moved = False
        for (a, y), (one, first) in list(cost.items()):
            for b in people:
                if b not in (a, y) and (y, b) in cost:
                    two, second = cost[y, b]
                    outcome = (rules.same if genders[a] == genders[b] else rules.table)[first][second]
                    single = outcome & (outcome - 1) == 0 and 0 < outcome < 1 << len(rules.neutrals)
                    if single and one + two < cost.get((a, b), (1 << 30, 0))[0]:
                        cost[a, b], moved = (one + two, outcome.bit_length() - 1), True
    return cost[query][0] if query in cost else None
