"""The rule table of a world as TOML, every composition as the complete search finds it, which uses no rules:
python proofs/derive.py > src/proband/data/kinship/wide.toml

The proof that it is right is none of this file's business: Sound.v and Tight.v."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.world.relations import (
    FEMALE,
    MALE,
    NONE,
    WIDE,
    WIDE_INVERSE,
    WIDE_NEUTRAL,
    WIDE_WORDS,
    WIDE_WORLD,
    word,
)

HEAD = """# What follows from the meaning of the fourteen relations of the wide world (docs/kinship.md), and no more.
# `compose.A.B` lists what z can be to x when y is the A of x, z is the B of y and the three are different people.
# Made by proofs/derive.py, proved in Coq (proofs/wide).
name = "wide"
about = "every composition of fourteen relations: great-grandparents and cousins too"
world = "family"
other = true # two people need not stand in any of the relations
opposite = ["spouse"] # holds only between people of different gender

[relations]"""


def outcomes(first: str, second: str) -> list[str]:
    """What z can be, for any genders of the three."""
    found: set[str] = set()
    for x, y, z in product((MALE, FEMALE), repeat=3):
        edges = [(0, word(first, y), 1), (1, word(second, z), 2)]
        found |= possible([x, y, z], edges, (0, 2), world=WIDE_WORLD)
    return [name for name in (*WIDE, "other") if name in {WIDE_NEUTRAL.get(each, "other") for each in found}]


def lines() -> Iterator[str]:
    yield HEAD
    for name, (man, woman) in WIDE_WORDS.items():
        words = f'word = "{man}"' if man == woman else f'male = "{man}", female = "{woman}"'
        yield f'{name} = {{ {words}, inverse = "{WIDE_INVERSE[name]}" }}'
    for first in WIDE:
        yield f"\n[compose.{first}]"
        for second in WIDE:
            names = [f'"{name}"' for name in outcomes(first, second)]
            yield f"{second} = {names[0] if len(names) == 1 else '[' + ', '.join(names) + ']'}"


if __name__ == "__main__":
    assert NONE not in WIDE_NEUTRAL
    print("\n".join(lines()))
