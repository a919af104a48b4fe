"""Zebra puzzles: who lives in house 1, where each house has one value of every kind (a name, a drink, an animal, ...)?

A world gives the values of every kind to the houses, each once; a SAT solver finds all people who live there in some
world that fits the clues. The second prover places kind after kind, in every order, and drops what breaks a clue.

>>> text = '''There are 2 houses
...  - Each person has a unique name: bob, alice
...  - The people keep different animals: cat, dog
...
... 1. The cat lover is Alice.
... 2. The dog owner is in the second house.
...
... What is Name of the person who lives in House 1?'''
>>> solve(read(text), "").possible, sorted(check(read(text), ""))
(('alice',), ['alice'])
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations, permutations, product
from typing import Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

HOUSES: Final = re.compile(r"There are (\d) houses")
KIND: Final = re.compile(r"(?m)^ - (.+?): (.+)$")
CLUE: Final = re.compile(r"(?m)^\d+\. (.+)\.$")
ASKED: Final = re.compile(r"What is Name of the person who lives in House (\d)\?")
PLACES: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
FORMS: Final = {
    "in": re.compile(r"(?P<a>.+) is in the (?P<place>\w+) house"),
    "left": re.compile(r"(?P<a>.+) is directly left of (?P<b>.+)"),
    "beside": re.compile(r"(?P<a>.+?) and (?P<b>.+) are next to each other"),
}
CUES: Final = {
    "name": r"\w+",
    "child": r".*(?:'s child|mother of).*",
    "cigar": r".*(?:smok|partial to).*",
}  # of phrases
SPELLED: Final = {"brit": "british", "swede": "swedish", "horse": "horses", "rose": "roses"}
Literal = tuple[int, str]  # kind, value


class HouseClue(NamedTuple):
    """`form` is same, in (house `place`), left or beside."""

    form: str
    a: Literal
    b: Literal | None
    place: int
    text: str

    def holds(self, house: Mapping[Literal, int]) -> bool:
        if self.b is None:
            return house[self.a] == self.place
        apart = house[self.b] - house[self.a]
        return apart in {"same": (0,), "left": (1,), "beside": (1, -1)}[self.form]


class Street(NamedTuple):
    houses: int
    kinds: tuple[tuple[str, ...], ...]  # the names first
    clues: tuple[HouseClue, ...]
    asked: int


def read(question: str) -> Street | None:
    houses, asked = HOUSES.search(question), ASKED.search(question)
    kinds = [(head, tuple(values.split(", "))) for head, values in KIND.findall(question)]
    kinds.sort(key=lambda each: "unique name" not in each[0])
    if not houses or not asked or not kinds or any(len(values) != int(houses[1]) for _, values in kinds):
        return None
    clues = [_clue(text, kinds) for text in CLUE.findall(question)]
    known = tuple(each for each in clues if each)
    complete = len(known) == len(clues) and known
    return Street(int(houses[1]), tuple(v for _, v in kinds), known, int(asked[1])) if complete else None


def _clue(text: str, kinds: list[tuple[str, tuple[str, ...]]]) -> HouseClue | None:
    for form, pattern in FORMS.items():
        if match := pattern.fullmatch(text):
            a = _literal(match["a"], kinds)
            b = _literal(match["b"], kinds) if "b" in match.groupdict() else None
            place = PLACES.index(match["place"]) + 1 if b is None and match["place"] in PLACES else 0
            return HouseClue(form, a, b, place, text) if a and (b or place) else None
    ways = {
        (a, b)
        for at in (m.start() for m in re.finditer(" is ", text))
        if (a := _literal(text[:at], kinds)) and (b := _literal(text[at + 4 :], kinds)) and a[0] != b[0]
    }
    return HouseClue("same", *ways.pop(), 0, text) if len(ways) == 1 else None


def _literal(phrase: str, kinds: list[tuple[str, tuple[str, ...]]]) -> Literal | None:
    """The one value that a phrase names, of the kind that its words are about."""
    plain = phrase.lower()
    cue = next((kind for kind, form in CUES.items() if re.fullmatch(form, plain)), "")
    found = []
    for number, (head, values) in enumerate(kinds):
        own = next((kind for kind in CUES if kind in head), "")
        for value in values if own == cue else ():
            if re.search(rf"\b(?:{re.escape(value)}|{SPELLED.get(value, '(?!)')})\b", plain):
                found.append((number, value))
    return found[0] if len(found) == 1 else None


def solve(parsed: Street, world: str) -> Solution:
    from pysat.solvers import Solver

    number: dict[tuple[Literal, int], int] = {}
    clauses: list[list[int]] = []
    houses = range(1, parsed.houses + 1)
    for kind, values in enumerate(parsed.kinds):
        for value, house in product(values, houses):
            number[(kind, value), house] = len(number) + 1
        clauses += [[number[(kind, value), h] for h in houses] for value in values]
        for one, other in combinations(values, 2):
            clauses += [[-number[(kind, one), h], -number[(kind, other), h]] for h in houses]
    for clue in parsed.clues:
        if clue.b is None:
            clauses.append([number[clue.a, clue.place]])
            continue
        for here, there in product(houses, houses):
            if not clue.holds({clue.a: here, clue.b: there}):
                clauses.append([-number[clue.a, here], -number[clue.b, there]])
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        names = tuple(n for n in parsed.kinds[0] if solver.solve(assumptions=[number[(0, n), parsed.asked]]))
    return solution(names, f"{len(names)} of {parsed.houses} people may live in house {parsed.asked}")


def check(parsed: Street, world: str) -> frozenset[str]:
    """Worlds of the kinds placed so far, one kind after the other, the names first."""
    worlds: list[dict[Literal, int]] = [{}]
    order = [
        0,
        *sorted(range(1, len(parsed.kinds)), key=lambda kind: -sum(_about(clue, kind) for clue in parsed.clues)),
    ]
    for step, kind in enumerate(order):
        placed = set(order[: step + 1])
        ready = [c for c in parsed.clues if c.a[0] in placed and (c.b is None or c.b[0] in placed) and _about(c, kind)]
        own = [clue for clue in ready if clue.a[0] == kind and (clue.b is None or clue.b[0] == kind)]
        ways = [{(kind, v): h for h, v in enumerate(p, 1)} for p in permutations(parsed.kinds[kind])]
        ways = [way for way in ways if all(clue.holds(way) for clue in own)]
        both = (before | way for before in worlds for way in ways)
        worlds = [each for each in both if all(clue.holds(each) for clue in ready)]
    return frozenset(value for each in worlds for (kind, value), h in each.items() if kind == 0 and h == parsed.asked)


def _about(clue: HouseClue, kind: int) -> bool:
    return clue.a[0] == kind or (clue.b is not None and clue.b[0] == kind)


def answer(text: str, parsed: Street) -> str | None:
    plain = text.strip().strip(".!*\"'").lower()
    return plain if plain in parsed.kinds[0] else None


ZEBRA: Final = Puzzle(
    name="zebra_puzzles",
    gym_world="",
    worlds={"street": "every house has one value of every kind, and no two the same"},
    read=read,
    solve=solve,
    check=check,
    answer=answer,
    statements=lambda parsed: tuple(clue.text for clue in parsed.clues),
    form=lambda parsed: f"{parsed.houses} houses",
    choices=lambda parsed: parsed.kinds[0],
)
