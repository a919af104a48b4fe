"""Brothers, friends and colleagues, counted ("Alice in Wonderland"): Ann has 3 sisters and 2 brothers. How many sisters
does Ann's brother have?

By counting: her brother has her sisters and herself. If the text does not call a man her brother, nothing follows.
A colleague of two circles that share nobody else has the women of both, less herself. The second prover builds the
people one by one and counts who is whose.

>>> solve(read("Ann has 3 sisters and she also has 2 brothers. How many sisters does Ann's brother have?"), "").possible
('4',)
"""

from __future__ import annotations

import re
from itertools import permutations
from typing import Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

OPEN: Final = "any other number"
FORMS: Final = {
    "siblings": "the sisters of her own brother",
    "stranger": "the sisters of the brother of a man who is not called her brother",
    "friends": "the women among the friends of a man of her circle",
    "colleagues": "the women among the colleagues of one who belongs to two circles",
}
NUMBER: Final = r"(\d+)"
SISTERS_FIRST: Final = rf"(\w+) has {NUMBER} sisters and she also has {NUMBER} brothers\. "
BROTHERS_FIRST: Final = rf"(\w+) has {NUMBER} brothers and she also has {NUMBER} sisters\. "
SIBLINGS: Final = re.compile(rf"(?:{SISTERS_FIRST}|{BROTHERS_FIRST})How many sisters does (\w+)'s brother have\?")
FRIENDS: Final = re.compile(
    rf"(\w+) has {NUMBER} male friends and she also has {NUMBER} female friends\. They all are friends with each other "
    rf"and have no other friends aside\. How many female friends does (\w+), a male friend of \1, have\?"
)
COLLEAGUES: Final = re.compile(
    rf"(\w+) has {NUMBER} male colleagues and she also has {NUMBER} female colleagues\. These are all colleagues that "
    rf"\1 has\. All these mentioned persons around \1 are colleagues of each other\. (\w+) has {NUMBER} male "
    rf"colleagues and {NUMBER} female colleagues in total\. All these mentioned persons around \4 are colleagues of "
    rf"each other\. "
    rf"The people in the circle around \4 do not have other colleagues aside - with the only exception of Matilda\. "
    rf"She is colleague of \4 and she is also colleague of \1, being part of \1's circle\. "
    rf"How many female colleagues does Matilda have\?"
)


class Circles(NamedTuple):
    """`kind` is siblings, stranger (about a man who is not called her brother), friends or colleagues."""

    kind: str
    women: int  # of hers
    men: int
    others: int = 0  # women of the other circle
    other_men: int = 0
    text: str = ""


def read(question: str) -> Circles | None:
    text = question.strip()
    if match := SIBLINGS.fullmatch(text):
        name, sisters, brothers = match[1] or match[4], match[2] or match[6], match[3] or match[5]
        kind = "siblings" if match[7] == name else "stranger"
        circles = Circles(kind, int(sisters), int(brothers), text=text)
        return circles if circles.men else None
    if match := FRIENDS.fullmatch(text):
        return Circles("friends", int(match[3]), int(match[2]), text=text)
    if match := COLLEAGUES.fullmatch(text):
        return Circles("colleagues", int(match[3]), int(match[2]), int(match[6]), int(match[5]), text=text)
    return None


def solve(parsed: Circles, world: str) -> Solution:
    if parsed.kind == "colleagues":
        total = parsed.women + parsed.others - 1
        why = f"in her circle {parsed.women - 1} other women and its centre; in his {parsed.others - 1} other women"
        return solution((str(total),), f"{why}: {total}")
    own = parsed.women + 1
    if parsed.kind == "stranger":
        return solution((str(own), OPEN), "the text does not call him her brother: he may belong to another family")
    return solution((str(own),), f"her {parsed.women} and herself: {own}")


def check(parsed: Circles, world: str) -> frozenset[str]:
    """Build the circle (or two that share one woman) as a graph, and count the women beside the one asked about."""
    first = [("she", "f"), *((f"w{n}", "f") for n in range(parsed.women)), *((f"m{n}", "m") for n in range(parsed.men))]
    near = set(permutations(first, 2))
    asked = ("m0", "m")
    if parsed.kind == "colleagues":
        asked = ("w0", "f")  # Matilda
        rest = [(f"v{n}", "f") for n in range(parsed.others - 1)] + [(f"n{n}", "m") for n in range(parsed.other_men)]
        near |= set(permutations([("he", "m"), asked, *rest], 2))
    count = str(sum(one == asked and other[1] == "f" for one, other in near))
    return frozenset((count, OPEN) if parsed.kind == "stranger" else (count,))


def answer(text: str, parsed: Circles) -> str | None:
    number = re.fullmatch(r"[\s*([\"']*(\d+)(?: (?:female )?(?:sisters|friends|colleagues))?[\s*)\]\"'.!]*", text)
    return str(int(number[1])) if number else None


CIRCLES: Final = Puzzle(
    name="aiw",
    gym_world="",
    worlds={"stated": "people whom the text calls hers are hers; the two circles of colleagues share one woman"},
    read=read,
    solve=solve,
    check=check,
    answer=answer,
    statements=lambda parsed: (parsed.text,),
    form=lambda parsed: FORMS[parsed.kind],
    choices=lambda parsed: tuple(map(str, range(60))),
)
