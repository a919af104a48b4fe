"""Witnesses.v: a family for every entry of the table and every three genders that admit it, found by the suite's own
search.  python proofs/witnesses.py sound > Witnesses.v

Coq checks each of them again (Tight.v), so nothing here need be trusted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product

from table import constructor, outcome

from proband.suites.kinship.logic.search import canonical, families_of
from proband.suites.kinship.world.relations import (
    ALL_NEUTRAL,
    BLENDED_WORLD,
    FEMALE,
    MALE,
    STRICT,
    WIDE_WORLD,
    Family,
    World,
    word,
)

HEAD = """(* made by witnesses.py from the families that the search found *)
Require Import List World Table. Import ListNotations.

(* sex, father, mother, spouse *)
Definition row := (gender * option nat * option nat * option nat)%type.
(* y is the first relation of x, z the second of y and the third of x; their genders; x, y, z; the family *)
Definition witness :=
  (relation * relation * option relation * (gender * gender * gender) * (nat * nat * nat) * list row)%type.

Definition witnesses : list witness := ["""


def rows(family: Family) -> tuple[list[str], list[int]]:
    """The family with parents before their children, and everybody's new number."""
    ancestors = family.ancestors()
    assert family.broken() is None
    assert ancestors is not None
    order = sorted(range(len(family)), key=lambda person: len(ancestors[person]))
    number = [order.index(person) for person in range(len(family))]

    def some(person: int | None) -> str:
        return "None" if person is None else f"Some {number[person]}"

    def row(p: int) -> str:
        spouse = next(iter(family.spouses[p]), None)
        return f"({family.genders[p]}, {some(family.father[p])}, {some(family.mother[p])}, {some(spouse)})"

    return [row(person) for person in order], number


def witnesses(world: World) -> Iterator[str]:
    for a, b in product(world.neutrals, world.neutrals):
        for genders in product((MALE, FEMALE), repeat=3):
            edges = [(0, word(a, genders[1]), 1), (1, word(b, genders[2]), 2)]
            pattern, order = canonical(list(genders), edges, (0, 2), world)
            for found, family in families_of(pattern, world).items():
                old = [*order, *range(family.named, len(family))]  # the family's number -> the number in the edges
                people, number = rows(family.renumbered(sorted(range(len(family)), key=old.__getitem__)))
                third = outcome("other" if found == "none" else ALL_NEUTRAL[found])
                yield (
                    f"({constructor(a)}, {constructor(b)}, {third}, ({', '.join(genders)}), "
                    f"({number[0]}, {number[1]}, {number[2]}), [{'; '.join(people)}])"
                )


if __name__ == "__main__":
    worlds = {"sound": STRICT, "wide": WIDE_WORLD, "blended": BLENDED_WORLD}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", choices=worlds)
    world = worlds[parser.parse_args().world]
    print(HEAD)
    print(";\n".join(witnesses(world)))
    print("].")
