"""Forward closure: what follows from told facts under a rule base, and `solver:symbolic`, which answers with it.

Every two people keep the set of relations still possible between them. A told fact leaves one; any third person
narrows the set, D(i, j) := D(i, j) & (D(i, k) o D(k, j)), until nothing moves (path consistency over the composition
table). A set with one member is a proof, an empty one a contradiction. Sound whenever the table is; not complete,
which is why what it cannot prove is not emitted, and why `search` looks for counter-families independently.

>>> from proband.suites.kinship.world.rules import load
>>> closure = close(load("sound"), ["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)])
>>> closure.answers(0, 2)
['uncle']

The chase fills in a family in which told facts are true: quicker than `search`, for looking at, not for proving. Each
fact brings the people it speaks of without naming them: a sibling a couple of parents, an uncle a parent who is his
sibling. Whoever must be the same is made one: two fathers of one person, two spouses of one person, their parents.
Where a fact leaves open what it means (my grandfather's child is my father or my mother, my brother-in-law my wife's
brother or my sister's husband), each is tried. Nobody is made the same who need not be: if none of these is a family,
there is none.

>>> family = fill_in(["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)])
>>> family.relations(0, 2), family.named, len(family)
(frozenset({'uncle'}), 3, 6)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.search import check_people
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE, NEUTRAL, UNTOLD, Family, agrees, possibilities
from proband.suites.kinship.world.rules import OTHER, YES_NO, Rules, asked_relation, facts_of, of_item

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


class Narrowing(NamedTuple):
    """A step of a proof about the people of a path: what is left between the first and the last of three, given what is
    left between each of them and the one in the middle."""

    first: int
    middle: int
    last: int
    left: int


def narrowings(rules: Rules, relations: Sequence[int], genders: Sequence[str]) -> list[Narrowing]:
    """The steps that lead to the set of `chart`: of all ways to cut a segment, one that leaves least, and others only
    where they narrow it further.

    >>> from proband.suites.kinship.world.rules import load
    >>> narrowings(load("sound"), [0, 4, 1], ["male"] * 4)  # a parent's grandparent's child
    [Narrowing(first=1, middle=2, last=3, left=65), Narrowing(first=0, middle=1, last=3, left=2064)]
    """
    size, left = len(relations), {(i, i + 1): 1 << relation for i, relation in enumerate(relations)}
    cuts: dict[tuple[int, int], list[Narrowing]] = {}
    for length in range(2, size + 1):
        for i in range(size + 1 - length):
            j = i + length
            allowed = rules.full & ~(rules.opposite if genders[i] == genders[j] else 0)
            composed = {m: rules.union(left[i, m], left[m, j]) & allowed for m in range(i + 1, j)}
            rest, cuts[i, j] = allowed, []
            for m in sorted(composed, key=lambda m: composed[m].bit_count()):
                if rest & composed[m] != rest:
                    rest &= composed[m]
                    cuts[i, j].append(Narrowing(i, m, j, rest))
            left[i, j] = rest
    needed, steps = [(0, size)], dict[tuple[int, int], list[Narrowing]]()
    for pair in needed:  # grows: what a step is about is proved first
        if pair in cuts and pair not in steps:
            steps[pair] = cuts[pair]
            needed += [part for i, m, j, _ in cuts[pair] for part in ((i, m), (m, j))]
    return [step for pair in sorted(steps, key=lambda pair: pair[1] - pair[0]) for step in steps[pair]]


@dataclass
class Closure:
    """The state of the closure; `consistent` is False when some set ran empty."""

    rules: Rules
    genders: Sequence[str]
    sets: list[list[int]]
    consistent: bool = True

    def answers(self, i: int, j: int) -> list[str]:
        """The words for what j can be to i; `other` where none of them need be true."""
        return self.rules.set_words(self.sets[i][j], self.genders[j])

    def narrow(self, i: int, j: int, to: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """D(i, j) := D(i, j) & to, and the same for D(j, i), turned; returns the two pairs."""
        left = self.sets[i][j] & to
        self.sets[i][j], self.sets[j][i] = left, self.rules.invert(left)
        self.consistent = self.consistent and left != 0
        return (i, j), (j, i)


def close(rules: Rules, genders: Sequence[str], edges: Sequence[Edge]) -> Closure:
    """The forward closure of told facts. A word of the wrong gender is a contradiction at once."""
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
                    composed = rules.union(sets[a][y], sets[y][b])
                    if sets[a][b] & ~composed:
                        queue += closure.narrow(a, b, composed)
    return closure


def entailed(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> str | None:
    """The one word that follows for the query, or None: nothing does, or the facts contradict each other."""
    closure = close(rules, genders, edges)
    words = closure.answers(*query)
    return words[0] if closure.consistent and len(words) == 1 and words[0] != OTHER else None


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
    least, derived = distance(edges, query), _derive(rules, genders, edges).get(query)
    if least is None:
        return None
    most = None if derived is None else derived.cost
    for size in range(least, len(edges) + 1 if most is None else most):
        for some in combinations(edges, size):
            if distance(some, query) is not None and entailed(rules, genders, some, query):
                return size
    return most


class Derived(NamedTuple):
    """What is known of a pair: told facts cost 1, a step the sum of its premises. `through` is the third person of the
    step; -1 for a told fact."""

    cost: int
    relation: int
    through: int


def _derive(rules: Rules, genders: Sequence[str], edges: Sequence[Edge]) -> dict[tuple[int, int], Derived]:
    """The cheapest derivations by rules with single outcomes."""
    known: dict[tuple[int, int], Derived] = {}
    for i, word, j in edges:
        known[i, j] = Derived(1, rules.code[word], -1)
        known[j, i] = Derived(1, rules.inverse[rules.code[word]], -1)
    people, moved = range(len(genders)), True
    while moved:
        moved = False
        for (a, y), (one, first, _) in list(known.items()):
            for b in people:
                if b not in (a, y) and (y, b) in known:
                    two, second, _ = known[y, b]
                    outcome = (rules.same if genders[a] == genders[b] else rules.table)[first][second]
                    single = outcome & (outcome - 1) == 0 and 0 < outcome < 1 << len(rules.neutrals)
                    if single and ((a, b) not in known or one + two < known[a, b].cost):
                        known[a, b], moved = Derived(one + two, outcome.bit_length() - 1, y), True
    return known


def derivation(
    rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]
) -> list[tuple[Edge, ...]] | None:
    """A proof of what the query is, as steps [premise, premise, conclusion] or [fact, the same from its other side];
    None where rules with single outcomes give none.

    >>> from proband.suites.kinship.world.rules import load
    >>> derivation(load("sound"), ["male", "female", "male"], [(1, "son", 0), (1, "brother", 2)], (0, 2))
    [((1, 'son', 0), (0, 'mother', 1)), ((0, 'mother', 1), (1, 'brother', 2), (0, 'uncle', 2))]
    """
    known, stated = _derive(rules, genders, edges), {(i, j): (i, word, j) for i, word, j in edges}
    if query not in known:
        return None
    steps: dict[tuple[int, int], tuple[Edge, ...]] = {}

    def fact(a: int, b: int) -> Edge:
        return a, rules.word(known[a, b].relation, genders[b]), b

    def prove(a: int, b: int) -> None:
        if (a, b) in steps or ((a, b) in stated and known[a, b].through < 0):
            return
        y = known[a, b].through
        if y < 0:
            steps[a, b] = (stated[b, a], fact(a, b))
            return
        prove(a, y)
        prove(y, b)
        steps[a, b] = (fact(a, y), fact(y, b), fact(a, b))

    prove(*query)
    return list(steps.values())


# ---- solver:symbolic -----------------------------------------------------------------------------------------------


class Symbolic:
    """Closes the told facts of an item under its rule base; every relation still possible scores 1, the others 0.

    It sees the facts, never the text: what a perfect reader would score. An item without facts cannot be solved.
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
    """The possible relations as scores of the item's choices; for yes/no, how far they speak for the asked one.

    >>> item = Item(id="a", suite="kinship", prompt="...", choices=("yes", "no"), facts={"asked": "aunt"})
    >>> scores(item, ["aunt"]), scores(item, ["mother"])
    ((1.0, 0.0), (0.0, 1.0))
    """
    if item.choices == YES_NO:
        yes = list(words).count(asked_relation(item)) / len(words) if words else 0.0
        return (yes, 1.0 - yes)
    if UNTOLD in item.choices and len(words) != 1:
        words = [UNTOLD]
    if any(len(possibilities(choice)) > 1 for choice in item.choices):
        return tuple(1.0 if possibilities(choice) == set(words) else 0.0 for choice in item.choices)
    return tuple(1.0 if choice in words else 0.0 for choice in item.choices)


# ---- the chase: a family of a story, by filling in -------------------------------------------------------------------


TRIES = 5_000  # readings of the facts to try at most
TURNED = ("child", "grandchild", "nibling", "child-in-law")  # read from the other end
SURE = ("parent", "sibling", "spouse", "parent-in-law")  # mean one thing
OPPOSITE = {MALE: FEMALE, FEMALE: MALE}


class Clash(Exception):
    """Two different people would be one."""


class Sketch:
    """A family being filled in: people, and couples (man, woman) that people are born to and live in."""

    def __init__(self, genders: Sequence[str]) -> None:
        self.named = len(genders)
        self.genders = list(genders)
        self.one = list(range(len(genders)))  # who somebody has turned out to be
        self.couples: list[list[int]] = []
        self.same: list[int] = []  # which couple a couple has turned out to be
        self.born: dict[int, int] = {}
        self.lives: dict[int, int] = {}

    def copy(self) -> Sketch:
        twin = Sketch(())
        twin.named, twin.genders, twin.one, twin.same = self.named, self.genders[:], self.one[:], self.same[:]
        twin.couples, twin.born, twin.lives = [c[:] for c in self.couples], dict(self.born), dict(self.lives)
        return twin

    def who(self, x: int) -> int:
        while self.one[x] != x:
            x = self.one[x]
        return x

    def couple(self, c: int) -> int:
        while self.same[c] != c:
            c = self.same[c]
        return c

    def somebody(self, gender: str) -> int:
        self.genders.append(gender)
        self.one.append(len(self.one))
        return len(self.one) - 1

    def home(self, x: int) -> int:
        """The couple that x is half of."""
        x = self.who(x)
        if x not in self.lives:
            other = self.somebody(OPPOSITE[self.genders[x]])
            self.couples.append([x, other] if self.genders[x] == MALE else [other, x])
            self.same.append(len(self.same))
            self.lives[x] = self.lives[other] = len(self.couples) - 1
        return self.couple(self.lives[x])

    def bear(self, x: int, c: int) -> None:
        """x is a child of couple c."""
        x = self.who(x)
        self.join(self.born.setdefault(x, c), c)

    def join(self, c: int, d: int) -> None:
        """The two couples are one."""
        c, d = self.couple(c), self.couple(d)
        if c != d:
            self.same[d] = c
            for one, other in zip(self.couples[c], self.couples[d]):
                self.merge(one, other)

    def merge(self, x: int, y: int) -> None:
        """The two people are one; of them the named one remains."""
        x, y = sorted((self.who(x), self.who(y)))
        if x == y:
            return
        if y < self.named or self.genders[x] != self.genders[y]:
            raise Clash
        self.one[y] = x
        for table in (self.born, self.lives):
            if y in table:
                self.join(table.setdefault(x, table[y]), table[y])

    def marry(self, x: int, y: int) -> None:
        self.merge(self.couples[self.home(x)][self.genders[y] == FEMALE], y)

    def siblings(self, x: int, y: int) -> None:
        x, y = self.who(x), self.who(y)
        if x == y:
            raise Clash
        parents = self.born.get(x, self.born.get(y))
        if parents is None:
            parents = self.home(self.somebody(MALE))
        self.bear(x, parents)
        self.bear(y, parents)

    def family(self) -> Family:
        people = [x for x in range(len(self.one)) if self.one[x] == x]
        number = {x: n for n, x in enumerate(people)}

        def half(table: dict[int, int], x: int, woman: bool) -> int | None:
            return number[self.who(self.couples[self.couple(table[x])][woman])] if x in table else None

        spouses = [half(self.lives, x, self.genders[x] == MALE) for x in people]
        return Family(
            named=self.named,
            genders=tuple(self.genders[x] for x in people),
            father=tuple(half(self.born, x, False) for x in people),
            mother=tuple(half(self.born, x, True) for x in people),
            spouses=tuple(() if s is None else (s,) for s in spouses),
        )


def readings(sketch: Sketch, fact: Edge) -> Iterator[Sketch]:
    """The sketch with the fact (neutral, not of TURNED) added, in every way it can be meant."""
    i, relation, j = fact
    genders = (OPPOSITE[sketch.genders[i]],) if relation in SURE else (MALE, FEMALE)
    for number, gender in enumerate(genders):
        new = sketch.copy()
        try:
            if relation == "parent":
                new.bear(i, new.home(j))
            elif relation == "sibling":
                new.siblings(i, j)
            elif relation == "spouse":
                new.marry(i, j)
            elif relation == "parent-in-law":
                new.bear(new.couples[new.home(i)][gender == FEMALE], new.home(j))
            elif relation == "sibling-in-law":
                a, b = (i, j) if number == 0 else (j, i)
                new.siblings(new.couples[new.home(a)][new.genders[a] == MALE], b)
            else:
                if i not in new.born:
                    new.bear(i, new.home(new.somebody(gender)))
                parent = new.couples[new.couple(new.born[i])][gender == FEMALE]
                if relation == "grandparent":
                    new.bear(parent, new.home(j))
                else:
                    new.siblings(parent, j)
        except Clash:
            continue
        yield new


def fill_in(genders: Sequence[str], edges: Sequence[Edge]) -> Family | None:
    """A family in which the facts hold, always the same one; None where there is none (or too much to try)."""
    check_people(genders, edges, (0, 0))
    facts = [(j, INVERSE[NEUTRAL[w]], i) if NEUTRAL[w] in TURNED else (i, NEUTRAL[w], j) for i, w, j in edges]
    facts.sort(key=lambda fact: fact[1] not in SURE)  # what leaves nothing open comes first
    waiting, tries = [(Sketch(genders), 0)], 0
    while waiting and tries < TRIES:
        sketch, done = waiting.pop()
        tries += 1
        if done < len(facts):
            waiting += [(new, done + 1) for new in readings(sketch, facts[done])][::-1]
        elif agrees(family := sketch.family(), genders, edges):
            return family
    return None
