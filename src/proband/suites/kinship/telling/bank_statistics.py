"""Statistics of a bank as in table 3.1 of the thesis: paraphrases, clauses, vocabulary, overlap of words.

Jaccard overlap of two paraphrases with word sets A and B (or sets of word pairs): |A & B| / |A | B|, averaged over all
pairs of paraphrases of the same clause. A clause is a path of relations with the genders of its people; a name counts
as the word for its slot, as in CLUTRR's files (ent_0_male).

>>> jaccard(("a", "b"), ("b", "c"))
0.3333333333333333
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise, permutations
from typing import Any, Final

from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.template_check import castings, clauses
from proband.suites.kinship.telling.template_language import ANY, LONGEST, Frame
from proband.suites.kinship.world.relations import ALL_INVERSE, word

WORD: Final = re.compile(r"\w+(?:-\w+)*")
MAX_COMPARED: Final = 300  # paraphrases of a clause that are compared pair by pair; of more, so many are drawn
ONE_IN: Final = 33  # of the clauses that a general frame tells, one in so many is looked at
Clause = tuple[tuple[str, ...], tuple[str, ...]]  # relations along a path, and the genders of its people


@dataclass(frozen=True)
class Statistics:
    paraphrases: Mapping[int, int]  # facts -> frames with phrases that fit them
    clauses: Mapping[int, int]  # facts -> clauses that frames are written for
    vocabulary: int
    unigrams: float
    bigrams: float


def jaccard(a: Iterable[Any], b: Iterable[Any]) -> float:
    a, b = set(a), set(b)
    return len(a & b) / len(a | b) if a or b else 0.0


def words_of(text: str) -> list[str]:
    """
    >>> words_of("Don't! [Ent_0_male]'s mother-in-law")
    ['don', 't', 'ent_0_male', 's', 'mother-in-law']
    """
    return WORD.findall(text.lower())


def _clauses(bank: Bank) -> list[Clause]:
    """The clauses that frames are written for; of frames for any relation a few."""
    written: set[Clause] = set()
    for pattern, genders in {(p, frame.genders) for frame in bank.frames for p in frame.patterns}:
        some = islice(clauses(pattern), 0, None, ONE_IN) if ANY in pattern else iter([pattern])
        for relations in some:
            written |= {(relations, casting) for casting in (castings(relations) if genders is None else [genders])}
    return sorted(written)


def _fillings(bank: Bank, frame: Frame) -> Iterator[tuple[Any, ...]]:
    """The phrases that fit a frame together; nothing for a frame without."""
    for phrases in (each.phrases for each in bank.occasions) if frame.slots else [()]:
        for taken in permutations(phrases, len(frame.slots)):
            if all(slot.fits(phrase) for slot, phrase in zip(frame.slots, taken)):
                yield taken


def tellings(bank: Bank, clause: Clause, *, rng: random.Random) -> list[str]:
    """Paraphrases of a clause, its names written as slots; of many, some."""
    relations, genders = clause
    slots = [f"ent_{i}_{gender}" for i, gender in enumerate(genders)]
    ahead = [word(r, g) for r, g in zip(relations, genders[1:])]
    back = [word(ALL_INVERSE[r], g) for r, g in zip(relations, genders)]
    frames = bank.frames_of(relations, genders)
    if not bank.occasions:
        return [frame.fill(slots, genders, ahead, back) for frame in frames]
    texts = set[str]()
    for _ in range(MAX_COMPARED):
        frame, phrases = rng.choice(frames), rng.choice(bank.occasions).phrases
        fits = [[phrase for phrase in phrases if slot.fits(phrase)] for slot in frame.slots]
        texts.add(frame.fill(slots, genders, ahead, back, [rng.choice(some) for some in fits]))
    return sorted(texts)


def statistics(bank: Bank, *, seed: int = 0) -> Statistics:
    rng, lengths = random.Random(f"statistics {seed}"), range(1, LONGEST + 1)
    known = _clauses(bank)
    texts = [[words_of(text) for text in tellings(bank, clause, rng=rng)] for clause in known]
    around = {w for o in bank.occasions for text in (*o.openings, *o.moments) for w in words_of(text)}
    phrases = {w for o in bank.occasions for p in o.phrases for t in (*p.heads.values(), p.tail) for w in words_of(t)}
    ways = {n: sum(1 for f in bank.frames if f.facts == n for _ in _fillings(bank, f)) for n in lengths}
    return Statistics(
        paraphrases={n: count for n, count in ways.items() if count},
        clauses={n: len({c for c, _ in known if len(c) == n}) for n in lengths if ways[n]},
        vocabulary=len(around | phrases | {w for some in texts for text in some for w in text}),
        unigrams=_overlap(texts, set, rng),
        bigrams=_overlap(texts, lambda text: set(pairwise(text)), rng),
    )


def _overlap(texts: Sequence[Sequence[list[str]]], grams: Callable[[list[str]], set[Any]], rng: random.Random) -> float:
    values: list[float] = []
    for some in texts:
        sample = some if len(some) <= MAX_COMPARED else rng.sample(some, MAX_COMPARED)
        values += [jaccard(a, b) for a, b in combinations([grams(text) for text in sample], 2)]
    return sum(values) / len(values) if values else 0.0
