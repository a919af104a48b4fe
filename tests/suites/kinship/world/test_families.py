"""Families keep the axioms of the world, whatever the settings and the seed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.core.errors import ProbandError
from proband.suites.kinship.world.families import NOBODY, OTHER, Family, Shape, broken, make, matrix
from proband.suites.kinship.world.relations import INVERSE, NEUTRALS

SHAPES = st.builds(
    Shape,
    levels=st.integers(2, 4),
    children=st.tuples(st.integers(0, 2), st.integers(1, 3)).map(lambda r: (r[0], max(r))),
    marry=st.floats(0, 1),
    inlaws=st.floats(0, 1),
    cross=st.floats(0, 1),
    founders=st.integers(1, 4),
)


@given(SHAPES, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_family_keeps_the_axioms(shape: Shape, seed: int) -> None:
    assert broken(make(random.Random(seed), shape)) is None


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_relations_are_turned_by_their_inverse(seed: int) -> None:
    family = make(random.Random(seed))
    table = matrix(family)
    for x in range(len(family)):
        assert table[x][x] == OTHER
        for y in range(len(family)):
            if table[x][y] != OTHER:
                assert NEUTRALS[table[y][x]] == INVERSE[NEUTRALS[table[x][y]]]


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_matrix_is_what_the_certifiers_kernel_says(seed: int) -> None:
    """Two implementations of the definitions, written apart."""
    from proband.suites.kinship.world import kernel

    family = make(random.Random(seed), Shape(children=(1, 2), founders=1))

    def other(people: tuple[int, ...]) -> tuple[int | None, ...]:
        return tuple(None if p == NOBODY else p for p in people)

    theirs = kernel.Family(
        genders=family.genders,
        father=other(family.father),
        mother=other(family.mother),
        spouses=tuple(() if s == NOBODY else (s,) for s in family.spouse),
        named=len(family),
    )
    assert theirs.broken() is None
    for x, row in enumerate(matrix(family)):
        for y, relation in enumerate(row):
            if x != y:
                assert list(theirs.neutral_relations(x, y)) == ([] if relation == OTHER else [NEUTRALS[relation]])


@given(SHAPES, st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_family_is_a_function_of_its_seed(shape: Shape, seed: int) -> None:
    assert make(random.Random(seed), shape) == make(random.Random(seed), shape)


def test_the_settings_do_what_they_say() -> None:
    nobody = make(random.Random(0), Shape(marry=0.0, children=(3, 3), founders=1))
    assert len(nobody) == 5  # two founders, three children who stay single
    plain = make(random.Random(0), Shape(marry=1.0, inlaws=0.0, cross=0.0, children=(2, 2), founders=1))
    assert len(plain) == 2 + 2 * 2 + 4 * 2  # each generation brings as many spouses as children
    sizes = [len(make(random.Random(0), Shape(founders=n, marry=0.0, children=(1, 1)))) for n in (1, 2, 3)]
    assert sizes == [3, 6, 9]


GOOD = Family(("male", "female", "male", "female"), (-1, -1, 0, -1), (-1, -1, 1, -1), (1, 0, 3, 2))
GOOD_PEOPLE = (GOOD.father, GOOD.mother, GOOD.spouse)


@pytest.mark.parametrize(
    ("family", "says"),
    [
        (GOOD, None),
        (Family(("female", "male", "male", "female"), *GOOD_PEOPLE), "the father of 2 is not male"),
        (Family(("female", "male", "male"), (-1, -1, -1), (-1, -1, 1), (-1, -1, -1)), "mother of 2 is not female"),
        (Family(("male", "male", "male", "female"), *GOOD_PEOPLE), "0 and 1 are no couple"),
        (Family(GOOD.genders, GOOD.father, GOOD.mother, (-1, -1, 3, 2)), "parents of 2 are not married"),
        (Family(GOOD.genders, (-1, -1, 0, -1), (-1, -1, 3, -1), (1, 0, -1, -1)), "parents of 2 are not married"),
        (Family(("male", "male"), (1, 0), (-1, -1), (-1, -1)), "somebody is their own ancestor"),
        (Family(GOOD.genders, (-1, -1, 0, 0), (-1, -1, 1, 1), GOOD.spouse), "2 and 3 are of one family"),
        (Family(GOOD.genders, GOOD.father, GOOD.mother, (1, 0, 3, 0)), "2 and 3 are no couple"),
        (Family(GOOD.genders, GOOD.father[:3], GOOD.mother, GOOD.spouse), "the lists differ in length"),
    ],
)
def test_broken_families_are_caught(family: Family, says: str | None) -> None:
    found = broken(family)
    assert (found is None) if says is None else (found is not None and says in found)


@pytest.mark.parametrize(
    "wrong",
    [{"levels": 1}, {"founders": 0}, {"children": (3, 2)}, {"children": (0, 0)}, {"marry": 1.5}, {"inlaws": -1}],
)
def test_impossible_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ProbandError):
        Shape(**wrong)  # type: ignore[arg-type]
