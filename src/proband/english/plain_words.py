"""Words that do not affect relations: everyday things and activities, and small words.

Two closed lists (`data/english/plain_words.txt` of WordNet's everyday senses, made by
`benchmarks/reading/word_lists.py`; `everyday_words.txt`) and SMALL. Words of truth and doubt, of fiction, likeness and
change (unreal.py) and hints of a family (FAMILY) are never plain: a sentence with one of them is not ignored.

>>> [is_plain(word) for word in ("grilled", "sausages", "the", "nurse", "stopped")]
[True, True, True, True, True]
>>> [word for word in "probably soon-to-be former cousin pretends film true once not baby".split() if is_plain(word)]
[]
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from proband.core.files import DATA, read_utf8
from proband.english.unreal import UNREAL, listed

SMALL: Final = listed(
    """
    the a an and so while when because after before until till since where wherever whenever then there here it its
    itself this that these those of in on at to from by with for into onto about around near over under up down off out
    through across along behind beside besides between among against during within toward towards inside outside upon
    above below beyond too also very quite still again always often sometimes usually all both each some many much more
    most others own one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
    first second third fourth fifth few several enough himself herself themselves is are was were be been being has have
    had having do does did doing done only just even already soon next late later early now
    today yesterday tomorrow tonight away back
    together home abroad forward upstairs downstairs indoors outdoors nearby everywhere
    """
)
# words about a family that no relation of a domain covers; sentences with them are unread
FAMILY: Final = listed(
    """
    family families relative relatives related relation kin clan ancestor ancestors descendant descendants offspring
    heir heiress baby babies boy boys girl girls kid kids youngster infant newborn toddler orphan twin twins triplet
    triplets born birth bore bear gave given raised raise couple couples pair marriage marry marries married wed weds
    wedding wedded bride groom newlywed newlyweds anniversary cousin cousins pregnant expecting household generation
    maiden surname elder eldest oldest youngest named name names mothers fathers mothered fathered pa ma aka two's
    survived leaves leave left same other another
    """
)
ENDINGS: Final = (
    *(("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("d", ""), ("ing", "")),
    *(("ing", "e"), ("er", ""), ("er", "e"), ("est", ""), ("iest", "y"), ("ier", "y"), ("ves", "f"), ("ves", "fe")),
)
NUMBER: Final = re.compile(r"\d[\d,.:]*(?:st|nd|rd|th|s|am|pm|kg|km|m)?|[\w-]+-(?:year|month|week|day)s?(?:-old)?")


@cache
def _listed() -> frozenset[str]:
    return listed("\n".join(read_utf8(DATA / "english" / f"{name}_words.txt") for name in ("plain", "everyday")))


@lru_cache(maxsize=100_000)
def is_plain(word: str) -> bool:
    """Is it a form of a listed word? `word` is in lower case."""
    if word in UNREAL or word in FAMILY:
        return False
    known = _listed()
    if word in known or word in SMALL or NUMBER.fullmatch(word):
        return True
    if "-" in word:
        return all(is_plain(part) for part in word.split("-") if part)
    if word.endswith("ly") and any(each in known for each in (word[:-2], word[:-2] + "le", word[:-3] + "y")):
        return True
    return _stem_known(word, known)


def _stem_known(word: str, known: frozenset[str]) -> bool:
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            if stem + instead in known and stem + instead not in UNREAL | FAMILY:
                return True
            doubled = len(stem) > 3 and (stem[-1] == stem[-2] or stem.endswith("ck"))
            if ending in ("ed", "ing", "er", "est") and doubled and stem[:-1] in known:
                return True
    return False
