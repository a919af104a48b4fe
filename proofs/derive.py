"""The rule table of a world as TOML, every composition as the complete search finds it, which uses no rules:
python proofs/derive.py wide > src/proband/data/kinship/wide.toml

The proof that it is right is none of this file's business: Sound.v and Tight.v."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product

from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.world.relations import (
    ALL_NEUTRAL,
    ALL_WORDS,
    BLENDED_WORLD,
    FEMALE,
    INVERSE,
    MALE,
    NONE,
    WIDE_WORLD,
    World,
    word,
)

WORLDS = {
    "wide": (WIDE_WORLD, "fourteen", "great-grandparents and cousins too"),
    "blended": (BLENDED_WORLD, "twelve", "half- and step-relations, no in-laws"),
}

HEAD = """# What follows from the meaning of the {count} relations of the {name} world (docs/kinship.md), and no more.
# `compose.A.B` lists what z can be to x when y is the A of x, z is the B of y and the three are different people.
# Made by proofs/derive.py, proved in Coq (proofs/{name}).
name = "{name}"
about = "every composition of {count} relations: {about}"
world = "family"
other = true # two people need not stand in any of the relations
opposite = ["spouse"] # holds only between people of different gender

[relations]"""


def outcomes(first: str, second: str, world: World) -> list[str]:
    """What z can be, for any genders of the three."""
    found: set[str] = set()
    for x, y, z in product((MALE, FEMALE), repeat=3):
        edges = [(0, word(first, y), 1), (1, word(second, z), 2)]
        found |= possible([x, y, z], edges, (0, 2), world=world)
    return [name for name in (*world.neutrals, "other") if name in {ALL_NEUTRAL.get(each, "other") for each in found}]


def lines(name: str) -> Iterator[str]:
    world, count, about = WORLDS[name]
    yield HEAD.format(name=name, count=count, about=about)
    for neutral in world.neutrals:
        man, woman = ALL_WORDS[neutral]
        words = f'word = "{man}"' if man == woman else f'male = "{man}", female = "{woman}"'
        yield f'{neutral} = {{ {words}, inverse = "{INVERSE[neutral]}" }}'
    for first in world.neutrals:
        yield f"\n[compose.{first}]"
        for second in world.neutrals:
            names = [f'"{each}"' for each in outcomes(first, second, world)]
            yield f"{second} = {names[0] if len(names) == 1 else '[' + ', '.join(names) + ']'}"


if __name__ == "__main__":
    assert NONE not in ALL_NEUTRAL
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", choices=WORLDS)
    print("\n".join(lines(parser.parse_args().world)))
