"""Reading every frame back: does its English tell the facts it is filed under, and nothing else?

The checker fills the slots with names, reads the sentence by the phrases of the domain (strictly: every kin word must
have one owner and one person, every pronoun must agree with the topic) and compares what it read with the label.

>>> good = Frame.parse("{0} rang {0 his} {1 of 0} {1}.", family="a", patterns=(("pibling",),))
>>> bad = Frame.parse("{0} rang {1 his} {0 of 1} {1}.", family="b", patterns=(("pibling",),))
>>> check_frame(good), [fault.reason for fault in check_frame(bad)][:1]
([], ['missing Ben is the uncle of Adam'])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Final

from proband.suites.kinship.reading.reader import KinTriple, read_facts
from proband.suites.kinship.telling.template_language import ANY, OBJECT, Frame, Phrase
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE, NEUTRAL, NEUTRALS, word

STAND_INS: Final = {MALE: ("Adam", "Ben", "Carl", "Daniel"), FEMALE: ("Anna", "Beatrice", "Clara", "Diana")}
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


def canonical(fact: KinTriple) -> tuple[str, str, str]:
    """A fact told from either side is one fact.

    >>> canonical(("Ben", "aunt", "Mia")) == canonical(("Mia", "nephew", "Ben"))
    True
    """
    owner, relation, person = fact
    neutral = NEUTRAL[relation]
    return min((owner, neutral, person), (person, INVERSE[neutral], owner))


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


def compare(text: str, label: Iterable[KinTriple], genders: dict[str, str]) -> list[str]:
    """What is wrong with a text that should tell exactly the facts of its label; nothing if nothing is."""
    reading = read_facts(text, genders, ours=True)
    read = {canonical(fact): fact for fact in reading.facts}
    meant = {canonical(fact): fact for fact in label}
    reasons = [f"missing {_in_words(fact)}" for key, fact in meant.items() if key not in read]
    reasons += [f"tells {_in_words(fact)}" for key, fact in read.items() if key not in meant]
    return [reading.problem] if reading.problem else reasons


def _in_words(fact: KinTriple) -> str:
    owner, relation, person = fact
    return f"{person} is the {relation} of {owner}"


def check_frame(frame: Frame, phrases: Sequence[Phrase] = (), *, every: bool = False) -> list[Fault]:
    """The faults of a frame over all clauses and genders it may be used for, with some of the phrases that fit it. An
    object pronoun (`beside her`) tells nothing about kin and is read as the name that it stands for."""
    faults = []
    named = replace(frame, text=OBJECT.sub(r"{\1}", frame.text))
    fits = [[phrase for phrase in phrases if slot.fits(phrase)] for slot in frame.slots]
    number = 0
    for relations in (clause for pattern in frame.patterns for clause in clauses(pattern, every=every)):
        for genders in castings(relations) if frame.genders is None else [frame.genders]:
            for _ in range((SOME_PHRASES if fits else 1) if frame.suits(relations, genders) else 0):
                number += 1
                taken = [some[(number * (17 + 12 * at)) % len(some)] for at, some in enumerate(fits)]
                names = [STAND_INS[g][i] for i, g in enumerate(genders)]
                ahead = tuple(word(r, g) for r, g in zip(relations, genders[1:]))
                back = [word(INVERSE[r], g) for r, g in zip(relations, genders)]
                text = named.fill(names, genders, ahead, back, taken)
                label = [(names[i], kin, names[i + 1]) for i, kin in enumerate(ahead)]
                for reason in compare(text, label, dict(zip(names, genders))):
                    faults.append(Fault(frame.id, genders, ahead, reason, text))
    return faults
