"""One item looked at: as text, and as a family tree in which its story is true.

That family is found by filling in (a chase): quicker than `logic.search`, for looking at, not for proving. Each fact
brings the people it speaks of without naming them: a sibling a couple of parents, an uncle a parent who is his sibling.
Whoever must be the same is made one: two fathers of one person, two spouses of one person, their parents. Where a fact
leaves open what it means (my grandfather's child is my father or my mother, my brother-in-law my wife's brother or my
sister's husband), each is tried. Nobody is made the same who need not be: if none of these is a family, there is none.

>>> family = fill_in(["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)])
>>> family.relations(0, 2), family.named, len(family)
(frozenset({'uncle'}), 3, 6)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from proband.core.errors import ProbandError
from proband.core.metrics import chosen_answer
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.search import check_people
from proband.suites.kinship.world.families import family_of_rows
from proband.suites.kinship.world.family_svg import family_svg, side_by_side
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE, NEUTRAL, Edge, Family, agrees, lean
from proband.suites.kinship.world.rules import StoryFacts, facts_of, of_item

TRIES = 5_000  # readings of the facts to try at most
TURNED = ("child", "grandchild", "nibling", "child-in-law")  # read from the other end
SURE = ("parent", "sibling", "spouse", "parent-in-law")  # mean one thing
OPPOSITE = {MALE: FEMALE, FEMALE: MALE}


def show(item: Item) -> str:
    """The prompt, the facts with their noise, the proof line by line and the certificate."""
    lines = [item.prompt, ""]
    if item.gold is not None:
        lines += [f"answer: {item.choices[item.gold]}", ""]
    if "edges" in item.facts:
        facts = facts_of(item)
        noise, k = dict(facts.noise), "?" if facts.k is None else facts.k
        lines.append(f"facts ({k} of the clause, {len(noise)} of noise; proof of {facts.depth}):")
        for edge in facts.edges:
            kind = noise.get(edge)
            lines.append(f"  {fact(edge, facts.names)}" + (f"   [{kind}]" if kind else ""))
        lines.append("proof:" if facts.proof else "proof: it is told")
        lines += [f"  {step(s, facts.names)}" for s in facts.proof]
        if facts.certificate:
            by = " and ".join(facts.certified_by)
            lines.append(f"certificate: {facts.certificate}" + (f", by {by}" if by else ""))
    return "\n".join(lines)


def fact(edge: Edge, names: Sequence[str]) -> str:
    """
    >>> fact((0, "aunt", 1), ["Arthur", "Sharon"])
    'Sharon is the aunt of Arthur'
    """
    i, word, j = edge
    return f"{names[j]} is the {' or '.join(word.split('|'))} of {names[i]}"


def step(premises: Sequence[Edge], names: Sequence[str]) -> str:
    """
    >>> step([(0, "mother", 1), (1, "brother", 2), (0, "uncle", 2)], ["Al", "Bea", "Cy"])
    'Bea is the mother of Al, Cy is the brother of Bea: Cy is the uncle of Al'
    """
    *given, last = (fact(edge, names) for edge in premises)
    return f"{', '.join(given)}: {last}"


def draw_item(item: Item, answer: Answer | None = None) -> str | None:
    """A family in which the item's story is true, the question marked; None for items without such a family.

    With an answer the arc carries what was answered, and what is right where that differs.
    """
    if "edges" not in item.facts:
        return None
    try:
        facts = facts_of(item)
        if facts.families:
            return _several_families(item, facts, answer)
        family = _family_of_item(item, facts)
    except (KeyError, TypeError, ValueError, ProbandError):
        return None
    if family is None:
        return None
    noise = [edge for edge, _ in facts.noise]
    noisy = {x for i, _, j in noise for x in (i, j)}
    needed = {x for edge in facts.edges if edge not in noise for x in edge[::2]}
    return family_svg(
        family,
        list(facts.names),
        query=facts.pair,
        answer=_verdict(item, answer),
        faint=noisy - needed,
        title=f"The family of {item.id}",
    )


def _several_families(item: Item, facts: StoryFacts, answer: Answer | None) -> str:
    """Of a question that cannot be told, or with several possible answers: families beside each other, each with its
    own answer."""
    pictures = list[str]()
    for rows in facts.families:
        family = family_of_rows(rows, named=len(facts.names), world=of_item(item).kin)
        own = " or ".join(sorted(family.relations(*facts.pair))) or "none of these"
        pictures.append(family_svg(family, list(facts.names), query=facts.pair, answer=own, title=own))
    return side_by_side(pictures, title=f"{len(pictures)} families of {item.id}: {_verdict(item, answer)}")


def _family_of_item(item: Item, facts: StoryFacts) -> Family | None:
    """By filling in; of the wide world the one that the item carries."""
    if (world := of_item(item).kin).wide:
        return family_of_rows(item.facts["family"], named=len(facts.names), world=world)
    return _family_of(facts.genders, facts.edges, facts.pair)


@lru_cache(maxsize=8)
def _family_of(genders: tuple[str, ...], edges: tuple[Edge, ...], query: tuple[int, int]) -> Family | None:
    """Once for all answers to a story."""
    family = fill_in(genders, edges)
    return family and lean(family, edges, query)


def _verdict(item: Item, answer: Answer | None) -> str:
    right = str(item.facts.get("target", ""))
    if answer is None or len(answer.scores) != len(item.choices) or not answer.scores:
        return right
    chosen = chosen_answer(item, answer)
    return f"{right} ✓" if chosen == right else f"{chosen} ✗ ({right})"


# ---- a family of a story, by filling in ----------------------------------------------------------------------------


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
