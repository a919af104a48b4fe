"""Kin words as the domain `kinship` lists them (data/domains/kinship.toml), with their plurals.

>>> KIN["grandpa"], KIN["kids"]
(Kin(neutral='grandparent', gender='male', plural=False), Kin(neutral='child', gender=None, plural=True))
"""

from __future__ import annotations

from typing import Final, NamedTuple

from proband.english.domain import load
from proband.english.people import PRONOUNS
from proband.suites.kinship.world.relations import FEMALE, MALE


class Kin(NamedTuple):
    neutral: str
    gender: str | None
    plural: bool = False


_KINSHIP = load("kinship")
# names of the relations in stories and replies: (relation, gender) -> words
FAMILIAR: Final = {
    (word.relation, word.gender): " ".join(pattern.pattern.split("|")) for word, pattern in _KINSHIP.words.items()
}
# these mean kin only in a question: in a story "the boy" or "the bride" may be anybody
IN_REPLIES: Final = {
    ("child", MALE): "boy",
    ("child", FEMALE): "girl",
    ("parent", MALE): "pa pop",
    ("parent", FEMALE): "ma",
    ("spouse", MALE): "groom",
    ("spouse", FEMALE): "bride",
}
KIN: Final = {
    **{name: Kin(*word) for word, names in FAMILIAR.items() for name in names.split()},
    **{name: Kin(*word, plural=True) for name, word in _KINSHIP.plurals.items()},
}
PRONOUN: Final = {**PRONOUNS, "himself": MALE, "herself": FEMALE}
