"""What a bracketed story says outright: "[Ann]'s sister [Bea]" and "[Ann] met her sister, [Bea]".

A cautious reader for other people's stories. It takes two constructions only, and the second only where the
pronoun has one person to refer to; what it does not understand it leaves alone. So it is no measure of a whole
text, but what it does report can be held against the columns: facts that the columns contradict, kin words and pronouns
of the wrong gender, and types for noise facts whose columns give none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL, RELATIONS, Edge, turned

FAMILIAR: Final = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "grandma": "grandmother",
    "grandpa": "grandfather",
}
_KIN = "|".join(sorted([*RELATIONS, *FAMILIAR], key=len, reverse=True))
_AGE = r"(?:(?:older|younger|little|big|elder|favorite|only|new|own|beloved|twin|late) )?"
_OWNED = re.compile(rf"\[(?P<owner>[^\][]+)\]'s {_AGE}(?P<kin>{_KIN}),? \[(?P<person>[^\][]+)\]", re.I)
_PRONOUN = re.compile(rf"\b(?P<pronoun>his|her) {_AGE}(?P<kin>{_KIN}),? \[(?P<person>[^\][]+)\]", re.I)
_ANY_KIN = re.compile(rf"\b({_KIN})s?\b", re.I)
_NAME = re.compile(r"\[([^\][]+)\]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """Facts read from a story, and slips of gender in it: (name, what the text takes them for)."""

    facts: tuple[Edge, ...]
    slips: tuple[tuple[str, str], ...]


def read_story(story: str, names: Sequence[str], genders: Sequence[str]) -> TextReading:
    """
    >>> read_story("[Ann] met her brother, [Bo]. [Bo]'s niece [Cy] came. [Cy] likes her uncle [Bo].",
    ...            ["Ann", "Bo", "Cy"], ["female", "male", "male"])
    TextReading(facts=((0, 'brother', 1), (1, 'niece', 2), (2, 'uncle', 1)), slips=(('Cy', 'female'), ('Cy', 'female')))
    """
    number = {name: x for x, name in enumerate(names)}
    facts: list[Edge] = []
    slips: list[tuple[str, str]] = []
    for sentence in _SENTENCE.split(story):
        for owner, kin, person, pronoun in _clauses(sentence):
            if owner not in number or person not in number or owner == person:
                continue
            i, j = number[owner], number[person]
            facts.append((i, kin, j))
            if GENDER[kin] != genders[j]:
                slips.append((person, GENDER[kin]))
            if pronoun and pronoun != genders[i]:
                slips.append((owner, pronoun))
    return TextReading(facts=tuple(dict.fromkeys(facts)), slips=tuple(slips))


def _clauses(sentence: str) -> Iterator[tuple[str, str, str, str | None]]:
    """(owner, relation, person, gender of the pronoun) for each clause understood."""
    for match in _OWNED.finditer(sentence):
        yield match["owner"], _relation(match["kin"]), match["person"], None
    for match in _PRONOUN.finditer(sentence):
        before = {name for name in _NAME.findall(sentence[: match.start()]) if name != match["person"]}
        gender = MALE if match["pronoun"].lower() == "his" else FEMALE
        kin = [_relation(each) for each in _ANY_KIN.findall(sentence[: match.start()])]
        if len(before) == 1 and all(GENDER[each] != gender for each in kin):  # "his sister ... her son": the sister's
            yield before.pop(), _relation(match["kin"]), match["person"], gender


def _relation(kin: str) -> str:
    return FAMILIAR.get(kin.lower(), kin.lower())


def contradicted(reading: TextReading, edges: Sequence[Edge], genders: Sequence[str]) -> list[Edge]:
    """Facts of the text about a pair the columns join too, but otherwise."""
    known: dict[tuple[int, int], set[str]] = {}
    for edge in edges:
        for i, relation, j in (edge, turned(edge, genders)):
            known.setdefault((i, j), set()).add(NEUTRAL[relation])
    return [fact for fact in reading.facts if NEUTRAL[fact[1]] not in known.get((fact[0], fact[2]), {NEUTRAL[fact[1]]})]


def type_noise(
    reading: TextReading, noise: Sequence[tuple[int, str | None, int]], genders: Sequence[str]
) -> tuple[Edge, ...] | None:
    """The noise facts with the types the file or the text gives them; None unless each has exactly one.

    >>> reading = read_story("[Ann] met her brother, [Bo].", ["Ann", "Bo"], ["female", "male"])
    >>> type_noise(reading, [(1, None, 0)], ["female", "male"])
    ((1, 'sister', 0),)
    """
    typed: list[Edge] = []
    for i, relation, j in noise:
        types = {relation} if relation else set()
        if not relation:
            both = [side for fact in reading.facts for side in (fact, turned(fact, genders))]
            types = {side[1] for side in both if (side[0], side[2]) == (i, j)}
        if len(types) != 1:
            return None
        only = types.pop()
        if only is None or GENDER[only] != genders[j]:
            return None
        typed.append((i, only, j))
    return tuple(typed)
