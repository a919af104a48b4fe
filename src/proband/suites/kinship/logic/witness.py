"""The family that a story's facts are true in: the part of a certificate that shows that they do not contradict each
other.

It is a part of the family the story was taken from: the named people, and those whom a fact speaks of without naming
them (a brother needs a parent in common, an uncle a parent who is his sibling). Any part of a family is a family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from proband.suites.kinship.world.kernel import Family

Row = tuple[str, int | None, int | None, int | None]  # gender, father, mother, spouse
TURNED: Final = {"grandchild": "grandparent", "nibling": "pibling", "child-in-law": "parent-in-law"}


def between(family: Family, relation: str, a: int, b: int) -> tuple[int, ...]:
    """Whom the fact "b is the relation of a" needs beside the two.

    >>> home = Family(named=4, genders=("male", "female", "male", "female"), father=(2, 2, None, None),
    ...               mother=(3, 3, None, None), spouses=((), (), (3,), (2,)))
    >>> between(home, "sibling", 0, 1), between(home, "parent", 0, 2)
    ((2,), ())
    """
    parents, siblings, spouses = family.parents, family.siblings, family.spouses
    if relation in TURNED:  # read from the other end
        return between(family, TURNED[relation], b, a)
    if relation == "sibling":
        return (min(parents[a] & parents[b]),)
    if relation == "grandparent":
        return (next(z for z in sorted(parents[a]) if b in parents[z]),)
    if relation == "pibling":
        z = next(z for z in sorted(parents[a]) if b in siblings[z])
        return (z, *between(family, "sibling", z, b))
    if relation == "parent-in-law":
        return spouses[a]
    if relation == "sibling-in-law":
        one, other = next((x, y) for x, y in ((a, b), (b, a)) if any(y in siblings[z] for z in spouses[x]))
        z = next(z for z in spouses[one] if other in siblings[z])
        return (z, *between(family, "sibling", z, other))
    return ()


class Part(NamedTuple):
    """What one family gives a story: whom (with their seats in the story), and of which pairs facts are told."""

    rows: Sequence[Row]
    needed: Mapping[tuple[int, int], tuple[int, ...]]  # `between` of a pair, whatever the second is to the first
    seats: dict[int, int]  # those whom facts need besides are added
    pairs: Iterable[tuple[int, int]]


def rows_of(family: Family) -> list[Row]:
    return [
        (gender, father, mother, spouses[0] if spouses else None)
        for gender, father, mother, spouses in zip(family.genders, family.father, family.mother, family.spouses)
    ]


def witness(parts: Iterable[Part], named: int) -> list[Row]:
    """The rows of a family, the named people first, in the order of their seats."""
    found: list[Row] = [("", None, None, None)] * named
    size = named
    for rows, needed, seats, pairs in parts:
        for pair in pairs:
            for person in needed[pair]:
                if person not in seats:
                    seats[person] = size
                    size += 1
        at: Callable[[int | None], int | None] = seats.get  # type: ignore[assignment] # nobody has no seat
        found += [("", None, None, None)] * (size - len(found))
        for who, place in seats.items():
            gender, father, mother, spouse = rows[who]
            found[place] = (gender, at(father), at(mother), at(spouse))
    return found
