"""Things in a fixed order: left to right, old to new, cheap to expensive, first to last (BIG-Bench-Hard's
`logical_deduction`). Which of the statements that are offered is true?

A world is a permutation of the things; all that fit the statements are enumerated (5,040 at most). The second prover
asks a SAT solver, for each option, whether it can be false.

>>> text = '''On a shelf, there are three books: a red book, a blue book, and a green book. The red book is to the left
... of the blue book. The green book is the leftmost.
... Options:
... (A) The red book is the second from the left
... (B) The blue book is the second from the left'''
>>> solve(read(text), "").possible, sorted(check(read(text), ""))
(('(A)',), ['(A)'])
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

COUNTS: Final = {word: n for n, word in enumerate(("two", "three", "four", "five", "six", "seven"), start=2)}
PLACES: Final = {word: n for n, word in enumerate(("second", "third", "fourth", "fifth", "sixth"), start=1)}
INTRODUCED: Final = re.compile(
    r"(?:the following paragraphs each describe a set of \w+ objects arranged in a fixed order"
    r"|the statements are logically consistent within each paragraph)"
)
LISTED: Final = re.compile(rf"[^:]*\b(?P<count>{'|'.join(COUNTS)}) [a-z ]+: (?P<things>[^:]+)")
OPTION: Final = re.compile(r"\(([A-G])\)\s*([^()]+)")
BE: Final = r"(?:is|are|was|were)"
_RANK = f"(?P<rank>{'|'.join(PLACES)})"
# what comes first: the leftmost, the oldest, the cheapest, who finished first
BEFORE: Final = (
    rf"{BE} to the left of",
    rf"{BE} older than",
    rf"{BE} (?:cheaper|less expensive) than",
    "finished above",
)
BEHIND: Final = (rf"{BE} to the right of", rf"{BE} newer than", rf"{BE} more expensive than", "finished below")
FROM_FIRST: Final = (
    rf"{BE} (?:the )?leftmost", rf"{BE} the {_RANK} from the left", rf"{BE} the (?:{_RANK}-)?oldest",
    rf"{BE} the (?:{_RANK}-)?cheapest", "finished first", rf"finished {_RANK}",
)  # fmt: skip
FROM_LAST: Final = (
    rf"{BE} (?:the )?rightmost", rf"{BE} the {_RANK} from the right", rf"{BE} the (?:{_RANK}-)?newest",
    rf"{BE} the (?:{_RANK}-)?most expensive", "finished last", rf"finished {_RANK}-to-last",
)  # fmt: skip
COMPARED: Final = tuple(
    (re.compile(rf"(?P<a>.+?) {form} (?P<b>.+)"), sign) for sign, own in ((1, BEFORE), (-1, BEHIND)) for form in own
)
PLACED: Final = tuple(
    (re.compile(rf"(?P<a>.+?) {form}"), last) for last, own in ((False, FROM_FIRST), (True, FROM_LAST)) for form in own
)


class OrderClue(NamedTuple):
    """`a` comes before `b`, or, without `b`, is at `place` (counted from 0)."""

    a: int
    b: int | None
    place: int
    text: str

    def holds(self, at: Sequence[int]) -> bool:
        """`at`: the place of each thing."""
        return at[self.a] == self.place if self.b is None else at[self.a] < at[self.b]


class OrderPuzzle(NamedTuple):
    things: tuple[str, ...]
    clues: tuple[OrderClue, ...]
    options: Mapping[str, OrderClue]


def read(question: str) -> OrderPuzzle | None:
    """What a question says; None if a sentence of it is neither the list of things nor a clue about two of them."""
    stem, _, offered = " ".join(question.split()).partition("Options:")
    things: tuple[str, ...] = ()
    clues: list[OrderClue] = []
    for sentence in re.split(r"(?<=[.?!])\s+", stem.strip()):
        plain = sentence.strip().rstrip(".").lower()
        if not plain or INTRODUCED.fullmatch(plain):
            continue
        listed = LISTED.fullmatch(plain)
        if listed and not things:
            things = _things(listed["things"])
            if len(things) != COUNTS[listed["count"]] or len(set(things)) != len(things):
                return None
        elif clue := _clue(plain, things):
            clues.append(clue)
        else:
            return None
    options = {letter: _clue(text.strip(" .").lower(), things) for letter, text in OPTION.findall(offered)}
    known = {letter: clue for letter, clue in options.items() if clue}
    complete = things and clues and len(known) == len(options) > 1
    return OrderPuzzle(things, tuple(clues), known) if complete else None


def _things(text: str) -> tuple[str, ...]:
    parts = re.split(r",\s*(?:and\s+)?|\s+and\s+", text)
    return tuple(re.sub(r"^(?:an?|the) ", "", part.strip()) for part in parts)


def _clue(text: str, things: Sequence[str]) -> OrderClue | None:
    found: list[OrderClue] = []
    for form, sign in COMPARED:
        if match := form.fullmatch(text):
            a, b = _number(match["a"], things), _number(match["b"], things)
            if a is not None and b is not None and a != b:
                found.append(OrderClue(a, b, 0, text) if sign > 0 else OrderClue(b, a, 0, text))
    for form, last in PLACED:
        if (match := form.fullmatch(text)) and (a := _number(match["a"], things)) is not None:
            rank = PLACES.get(match.groupdict().get("rank") or "", 0)
            if rank < len(things):
                found.append(OrderClue(a, None, len(things) - 1 - rank if last else rank, text))
    return found[0] if len(set(found)) == 1 else None


def _number(text: str, things: Sequence[str]) -> int | None:
    bare = re.sub(r"^(?:the|an?) ", "", text)
    return things.index(bare) if bare in things else None


def _worlds(row: OrderPuzzle) -> Iterator[tuple[int, ...]]:
    for at in permutations(range(len(row.things))):
        if all(clue.holds(at) for clue in row.clues):
            yield at


def _offered(letters: Sequence[str], always: Sequence[str], sometimes: Sequence[str]) -> tuple[str, ...]:
    """The options that hold in every order; if there are none, those that hold in some."""
    chosen = always or sometimes
    return tuple(f"({letter})" for letter in letters if letter in chosen)


def solve(row: OrderPuzzle, _: str) -> Solution:
    worlds = list(_worlds(row))
    if not worlds:
        return solution(())
    letters = list(row.options)
    always = [letter for letter in letters if all(row.options[letter].holds(at) for at in worlds)]
    sometimes = [letter for letter in letters if any(row.options[letter].holds(at) for at in worlds)]
    shown = sorted(row.things, key=lambda thing: worlds[0][row.things.index(thing)])
    return solution(_offered(letters, always, sometimes), f"one order: {', '.join(shown)}")


def check(row: OrderPuzzle, _: str) -> frozenset[str]:
    """The same by a SAT solver: an option must hold if no world is left in which it does not."""
    from pysat.solvers import Minisat22

    count = len(row.things)

    def at(thing: int, place: int) -> int:
        return 1 + thing * count + place

    def says(clue: OrderClue) -> list[list[int]]:
        if clue.b is None:
            return [[at(clue.a, clue.place)]]
        return [[-at(clue.a, p), -at(clue.b, q)] for p in range(count) for q in range(p + 1)]

    def denies(clue: OrderClue) -> list[list[int]]:
        """Of two things in different places, one is before the other."""
        return [[-at(clue.a, clue.place)]] if clue.b is None else says(OrderClue(clue.b, clue.a, 0, ""))

    everywhere = range(count)
    clauses = [[at(thing, place) for place in everywhere] for thing in everywhere]
    clauses += [[-at(t, p), -at(u, p)] for p in everywhere for t, u in combinations(everywhere, 2)]
    clauses += [[-at(t, p), -at(t, q)] for t in everywhere for p, q in combinations(everywhere, 2)]
    clauses += [clause for clue in row.clues for clause in says(clue)]

    def possible(more: list[list[int]]) -> bool:
        with Minisat22(bootstrap_with=[*clauses, *more]) as solver:
            return bool(solver.solve())

    if not possible([]):
        return frozenset()
    sometimes = [letter for letter, clue in row.options.items() if possible(says(clue))]
    always = [letter for letter, clue in row.options.items() if not possible(denies(clue))]
    return frozenset(_offered(list(row.options), always, sometimes))


def answer(text: str, row: OrderPuzzle) -> str | None:
    match = re.fullmatch(r"\(?([A-G])\)?[.:]?(?:\s+(.+?))?[.\s]*", text.strip())
    option = row.options.get(match[1]) if match else None
    return f"({match[1]})" if match and option and (match[2] or option.text).lower() == option.text else None


ORDERS: Final = Puzzle(
    name="orders",
    worlds={"permutations": "each thing has a place of its own in one order"},
    read=read,
    solve=solve,
    check=check,
    answer=answer,
    statements=lambda row: tuple(clue.text for clue in row.clues),
    choices=lambda row: tuple(f"({letter})" for letter in row.options),
    form=lambda row: f"{len(row.things)} things",
)
