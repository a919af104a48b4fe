"""300 names: as many, as distinct and as plain as promised."""

from __future__ import annotations

from itertools import chain

from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.world.names import GENDER_OF, NAMES

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
