"""Statistics of a template bank as in table 3.1 of the thesis: paraphrases, clauses, vocabulary, overlap of words.

Jaccard overlap of two paraphrases with word sets A and B (or sets of word pairs): |A & B| / |A | B|. Within clauses it
is averaged over all pairs of paraphrases of the same clause, `pooled` over all pairs of a bank and `by_clause` over
the clauses' own averages; `across` over pairs of paraphrases of different clauses. A clause is a path of relation words
with the gender of its first person; a name counts as the word for its slot, as in CLUTRR's files (ent_0_male).

>>> jaccard(("a", "b"), ("b", "c"))
0.3333333333333333
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from typing import Any, Final

from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.paraphrases import ANY, LONGEST, combined
from proband.suites.kinship.telling.template_check import castings, clauses
from proband.suites.kinship.world.relations import GENDER, INVERSE, word

WORD: Final = re.compile(r"\w+(?:-\w+)*")
MAX_COMPARED: Final = 300  # paraphrases of a clause that are compared pair by pair; of more, so many are drawn
ONE_IN: Final = 33  # of the clauses that a general paraphrase tells, one in so many is looked at
Clause = tuple[str, ...]  # gender of person 0, then the relation words


@dataclass(frozen=True)
class BankOverlap:
    pooled: float
    by_clause: float
    across: float


@dataclass(frozen=True)
class Statistics:
    paraphrases: Mapping[int, int]  # facts -> paraphrases as written
    clauses: Mapping[int, int]  # facts -> clauses with paraphrases of their own
    tellings: Mapping[int, int]  # facts -> (clause, paraphrase) pairs
    vocabulary: int
    unigrams: BankOverlap
    bigrams: BankOverlap


def jaccard(a: Iterable[Any], b: Iterable[Any]) -> float:
    a, b = set(a), set(b)
    return len(a & b) / len(a | b) if a or b else 0.0


def own_clauses(bank: Bank) -> list[Clause]:
    """The clauses somebody wrote a paraphrase for (not those that only general ones tell), read either way. Of a bank
    whose paraphrases are all general, which tell all clauses alike: a few."""
    written: set[Clause] = set()
    own = {p for template in bank.templates for p in template.patterns if ANY not in p}
    for template in bank.templates:
        patterns = (
            template.patterns if own else [c for p in template.patterns for c in islice(clauses(p), 0, None, ONE_IN)]
        )
        for relations in (p for p in patterns if ANY not in p):
            for genders in castings(relations) if template.genders is None else [template.genders]:
                words = tuple(word(r, g) for r, g in zip(relations, genders[1:]))
                written.add((genders[0], *words))
                if template.genders is None:
                    back = [word(INVERSE[r], g) for r, g in zip(relations[::-1], genders[-2::-1])]
                    written.add((genders[-1], *back))
    return sorted(written)


def tellings(bank: Bank, clause: Clause) -> list[str]:
    """Each paraphrase of a clause once, its names written as slots."""
    genders = (clause[0], *(GENDER[w] for w in clause[1:]))
    slots = [f"ent_{i}_{gender}" for i, gender in enumerate(genders)]
    menu, texts = bank.menus()[clause], dict[str, str]()
    for line in menu.lines:
        texts.setdefault(line[0].id, menu.tell(line, slots))
    return list(texts.values())


def words_of(text: str) -> list[str]:
    """
    >>> words_of("Don't! [Ent_0_male]'s mother-in-law")
    ['don', 't', 'ent_0_male', 's', 'mother-in-law']
    """
    return WORD.findall(text.lower())


def statistics(bank: Bank, *, seed: int = 0, across: int = 20_000) -> Statistics:
    """Counts and overlaps; `across` pairs of different clauses are drawn."""
    clauses = own_clauses(bank)
    texts_of = {clause: [words_of(text) for text in tellings(bank, clause)] for clause in clauses}
    facts: dict[int, set[str]] = {n: set() for n in range(1, LONGEST + 1)}
    for template in bank.templates:
        facts[template.facts].add(template.id)
    lengths = range(1, LONGEST + 1)
    around = {w for o in bank.occasions for text in (*o.openings, *o.moments) for w in words_of(text)}
    return Statistics(
        paraphrases={n: combined(bank.occasions, n) if bank.occasions else len(facts[n]) for n in lengths},
        clauses={n: len({c[1:] for c in clauses if len(c) == n + 1}) for n in lengths},
        tellings={n: sum(len(texts) for c, texts in texts_of.items() if len(c) == n + 1) for n in lengths},
        vocabulary=len(around | {w for texts in texts_of.values() for text in texts for w in text}),
        unigrams=_overlap(texts_of, set, seed=seed, across=across),
        bigrams=_overlap(texts_of, lambda text: set(pairwise(text)), seed=seed, across=across),
    )


def _overlap(
    texts_of: Mapping[Clause, Sequence[list[str]]], grams: Callable[[list[str]], set[Any]], *, seed: int, across: int
) -> BankOverlap:
    rng = random.Random(f"across {seed}")
    sets = {
        clause: [grams(text) for text in (texts if len(texts) <= MAX_COMPARED else rng.sample(texts, MAX_COMPARED))]
        for clause, texts in texts_of.items()
    }
    total, pairs, means = 0.0, 0, []
    for texts in sets.values():
        values = [(n := len(a & b)) / (len(a) + len(b) - n or 1) for a, b in combinations(texts, 2)]
        if values:
            means.append(sum(values) / len(values))
            total, pairs = total + sum(values), pairs + len(values)
    keys = [clause for clause, texts in sets.items() if texts]
    drawn: list[float] = []
    while len(keys) > 1 and len(drawn) < across:
        a, b = rng.sample(keys, 2)
        drawn.append(jaccard(rng.choice(sets[a]), rng.choice(sets[b])))
    return BankOverlap(
        pooled=total / pairs if pairs else 0.0,
        by_clause=sum(means) / len(means) if means else 0.0,
        across=sum(drawn) / len(drawn) if drawn else 0.0,
    )
