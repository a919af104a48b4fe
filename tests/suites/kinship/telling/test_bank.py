"""Banks are data: every frame of ours reads back to its label and broken frames do not; what is held out is held out.

`check_frame` fills the slots with names, reads the sentence strictly (every kin word must have one owner and one
person, every pronoun must agree with the topic) and compares what it read with the label.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Final, NamedTuple

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.suites.kinship.reading.reader import read_facts
from proband.suites.kinship.telling.bank import (
    ANY,
    BARE,
    OBJECT,
    Bank,
    Frame,
    Phrase,
    completed,
    inflect,
    load_bank,
    parse_frames,
)
from proband.suites.kinship.telling.crowd_templates import STAND_INS, canonical
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE, NEUTRALS, RELATIONS, word

SWAPPED = {"he": "she", "she": "he", "his": "her", "him": "her", "himself": "herself", "herself": "himself"}
KIN_WORDS = sorted({*RELATIONS, *(f"{w}s" for w in RELATIONS), "dad", "mom", "grandpa", "grandma", "children"})
KIN_WORD = re.compile(rf"(?<![\w-])({'|'.join(sorted(KIN_WORDS, key=len, reverse=True))})(?![\w-])")


COUPLES: Final = (("child", "parent"), ("child-in-law", "parent-in-law"))  # both ends of the path are a couple
SHIFTS: Final = ((1, 0), (4, 9), (7, 3))  # how the relations of a general clause are varied against each other
SOME_PHRASES: Final = 3  # of all that fit a slot, so many are tried with each clause


@dataclass(frozen=True)
class Fault:
    frame: str
    genders: tuple[str, ...]
    words: tuple[str, ...]
    reason: str
    text: str

    def __str__(self) -> str:
        return f'{self.frame} ({" ".join(self.genders)}; {" ".join(self.words)}): {self.reason} in "{self.text}"'


def clauses(pattern: Sequence[str], *, every: bool = False) -> Iterator[tuple[str, ...]]:
    """The relations a pattern stands for. Of a pattern with two or three `*` a part in which every relation comes at
    every place, unless `every`."""
    free = [i for i, step in enumerate(pattern) if step == ANY]
    if every or len(free) < 2:
        yield from product(*(NEUTRALS if step == ANY else (step,) for step in pattern))
        return
    n = len(NEUTRALS)
    for start, (a, b) in product(range(n), SHIFTS):
        filled = {i: NEUTRALS[(start + shift) % n] for i, shift in zip(free, (0, a, b))}
        yield tuple(filled.get(i, step) for i, step in enumerate(pattern))


def castings(relations: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every choice of genders the world allows: spouses differ, and so do two parents or parents-in-law of one person.

    >>> list(castings(("spouse",)))
    [('male', 'female'), ('female', 'male')]
    """
    for genders in product((MALE, FEMALE), repeat=len(relations) + 1):
        couples = [i for i, r in enumerate(relations) if r == "spouse" and genders[i] == genders[i + 1]]
        steps = pairwise(relations)
        couples += [i for i, pair in enumerate(steps) if pair in COUPLES and genders[i] == genders[i + 2]]
        if not couples:
            yield genders


def compare(text: str, label: Iterable[Fact], genders: dict[str, str]) -> list[str]:
    """What is wrong with a text that should tell exactly the facts of its label; nothing if nothing is."""
    reading = read_facts(text, genders, ours=True)
    read = {canonical(fact): fact for fact in reading.facts}
    meant = {canonical(fact): fact for fact in label}
    reasons = [f"missing {_in_words(fact)}" for key, fact in meant.items() if key not in read]
    reasons += [f"tells {_in_words(fact)}" for key, fact in read.items() if key not in meant]
    return [str(reading.unread)] if reading.unread else reasons


def _in_words(fact: Fact) -> str:
    return f"{fact.who} is the {fact.relation} of {fact.of}"


def check_frame(frame: Frame, phrases: Sequence[Phrase] = (), *, every: bool = False) -> list[Fault]:
    """The faults of a frame over all clauses and genders it may be used for, with some of the phrases that fit it. An
    object pronoun (`beside her`) tells nothing about kin and is read as the name that it stands for."""
    faults = []
    named = replace(frame, text=OBJECT.sub(r"{\1}", frame.text))
    fits = [[phrase for phrase in phrases if slot.fits(phrase)] for slot in frame.slots]
    number = 0
    for relations in clauses(frame.pattern, every=every):
        for genders in castings(relations) if frame.genders is None else [frame.genders]:
            for _ in range((SOME_PHRASES if fits else 1) if frame.suits(relations, genders) else 0):
                number += 1
                taken = [some[(number * (17 + 12 * at)) % len(some)] for at, some in enumerate(fits)]
                names = [STAND_INS[g][i] for i, g in enumerate(genders)]
                ahead = tuple(word(r, g) for r, g in zip(relations, genders[1:]))
                back = [word(INVERSE[r], g) for r, g in zip(relations, genders)]
                text = named.fill(names, genders, ahead, back, taken)
                label = [Fact(names[i + 1], kin, names[i]) for i, kin in enumerate(ahead)]
                for reason in compare(text, label, dict(zip(names, genders))):
                    faults.append(Fault(frame.id, genders, ahead, reason, text))
    return faults


@pytest.mark.parametrize("each", [4, pytest.param(1, marks=pytest.mark.nightly)])
def test_every_frame_of_ours_reads_back_to_its_label(each: int) -> None:
    bank = load_bank()
    phrases = [phrase for occasion in bank.occasions for phrase in occasion.phrases]
    assert [str(fault) for frame in bank.frames[::each] for fault in check_frame(frame, phrases)] == []


def test_ours_has_enough_to_tell_with() -> None:
    bank = load_bank()
    assert len(bank.occasions) >= 60
    assert len(bank.families) == 8
    assert all({frame.facts for frame in bank.frames if frame.family == family} == {1, 2} for family in bank.families)
    ids = [phrase.id for occasion in bank.occasions for phrase in occasion.phrases]
    assert len(set(ids)) == len(ids)  # what is held out with an occasion is in no other


def test_held_out_occasions_and_frames() -> None:
    bank = load_bank().hold_out(0.2, seed=1).hold_out_constructions(["of"])
    train, test = bank.of_split("train"), bank.of_split("test")
    assert not {each.name for each in train.occasions} & {each.name for each in test.occasions}
    assert "of" not in train.families
    assert test.families == ("of",)
    assert bank.of_split(None) is bank
    with pytest.raises(ProbandError, match="'constructions' has no 'cleft'"):
        load_bank().hold_out_constructions(["cleft"])


def test_a_bank_of_others_is_completed() -> None:
    rang = Frame.parse("{0} rang {0 his} {1 of 0} {1}.", family="rang", pattern=("parent",))
    whole = completed(Bank("mine", (rang,)))
    assert all(any(frame.tells((name,)) for frame in whole.frames) for name in NEUTRALS if name != "child")
    assert [Frame.parse(text, family="bare", pattern=("*",)).text for text in BARE] == list(BARE)
    with pytest.raises(ProbandError, match=r"no bank 'mine.txt'; use proband or clutrr:FOLDER"):
        load_bank("mine.txt")


def test_headers_say_how_many_facts_a_frame_tells() -> None:
    frames = parse_frames("# a comment\n== *\n{0} met {1}.\n\n== * *\n{0} met {1} and {2}.", family="x")
    assert [frame.facts for frame in frames] == [1, 2]
    with pytest.raises(ProbandError, match="beyond the path"):
        parse_frames("{0} met {1}.", family="x")


class Telling(NamedTuple):
    text: str
    label: list[Fact]
    genders: dict[str, str]


def some_tellings(rng: random.Random, times: int) -> Iterator[Telling]:
    """Each frame with clauses, castings and phrases of those it may have; object pronouns as names."""
    bank = load_bank()
    for frame in bank.frames * times:
        relations = rng.choice(list(clauses(frame.pattern)))
        genders = rng.choice([each for each in castings(relations) if frame.suits(relations, each)] or [()])
        fits = [[p for p in rng.choice(bank.occasions).phrases if slot.fits(p)] for slot in frame.slots]
        if not genders or not all(fits):
            continue
        names = [STAND_INS[g][i] for i, g in enumerate(genders)]
        ahead = [word(r, g) for r, g in zip(relations, genders[1:])]
        back = [word(INVERSE[r], g) for r, g in zip(relations, genders)]
        named = Frame.parse(OBJECT.sub(r"{\1}", frame.text), family="x", pattern=frame.pattern)
        text = named.fill(names, genders, ahead, back, [rng.choice(some) for some in fits])
        label = [Fact(names[i + 1], kin, names[i]) for i, kin in enumerate(ahead)]
        yield Telling(text, label, dict(zip(names, genders)))


def test_the_sample_of_clauses_covers_every_place() -> None:
    for size in (2, 3):
        found = list(clauses(("*",) * size))
        for place in range(size):
            assert {clause[place] for clause in found} == set(NEUTRALS)
    assert len(list(clauses(("*", "*"), every=True))) == 121


def swap_pronouns(telling: Telling) -> Iterator[Telling]:
    for match in re.finditer(r"\b(he|she|his|him|her|himself|herself)\b", telling.text, re.IGNORECASE):
        other = SWAPPED.get(match[0].lower(), "his")
        yield telling._replace(text=telling.text[: match.start()] + other + telling.text[match.end() :])


def swap_kin_words(telling: Telling, rng: random.Random) -> Iterator[Telling]:
    for match in KIN_WORD.finditer(telling.text):
        other = rng.choice([w for w in RELATIONS if w != match[0].removesuffix("s")])
        yield telling._replace(text=telling.text[: match.start()] + other + telling.text[match.end() :])


def test_broken_frames_are_caught() -> None:
    """Pronouns of the other gender, other kin words: the checker must object to every one."""
    rng = random.Random(1)
    tried: Counter[str] = Counter()
    missed: list[str] = []
    for telling in some_tellings(rng, 8):
        assert compare(telling.text, telling.label, telling.genders) == []
        for kind, broken in (("pronouns", swap_pronouns(telling)), ("kin words", swap_kin_words(telling, rng))):
            for mutant in broken:
                tried[kind] += 1
                if not compare(mutant.text, mutant.label, mutant.genders):
                    missed.append(f"{kind}: {mutant.text}  <-  {telling.text}")
    assert min(tried.values()) > 150, tried
    assert missed == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{0}'s {0 of 1} {1} left.", "tells"),
        ("{1} rang {0 his} {0 of 1} {0}.", "has no referent"),
        ("{0} and {1} met.", "missing"),
        ("{0}'s {1 of 0} {1} rang {0}'s sister {1}.", "tells"),
    ],
)
def test_broken_by_hand(text: str, reason: str) -> None:
    faults = check_frame(Frame.parse(text, family="x", pattern=("pibling",)))
    assert faults
    assert any(reason in fault.reason for fault in faults)


# ---- slots, frames and phrases; what is no template says so ----------------------------------------------------------


def fill(text: str, *names: str, genders: tuple[str, ...] = ("male", "female"), kin: str = "aunt") -> str:
    frame = Frame.parse(text, family="x", pattern=("*",))
    return frame.fill(names or ("Ben", "Mia"), genders, [kin], ["nephew"], [Phrase.parse("wait for @")])


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{0} rang {0 his} {1 of 0} {1}.", "Ben rang his aunt Mia."),
        ("{1} has {a 0 of 1}, {0}.", "Mia has a nephew, Ben."),
        ("{0} has {a 1 of 0}, {1}; {1 he} met {0 him}.", "Ben has an aunt, Mia; she met him."),
        ("{0} was <ing|{0 his} {1 of 0} {1}>.", "Ben was waiting for his aunt Mia."),
    ],
)
def test_slots(text: str, filled: str) -> None:
    assert fill(text) == filled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{0} met {2}.", "beyond the path"),
        ("It rained.", "names no person"),
        ("{0} {0 foo}.", "unknown slot"),
        ("{0} <jumps|{1}>.", "unknown slot"),
        ("{0} {0 of 0}.", "not neighbours"),
    ],
)
def test_what_is_no_template(text: str, message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        Frame.parse(text, family="x", pattern=("*",))


def test_phrases_fit_their_slots() -> None:
    event, of, after = (
        Phrase.parse(line) for line in ("! find a ring for @", "mend the coat of @", "run home after @")
    )
    was = Frame.parse("{0} was <ing|{0 his} {1 of 0} {1}>.", family="x", pattern=("*",)).slots[0]
    pronoun = Frame.parse("{0}'s {1 of 0} {1} <past|{0 him}>.", family="x", pattern=("*",)).slots[0]
    joined = Frame.parse("{0} <past|{0 his} {1 of 0} {1}> before <ing2|{1}>.", family="x", pattern=("*",)).slots[0]
    assert [was.fits(each) for each in (event, of, after)] == [False, True, True]
    assert [pronoun.fits(each) for each in (event, of, after)] == [True, False, True]
    assert [joined.fits(each) for each in (event, of, after)] == [True, True, False]


def test_no_pronoun_that_could_mean_either() -> None:
    frame = Frame.parse("0/1 {0}'s {1 of 0} {1} <past|{1 his} {2 of 1} {2}>.", family="x", pattern=("*", "*"))
    assert frame.suits(("parent", "child"), ("male", "female", "male"))
    assert not frame.suits(("parent", "child"), ("male", "male", "male"))


def test_every_phrase_has_all_forms() -> None:
    for phrase in (phrase for occasion in load_bank().occasions for phrase in occasion.phrases):
        assert set(phrase.heads) == {"base", "past", "ing", "done"}
    assert inflect("eat") == {"past": "ate", "done": "eaten", "ing": "eating"}
    with pytest.raises(ProbandError, match="a verb in its base form"):
        Phrase.parse("wait")
