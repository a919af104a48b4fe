"""Families keep the axioms of the world, whatever the settings and the seed."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, combinations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world import families
from proband.suites.kinship.world.families import GENDER_OF, NAMES, FamilyShape, likeness, make_family, matrix, shuffle
from proband.suites.kinship.world.relations import INVERSE, NEUTRALS

OTHER = len(NEUTRALS)  # no relation

SHAPES = st.builds(
    FamilyShape,
    levels=st.integers(2, 4),
    children=st.tuples(st.integers(0, 2), st.integers(1, 3)).map(lambda r: (r[0], max(r))),
    marry=st.floats(0, 1),
    inlaws=st.floats(0, 1),
    cross=st.floats(0, 1),
    founders=st.integers(1, 4),
)


@given(SHAPES, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_family_keeps_the_axioms(shape: FamilyShape, seed: int) -> None:
    assert make_family(random.Random(seed), shape).broken() is None


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_relations_are_turned_by_their_inverse(seed: int) -> None:
    family = make_family(random.Random(seed))
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
    family = make_family(random.Random(seed), FamilyShape(children=(1, 2), founders=1))
    for x, row in enumerate(matrix(family)):
        for y, relation in enumerate(row):
            if x != y:
                assert list(family.neutral_relations(x, y)) == ([] if relation == OTHER else [NEUTRALS[relation]])


@given(SHAPES, st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_family_is_a_function_of_its_seed(shape: FamilyShape, seed: int) -> None:
    assert make_family(random.Random(seed), shape) == make_family(random.Random(seed), shape)


def test_the_settings_do_what_they_say() -> None:
    nobody = make_family(random.Random(0), FamilyShape(marry=0.0, children=(3, 3), founders=1))
    assert len(nobody) == 5  # two founders, three children who stay single
    plain = make_family(random.Random(0), FamilyShape(marry=1.0, inlaws=0.0, cross=0.0, children=(2, 2), founders=1))
    assert len(plain) == 2 + 2 * 2 + 4 * 2  # each generation brings as many spouses as children
    sizes = [len(make_family(random.Random(0), FamilyShape(founders=n, marry=0.0, children=(1, 1)))) for n in (1, 2, 3)]
    assert sizes == [3, 6, 9]


@pytest.mark.parametrize("few", [0, 7])
@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_every_order_comes_equally_often(few: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one draw among all orders, and by one draw for each."""
    monkeypatch.setattr(families, "LISTED_ORDERS", few)
    rng = random.Random(n)
    counts = Counter(tuple(shuffle(n, rng.random)) for _ in range(60 * factorial(n)))
    assert all(sorted(order) == list(range(n)) for order in counts)
    assert len(counts) == factorial(n)
    chi, free = sum((count - 60) ** 2 / 60 for count in counts.values()), factorial(n) - 1
    assert chi <= free + 5 * (2 * free) ** 0.5


# everyday words that are also names: none of them may be in the lists
WORDS = """
    will may mark grace rose bill faith hope joy june april rob pat jack frank art gene drew chase dean grant lance
    miles pierce ray rich rusty wade ward earl duke guy carol daisy dawn eve heather iris ivy jasmine lily olive pearl
    ruby sandy summer violet amber autumn brook crystal ginger holly penny robin patience mercy charity angel melody
    max jean sue don nick josh bob dale glen heath clay cliff hunter mason carter cooper taylor tyler parker porter
    christian jordan georgia virginia sydney paris florence madison austin jackson dallas chelsea dick basil star sage
    skip sonny buddy buck chuck chip rod van victor rocky norm mike stew august sunny lane reed stone wolf drake
"""


def test_counts() -> None:
    assert {gender: len(set(names)) for gender, names in NAMES.items()} == {"male": 150, "female": 150}
    assert len(GENDER_OF) == 300


def test_no_name_is_a_word() -> None:
    names = {name.lower() for name in chain(*NAMES.values())}
    assert not names & set(WORDS.split())
    assert not names & set(KIN)


def test_plain_spelling() -> None:
    assert all(name.isascii() and name.isalpha() and name.istitle() for name in chain(*NAMES.values()))


# ---- names that are too alike do not meet in one story ---------------------------------------------------------------

ALIKE = [
    ("Brian", "Bryan"),
    ("Sara", "Sarah"),
    ("Ann", "Anna"),
    ("Julia", "Julie"),
    ("Stephen", "Steven"),
    ("Joan", "John"),
    ("Leo", "Leonard"),
    ("Daniel", "Danielle"),
    ("Teresa", "Theresa"),
    ("Katherine", "Kathryn"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_are_alike(one: str, other: str) -> None:
    assert likeness(one) & likeness(other)


def test_most_names_are_unlike() -> None:
    pairs = list(combinations(GENDER_OF, 2))
    assert sum(bool(likeness(a) & likeness(b)) for a, b in pairs) / len(pairs) < 0.01
