"""300 common English first names, ours: 150 for men, 150 for women.

Names are placeholders (section 3.2.6 of the thesis): nothing about the task may follow from them but the gender.
So no name is in both lists, and none is an everyday word that a reader could take for something else.

>>> len(NAMES["male"]), len(NAMES["female"]), set(NAMES["male"]) & set(NAMES["female"])
(150, 150, set())
>>> GENDER_OF["Ursula"]
'female'

Names too alike for one story have a key in common: their first three letters, their consonants as they sound, or what
is left of them without one letter.

>>> [bool(likeness(a) & likeness(b)) for a, b in (("Brian", "Bryan"), ("Sara", "Sarah"), ("Joan", "Roy"))]
[True, True, False]
"""

from __future__ import annotations

from functools import lru_cache
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
SOUNDS: Final = (("ph", "f"), ("v", "f"), ("c", "k"), ("z", "s"), ("g", "j"))
UNHEARD: Final = str.maketrans("", "", "aeiouyh")


@lru_cache(maxsize=10_000)
def likeness(name: str) -> frozenset[str]:
    """What a name shares with the names that look or sound like it.

    >>> sorted(likeness("Joe"))
    ['je', 'jo', 'joe', 'joe...', 'j~', 'oe']
    """
    low = name.lower()
    sound = low
    for letters, one in SOUNDS:
        sound = sound.replace(letters, one)
    sound = sound.translate(UNHEARD)
    skeleton = "".join(c for i, c in enumerate(sound) if i == 0 or c != sound[i - 1])
    return frozenset({low, low[:3] + "...", skeleton + "~", *(low[:i] + low[i + 1 :] for i in range(len(low)))})
