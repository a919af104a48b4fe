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

Once the genders are given, all that is open in a template are names and kin words (`frame`); so it is compiled once for
each casting of genders, and a story fills in the names of its people and the kin words of its facts (`kin_forms`).

>>> fmt, slots = frame("{0} rang {0 his} {1 of 0} {1}.", ("male", "female"))
>>> fmt, [("Ben", "Mia", *kin_forms(("pibling",), ("male", "female")))[i] for i in slots]
('%s rang his %s %s.', ['Ben', 'aunt', 'Mia'])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from proband.core.errors import ProbandError
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL, NEUTRALS, RELATIONS, word

PRONOUNS: Final = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
DEAR: Final = {"father": "dad", "mother": "mom", "grandfather": "grandpa", "grandmother": "grandma"}
PLURAL: Final = {  # neutral relation -> two men, two women, one of each
    "child": ("sons", "daughters", "children"),
    "sibling": ("brothers", "sisters", "siblings"),
    "grandchild": ("grandsons", "granddaughters", "grandchildren"),
    "nibling": ("nephews", "nieces", ""),
    "parent": ("", "", "parents"),
}
PLAIN, FAMILIAR, WITH_A, WITH_CAPITAL_A, PLURAL_SAME, PLURAL_MIXED = range(6)  # the forms of a kin word


def _forms(noun: str) -> tuple[str, ...]:
    article = "an" if noun[0] in "aeiou" else "a"
    plural = PLURAL.get(NEUTRAL[noun], ("", "", ""))
    both = (plural[GENDER[noun] == FEMALE], plural[2])
    return (noun, DEAR.get(noun, noun), f"{article} {noun}", f"{article.capitalize()} {noun}", *both)


FORMS: Final = {noun: _forms(noun) for noun in RELATIONS}
STEP: Final = {  # (relation, genders of a and b) -> the forms of b's kin word seen from a, and of a's seen from b
    (neutral, a, b): (FORMS[word(neutral, b)], FORMS[word(INVERSE[neutral], a)])
    for neutral in NEUTRALS
    for a in (MALE, FEMALE)
    for b in (MALE, FEMALE)
}
SLOT: Final = re.compile(r"\{([^{}]*)\}")
NAME_SLOT: Final = re.compile(r"(\d)")
KIN_SLOT: Final = re.compile(r"(?:([aA]) )?(\d) (of|dear) (\d)")
PLURAL_SLOT: Final = re.compile(r"(\d)\+(\d) of (\d)")
PAIR_SLOT: Final = re.compile(r"(\d)\+(\d) sib")
OTHER_SLOT: Final = re.compile(r"other (\d) (\d)")
GENDER_SLOT: Final = re.compile(r"(\d) ([A-Za-z]+)(?:/([A-Za-z]+))?")


def kin_forms(relations: tuple[str, ...], genders: tuple[str, ...]) -> tuple[str, ...]:
    """All forms of the kin words along a path: those of 1 seen from 0, of 2 from 1, ..., of 0 from 1, of 1 from 2, ...

    >>> kin_forms(("child",), ("male", "female"))[::6]
    ('daughter', 'father')
    """
    steps = [STEP[step] for step in zip(relations, genders, genders[1:])]
    return sum([ahead for ahead, _ in steps] + [back for _, back in steps], ())


def kin_place(b: int, a: int, n: int) -> int:
    """Where the forms of b's kin word seen from a begin among the `kin_forms` of a path of n facts."""
    if abs(a - b) != 1 or max(a, b) > n:
        raise ProbandError(f"person {b} and person {a} are not neighbours on the path")
    return len(FORMS["father"]) * (a if b > a else n + b)


@lru_cache(maxsize=10_000)
def _piece(slot: str, genders: tuple[str, ...]) -> tuple[str, tuple[int, ...]]:
    """The text of a slot, with a %s for each of the places given."""
    n = len(genders) - 1
    if any(int(digit) > n for digit in slot if digit.isdigit()):
        raise ProbandError(f"{{{slot}}} is about somebody beyond the path")

    def kin(b: int, a: int, form: int = PLAIN) -> int:
        return n + 1 + kin_place(b, a, n) + form  # after the names

    if NAME_SLOT.fullmatch(slot):
        return "%s", (int(slot),)
    if match := KIN_SLOT.fullmatch(slot):
        article, b, kind, a = match.groups()
        form = {"a": WITH_A, "A": WITH_CAPITAL_A}.get(article, FAMILIAR if kind == "dear" else PLAIN)
        return "%s", (kin(int(b), int(a), form),)
    if match := PLURAL_SLOT.fullmatch(slot):
        b, c, a = map(int, match.groups())
        kin(c, a)
        return "%s", (kin(b, a, PLURAL_SAME if genders[b] == genders[c] else PLURAL_MIXED),)
    if match := OTHER_SLOT.fullmatch(slot):
        return "other " if genders[int(match[1])] == genders[int(match[2])] else "", ()
    if match := PAIR_SLOT.fullmatch(slot):
        a, b = map(int, match.groups())
        return ("%ss", (kin(a, b),)) if genders[a] == genders[b] else ("%s and %s", (kin(a, b), kin(b, a)))
    if match := GENDER_SLOT.fullmatch(slot):
        person, male, female = match.groups()
        if female is None:
            if male.lower() not in PRONOUNS:
                raise ProbandError(f"unknown slot {{{slot}}}")
            female = PRONOUNS[male.lower()]
            female = female.capitalize() if male[0].isupper() else female
        return (female if genders[int(person)] == FEMALE else male), ()
    raise ProbandError(f"unknown slot {{{slot}}}")


@lru_cache(maxsize=4096)
def _segments(text: str) -> tuple[str, ...]:
    return tuple(SLOT.split(text))  # literal, slot, literal, slot, ..., literal


def frame(text: str, genders: tuple[str, ...]) -> tuple[str, tuple[int, ...]]:
    """A %-format, and the places of what fills it among the names of the path and then its `kin_forms`."""
    out: list[str] = []
    slots: list[int] = []
    for number, piece in enumerate(_segments(text)):
        fragment, places = _piece(piece, genders) if number % 2 else (piece.replace("%", "%%"), ())
        out.append(fragment)
        slots += places
    if not any(place < len(genders) for place in slots):
        raise ProbandError(f"template names nobody: {text!r}")
    return "".join(out), tuple(slots)


def fill(text: str, relations: tuple[str, ...], genders: tuple[str, ...], names: Sequence[str]) -> str:
    """The template told of these people.

    >>> fill("{0} rang {0 his} {1 of 0} {1}.", ("pibling",), ("male", "female"), ["Ben", "Mia"])
    'Ben rang his aunt Mia.'
    """
    forms = kin_forms(relations, genders)
    for b, c, a in (map(int, match.groups()) for match in map(PLURAL_SLOT.fullmatch, _segments(text)[1::2]) if match):
        one, other = (NEUTRAL[forms[kin_place(x, a, len(relations))]] for x in (b, c))
        if one != other:
            raise ProbandError(f"no plural for {one} and {other}")
    fmt, slots = frame(text, genders)
    filled = tuple((*names, *forms)[place] for place in slots)
    if "" in filled:
        raise ProbandError(f"no plural for these people in {text!r}")
    return fmt % filled


def genders_told(text: str, relations: tuple[str, ...], genders: tuple[str, ...]) -> frozenset[int]:
    """The people whose gender the words themselves tell, whatever they are called.

    >>> sorted(genders_told("{0}'s {1 of 0} {1} left.", ("pibling",), ("male", "female")))
    [1]
    >>> sorted(genders_told("{0}'s {1 of 0} {1} left.", ("spouse",), ("male", "female")))
    [0, 1]
    """
    people: set[int] = set()
    for slot in _segments(text)[1::2]:
        if match := KIN_SLOT.fullmatch(slot):
            people.add(int(match[2]))
            if relations[min(int(match[2]), int(match[4]))] == "spouse":
                people.add(int(match[4]))
        elif match := PAIR_SLOT.fullmatch(slot):
            people.update(map(int, match.groups()))
        elif match := PLURAL_SLOT.fullmatch(slot):
            b, c, _ = map(int, match.groups())
            people.update({b, c} if genders[b] == genders[c] else set())
        elif match := GENDER_SLOT.fullmatch(slot):
            people.add(int(match[1]))
    return frozenset(people)
