"""The gender a first name is nearly always given to: US births 1880-2016 (Social Security Administration, public domain).

Only names of which at least 98 in 100 are of one gender are listed (`benchmarks/reading/word_lists.py` makes the list);
what a text says of somebody comes before what the name says.

>>> [gender_of_name(name) for name in ("Tom", "Sue", "Mohammed", "Robin", "Li Na")]
['male', 'female', 'male', None, None]
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from proband.suites.kinship.world.families import GENDER_OF
from proband.suites.kinship.world.relations import FEMALE, MALE


@cache
def _listed() -> tuple[frozenset[str], frozenset[str]]:
    men, women = (files("proband") / "data" / "kinship" / "first_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(men.split()), frozenset(women.split())


@lru_cache(maxsize=10_000)
def gender_of_name(name: str) -> str | None:
    """The gender of the name's first word; None where it is not listed."""
    first = name.split()[0] if name.strip() else ""
    men, women = _listed()
    return GENDER_OF.get(first) or (MALE if first in men else FEMALE if first in women else None)


def is_first_name(word: str) -> bool:
    return gender_of_name(word) is not None
