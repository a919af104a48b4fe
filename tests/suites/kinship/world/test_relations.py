"""The kernel's axioms against every enumerated family and against families that break one."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.suites.kinship.enumerated_families import families, neutral_table, unordered

from proband.suites.kinship.world.relations import Family


def relation_table(
    genders: tuple[str, ...], couples: tuple[tuple[int, int], ...], homes: tuple[tuple[int, ...], ...]
) -> dict[tuple[int, int], str]:
    """(i, j) -> what j is to i."""
    table = neutral_table(*unordered(couples, homes))
    return {(i, j): words[genders[j] == "female"] for (i, j), words in table.items()}


def test_kernel_reads_enumerated_families() -> None:
    """The kernel's axioms accept each enumerated family and its relations are those of the set composition."""
    count = 0
    for genders, couples, homes in families(4):
        partner = {x: y for a, b in couples for x, y in ((a, b), (b, a))}
        family = Family(
            named=4,
            genders=genders,
            father=tuple(next((p for p in home if genders[p] == "male"), None) for home in homes),
            mother=tuple(next((p for p in home if genders[p] == "female"), None) for home in homes),
            spouses=tuple((partner[x],) if x in partner else () for x in range(4)),
        )
        assert family.broken() is None
        table = relation_table(genders, couples, homes)
        for i, j in permutations(range(4), 2):
            assert family.relations(i, j) == ({table[i, j]} if (i, j) in table else set())
        count += 1
    assert count == 796


@pytest.mark.parametrize(
    ("father", "mother", "spouses", "axiom"),
    [
        ((None, 0, None), (None, None, None), ((), (), ()), None),
        ((None, 2, None), (None, None, None), ((), (), ()), "axiom 1"),  # a father who is a woman
        ((None, 0, None), (None, 2, None), ((), (), ()), "axiom 2"),  # parents who are not married
        ((None, 0, None), (None, None, None), ((2,), (), (0,)), "axiom 2"),  # a stepmother
        ((1, 0, None), (None, None, None), ((), (), ()), "axiom 3"),
        ((None, 0, 0), (None, None, None), ((), (2,), (1,)), "axiom 4"),  # siblings who married
    ],
)
def test_kernel_rejects(
    father: tuple[int | None, ...],
    mother: tuple[int | None, ...],
    spouses: tuple[tuple[int, ...], ...],
    axiom: str | None,
) -> None:
    family = Family(named=3, genders=("male", "male", "female"), father=father, mother=mother, spouses=spouses)
    assert (family.broken() or "").startswith(axiom or "")
    assert (family.broken() is None) == (axiom is None)
