"""300 common English first names, ours: 150 for men, 150 for women.

Names are placeholders (section 3.2.6 of the thesis): nothing about the task may follow from them but the gender.
So no name is in both lists, and none is an everyday word that a reader could take for something else.

>>> len(NAMES["male"]), len(NAMES["female"]), set(NAMES["male"]) & set(NAMES["female"])
(150, 150, set())
>>> GENDER_OF["Ursula"]
'female'
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from proband.suites.kinship.world.relations import FEMALE, MALE


def _load() -> dict[str, tuple[str, ...]]:
    text = (files("proband") / "data" / "kinship" / "names.txt").read_text(encoding="utf-8")
    lists: dict[str, list[str]] = {MALE: [], FEMALE: []}
    gender = MALE
    for line in text.splitlines():
        if line in lists:
            gender = line
        elif line and not line.startswith("#"):
            lists[gender] += line.split()
    return {gender: tuple(names) for gender, names in lists.items()}


NAMES: Final = _load()
GENDER_OF: Final = {name: gender for gender, names in NAMES.items() for name in names}
