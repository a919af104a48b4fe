"""The template language: a sentence or two with slots, written once for every gender.

A template tells a path of people 0 - 1 - 2 - 3, one fact per step; `relations[t]` is the neutral relation of person
t+1 to person t. Slots:

    {0}             the name                       {1 of 0}      1's kin word seen from 0: aunt, son-in-law
    {0 his}         he him his himself (or her)    {1 dear 0}    the familiar word: dad, grandma
    {0 boy/girl}    the word for his or her gender {a 1 of 0}    with its article: an aunt
    {0+2 of 1}      the plural for two of 1's kin: sons, sisters, children
    {0+1 sib}       what two siblings are together: brothers, sisters, brother and sister
    {other 0 2}     "other " if both have the same gender: Ann's {other 0 2}{0 of 1}, another son beside a son

A capital letter in the slot makes a capital in the text ({0 His}, {A 1 of 0}).

>>> fmt, order = compile_text("{0} rang {0 his} {1 of 0} {1}.", ("pibling",), ("male", "female"))
>>> fmt % tuple(("Ben", "Mia")[i] for i in order)
'Ben rang his aunt Mia.'
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from proband.core.errors import ProbandError
from proband.suites.kinship.relations import FEMALE, INVERSE, word

PRONOUNS: Final = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
DEAR: Final = {"father": "dad", "mother": "mom", "grandfather": "grandpa", "grandmother": "grandma"}
PLURAL: Final = {  # neutral relation -> two men, two women, one of each
    "child": ("sons", "daughters", "children"),
    "sibling": ("brothers", "sisters", "siblings"),
    "grandchild": ("grandsons", "granddaughters", "grandchildren"),
    "nibling": ("nephews", "nieces", ""),
    "parent": ("", "", "parents"),
}
SLOT: Final = re.compile(r"\{([^{}]*)\}")
NAME_SLOT: Final = re.compile(r"(\d)")
KIN_SLOT: Final = re.compile(r"(?:([aA]) )?(\d) (of|dear) (\d)")
PLURAL_SLOT: Final = re.compile(r"(\d)\+(\d) of (\d)")
PAIR_SLOT: Final = re.compile(r"(\d)\+(\d) sib")
OTHER_SLOT: Final = re.compile(r"other (\d) (\d)")
GENDER_SLOT: Final = re.compile(r"(\d) ([A-Za-z]+)(?:/([A-Za-z]+))?")


def kin_word(b: int, a: int, relations: tuple[str, ...], genders: tuple[str, ...]) -> str:
    """What b is to a, who must be neighbours on the path.

    >>> kin_word(0, 1, ("pibling",), ("male", "female"))
    'nephew'
    """
    if b == a + 1:
        return word(relations[a], genders[b])
    if b == a - 1:
        return word(INVERSE[relations[b]], genders[b])
    raise ProbandError(f"person {b} and person {a} are not neighbours on the path")


def _plural(b: int, c: int, a: int, *, relations: tuple[str, ...], genders: tuple[str, ...]) -> str:
    neutral = relations[a] if b == a + 1 else INVERSE[relations[b]]
    other = relations[a] if c == a + 1 else INVERSE[relations[c]]
    women = (genders[b] == FEMALE) + (genders[c] == FEMALE)
    found = PLURAL.get(neutral, ("", "", ""))[(0, 2, 1)[women]]
    if neutral != other or not found or abs(a - b) != 1 or abs(a - c) != 1:
        raise ProbandError(f"no plural for {neutral} and {other}")
    return found


def _slot(slot: str, relations: tuple[str, ...], genders: tuple[str, ...]) -> str:
    """The text of a slot that is not a name."""
    if match := KIN_SLOT.fullmatch(slot):
        article, b, kind, a = match.groups()
        noun = kin_word(int(b), int(a), relations, genders)
        if kind == "dear":
            noun = DEAR.get(noun, noun)
        if article is None:
            return noun
        return f"{article}{'n' if noun[0] in 'aeiou' else ''} {noun}"
    if match := PLURAL_SLOT.fullmatch(slot):
        b, c, a = map(int, match.groups())
        return _plural(b, c, a, relations=relations, genders=genders)
    if match := OTHER_SLOT.fullmatch(slot):
        return "other " if genders[int(match[1])] == genders[int(match[2])] else ""
    if match := PAIR_SLOT.fullmatch(slot):
        a, b = (kin_word(int(x), int(y), relations, genders) for x, y in (match.groups(), match.groups()[::-1]))
        return f"{a}s" if a == b else f"{a} and {b}"
    if match := GENDER_SLOT.fullmatch(slot):
        person, male, female = match.groups()
        if female is None:
            if male.lower() not in PRONOUNS:
                raise ProbandError(f"unknown slot {{{slot}}}")
            female = PRONOUNS[male.lower()]
            female = female.capitalize() if male[0].isupper() else female
        return female if genders[int(person)] == FEMALE else male
    raise ProbandError(f"unknown slot {{{slot}}}")


@lru_cache(maxsize=4096)
def _segments(text: str) -> tuple[str, ...]:
    return tuple(SLOT.split(text))  # literal, slot, literal, slot, ..., literal


def compile_text(text: str, relations: tuple[str, ...], genders: tuple[str, ...]) -> tuple[str, tuple[int, ...]]:
    """A %-format and the people whose names fill it, in order."""
    out: list[str] = []
    order: list[int] = []
    for number, piece in enumerate(_segments(text)):
        if number % 2 == 0:
            out.append(piece.replace("%", "%%"))
        elif NAME_SLOT.fullmatch(piece):
            out.append("%s")
            order.append(int(piece))
        else:
            out.append(_slot(piece, relations, genders))
    if not order or max(order) > len(relations):
        raise ProbandError(f"template names a person beyond its path: {text!r}")
    return "".join(out), tuple(order)


def genders_told(text: str, relations: tuple[str, ...], genders: tuple[str, ...]) -> frozenset[int]:
    """The people whose gender the words themselves tell, whatever they are called.

    >>> sorted(genders_told("{0}'s {1 of 0} {1} left.", ("pibling",), ("male", "female")))
    [1]
    >>> sorted(genders_told("{0}'s {1 of 0} {1} left.", ("spouse",), ("male", "female")))
    [0, 1]
    """
    told: set[int] = set()
    for slot in _segments(text)[1::2]:
        if match := KIN_SLOT.fullmatch(slot):
            told.add(int(match[2]))
            if relations[min(int(match[2]), int(match[4]))] == "spouse":
                told.add(int(match[4]))
        elif match := PAIR_SLOT.fullmatch(slot):
            told.update(map(int, match.groups()))
        elif match := PLURAL_SLOT.fullmatch(slot):
            b, c, _ = map(int, match.groups())
            told.update({b, c} if genders[b] == genders[c] else set())
        elif match := GENDER_SLOT.fullmatch(slot):
            told.add(int(match[1]))
    return frozenset(told)
