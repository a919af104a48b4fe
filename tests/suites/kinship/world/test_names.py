"""300 names: as many, as distinct and as plain as promised."""

from __future__ import annotations

from itertools import chain, combinations

import msgspec
import pytest

from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world.names import GENDER_OF, NAMES, likeness

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


@pytest.mark.parametrize(
    ("one", "other"),
    ALIKE,
)
def test_names_that_are_alike(one: str, other: str) -> None:
    assert likeness(one) & likeness(other)


def test_most_names_are_unlike() -> None:
    pairs = list(combinations(GENDER_OF, 2))
    assert sum(bool(likeness(a) & likeness(b)) for a, b in pairs) / len(pairs) < 0.01


def test_no_story_has_names_that_are_alike() -> None:
    """Also with the names of the test split, of which there are 30 of each gender."""
    options = BuildOptions(task="clean,all", k="2..10", per_k=22, test_per_k=22, hold_out="names", certify="none")
    stories = 0
    for line in build(options, seed=5).items:
        assert isinstance(line, bytes)
        names = msgspec.json.decode(line)["facts"]["names"]
        stories += 1
        assert not [(a, b) for a, b in combinations(names, 2) if likeness(a) & likeness(b)]
    assert stories > 700
