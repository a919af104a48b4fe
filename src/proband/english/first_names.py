"""The gender that nearly always goes with a first name, by US births of 1880-2016 (Social Security Administration).

Only names of which at least 98 in 100 are of one gender are listed (public domain; `benchmarks/reading/name_list.py`);
the text takes precedence over the name.

>>> [gender_of_name(name) for name in ("Tom", "Sue", "Mohammed", "Robin", "Li Na")]
['male', 'female', 'male', None, None]
"""

from __future__ import annotations

from functools import cache, lru_cache

from proband.core.files import DATA, read_utf8
from proband.english.domain import FEMALE, MALE


@cache
def _listed() -> tuple[frozenset[str], ...]:
    """Five lists: common names of men and of women, other names of men and of women, and names of both."""
    text = read_utf8(DATA / "english" / "first_names.txt")
    return tuple(frozenset(line.split()) for line in text.splitlines())


@lru_cache(maxsize=10_000)
def gender_of_name(name: str, *, certain: bool = False) -> str | None:
    """The gender of the name's first word; None if it is not listed. `certain`: only common names, with one gender in
    at least 99 % of cases."""
    first = name.split()[0] if name.strip() else ""
    men, women, further_men, further_women, _ = _listed()
    if first in men or (not certain and first in further_men):
        return MALE
    return FEMALE if first in women or (not certain and first in further_women) else None


def is_first_name(word: str) -> bool:
    """Is it a first name of men, of women, or of both?"""
    return any(word in names for names in _listed())
