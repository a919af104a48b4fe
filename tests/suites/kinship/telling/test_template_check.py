"""The bank passes the checker, and broken templates do not (negative controls)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from proband.suites.kinship.reading.reader import KinTriple
from proband.suites.kinship.telling.bank import load_bank
from proband.suites.kinship.telling.template_check import (
    STAND_INS,
    canonical,
    castings,
    check_frame,
    clauses,
    compare,
)
from proband.suites.kinship.telling.template_language import OBJECT, Frame
from proband.suites.kinship.world.relations import INVERSE, NEUTRALS, RELATIONS, word

SWAPPED = {"he": "she", "she": "he", "his": "her", "him": "her", "himself": "herself", "herself": "himself"}
KIN_WORDS = sorted({*RELATIONS, *(f"{w}s" for w in RELATIONS), "dad", "mom", "grandpa", "grandma", "children"})
KIN_WORD = re.compile(rf"(?<![\w-])({'|'.join(sorted(KIN_WORDS, key=len, reverse=True))})(?![\w-])")


class Telling(NamedTuple):
    text: str
    label: list[KinTriple]
    genders: dict[str, str]


def some_tellings(rng: random.Random, times: int) -> Iterator[Telling]:
    """Each frame with clauses, castings and phrases of those it may have; object pronouns as names."""
    bank = load_bank()
    for frame in bank.frames * times:
        relations = rng.choice(list(clauses(frame.patterns[0])))
        genders = rng.choice([each for each in castings(relations) if frame.suits(relations, each)] or [()])
        fits = [[p for p in rng.choice(bank.occasions).phrases if slot.fits(p)] for slot in frame.slots]
        if not genders or not all(fits):
            continue
        names = [STAND_INS[g][i] for i, g in enumerate(genders)]
        ahead = [word(r, g) for r, g in zip(relations, genders[1:])]
        back = [word(INVERSE[r], g) for r, g in zip(relations, genders)]
        named = Frame.parse(OBJECT.sub(r"{\1}", frame.text), family="x", patterns=frame.patterns)
        text = named.fill(names, genders, ahead, back, [rng.choice(some) for some in fits])
        label = [(names[i], kin, names[i + 1]) for i, kin in enumerate(ahead)]
        yield Telling(text, label, dict(zip(names, genders)))


def test_canonical() -> None:
    assert canonical(("Ben", "aunt", "Mia")) == canonical(("Mia", "nephew", "Ben"))


def test_the_sample_of_clauses_covers_every_place() -> None:
    for size in (2, 3):
        found = list(clauses(("*",) * size))
        for place in range(size):
            assert {clause[place] for clause in found} == set(NEUTRALS)
    assert len(list(clauses(("*", "*"), every=True))) == 121


def swap_pronouns(told: Telling) -> Iterator[Telling]:
    for match in re.finditer(r"\b(he|she|his|him|her|himself|herself)\b", told.text, re.IGNORECASE):
        other = SWAPPED.get(match[0].lower(), "his")
        yield told._replace(text=told.text[: match.start()] + other + told.text[match.end() :])


def swap_kin_words(told: Telling, rng: random.Random) -> Iterator[Telling]:
    for match in KIN_WORD.finditer(told.text):
        other = rng.choice([w for w in RELATIONS if w != match[0].removesuffix("s")])
        yield told._replace(text=told.text[: match.start()] + other + told.text[match.end() :])


def test_broken_frames_are_caught() -> None:
    """Pronouns of the other gender, other kin words: the checker must object to every one."""
    rng = random.Random(1)
    tried: Counter[str] = Counter()
    missed: list[str] = []
    for told in some_tellings(rng, 8):
        assert compare(told.text, told.label, told.genders) == []
        for kind, broken in (("pronouns", swap_pronouns(told)), ("kin words", swap_kin_words(told, rng))):
            for mutant in broken:
                tried[kind] += 1
                if not compare(mutant.text, mutant.label, mutant.genders):
                    missed.append(f"{kind}: {mutant.text}  <-  {told.text}")
    assert min(tried.values()) > 150, tried
    assert missed == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{0}'s {0 of 1} {1} left.", "tells"),
        ("{1} rang {0 his} {0 of 1} {0}.", "means nobody"),
        ("{0} and {1} met.", "missing"),
        ("{0}'s {1 of 0} {1} rang {0}'s sister {1}.", "tells"),
    ],
)
def test_broken_by_hand(text: str, reason: str) -> None:
    faults = check_frame(Frame.parse(text, family="x", patterns=(("pibling",),)))
    assert faults
    assert any(reason in fault.reason for fault in faults)
