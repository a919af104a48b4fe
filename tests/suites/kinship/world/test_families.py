"""Families keep the axioms of the world, whatever the settings and the seed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.core.errors import ProbandError
from proband.suites.kinship.world.families import OTHER, Shape, make, matrix
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
    assert make(random.Random(seed), shape).broken() is None


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
    family = make(random.Random(seed), Shape(children=(1, 2), founders=1))
    for x, row in enumerate(matrix(family)):
        for y, relation in enumerate(row):
            if x != y:
                assert list(family.neutral_relations(x, y)) == ([] if relation == OTHER else [NEUTRALS[relation]])


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


@pytest.mark.parametrize("children", [(3, 2), (0, 0)])
def test_impossible_settings_are_refused(children: tuple[int, int]) -> None:
    with pytest.raises(ProbandError):
        Shape(children=children)
