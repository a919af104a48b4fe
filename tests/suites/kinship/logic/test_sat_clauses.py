"""The axioms as clauses, on two and three people whose families one can list."""

from __future__ import annotations

from itertools import product

import pytest
from pysat.solvers import Minisat22

from proband.suites.kinship.logic.sat_clauses import Atoms, axioms, fact, model_family, witnesses
from proband.suites.kinship.world.relations import STRICT, Family, World


def fits(atoms: Atoms, world: World, *literals: int) -> bool:
    with Minisat22(bootstrap_with=list(axioms(atoms, world))) as solver:
        return bool(solver.solve(assumptions=list(literals)))


@pytest.mark.parametrize(("world", "same_gender"), [(STRICT, False), (World(two_genders=False), True)])
def test_two_people_are_parent_and_child_or_a_couple_or_nothing_to_each_other(world: World, same_gender: bool) -> None:
    atoms = Atoms(named=2, size=2)
    ties = (atoms.parent[0, 1], atoms.parent[1, 0], atoms.married[0, 1])
    for man, other_man, *tied in product((False, True), repeat=5):
        literals = (*zip((1, 2), (man, other_man)), *zip(ties, tied))
        couple = not tied[2] or same_gender or man != other_man
        assert fits(atoms, world, *(atom if true else -atom for atom, true in literals)) == (sum(tied) < 2 and couple)


def test_siblings_are_not_married_and_neither_is_the_others_parent() -> None:
    atoms = Atoms(named=2, size=3)
    literals, ways = fact(atoms, (0, "sister", 1), free=[2], world=STRICT)
    assert ways is None
    assert fits(atoms, STRICT, *literals)
    for tie in (atoms.married[0, 1], atoms.parent[0, 1], atoms.parent[1, 0]):
        assert not fits(atoms, STRICT, *literals, tie)


def test_parents_of_one_child_are_married_in_the_strict_world_alone() -> None:
    atoms = Atoms(named=3, size=3)
    apart = (atoms.parent[0, 2], atoms.parent[1, 2], -atoms.married[0, 1])
    assert not fits(atoms, STRICT, *apart)
    assert fits(atoms, World(married_parents=False, no_stepparents=False), *apart)


def test_witnesses_are_the_people_whom_a_fact_does_not_name() -> None:
    """The table at the head of the module."""
    needed = {"parent": 0, "spouse": 0, "sibling": 1, "grandchild": 1, "parent-in-law": 1, "nibling": 2}
    assert {neutral: witnesses(neutral, STRICT) for neutral in needed} == needed
    assert witnesses("pibling", World(by_blood=False)) == 3  # the spouse of an uncle too


def test_a_model_is_a_family_without_unused_people() -> None:
    atoms = Atoms(named=2, size=4)
    true = {atoms.male(0), atoms.parent[0, 1], atoms.parent[0, 2], atoms.same[1, 2]}  # 2 is 1, and 3 is nobody's
    family = model_family(atoms, true.__contains__, world=STRICT)
    assert family == Family(
        named=2, genders=("male", "female"), father=(None, 0), mother=(None, None), spouses=((), ())
    )
