r"""What an alignment knows: abstract word <-> concrete phrase, sorted by mutual information (section 5, table 3).

Every run of concrete words aligned to one abstract word is a phrase that this word generated. Over all (word, phrase)
tuples of the training corpus, N of them,

    PMI(w, p)  = log [ N count(w, p) / (count(w) count(p)) ]
    NPMI(w, p) = PMI(w, p) / -log [ count(w, p) / N ]            between -1 and 1

A run is cut down to the phrases that matter: from a whitelisted word to another one nearby, `longest` words at most.
Words of the pair's own abstract line do not count as whitelisted, as in the cloze task: that *oven* generates *oven* is
no news. Runs without a whitelisted word are left out, as in the paper.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


class Aligned(Protocol):
    """One aligned pair (nets/answers.py: Alignment)."""

    @property
    def abstract(self) -> tuple[str, ...]: ...

    @property
    def concrete(self) -> tuple[str, ...]: ...

    @property
    def path(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of the table."""

    abstract: str
    concrete: str
    count: int
    count_abstract: int
    count_concrete: int
    pmi: float
    npmi: float


def tuples(
    alignments: Iterable[Aligned], words: Collection[str], *, stop: Collection[str] = (), longest: int = 4
) -> Iterator[tuple[str, str]]:
    """(abstract word, concrete phrase) for every aligned run that holds a whitelisted word.

    >>> class One:
    ...     abstract, concrete = ("drain", "pasta"), ("use", "a", "strainer", "for", "it")
    ...     path = (0, 0, 0, 1, 1)
    >>> list(tuples([One()], {"strainer", "use"}))
    [('drain', 'use a strainer')]
    """
    for one in alignments:
        start, unsaid = 0, frozenset(words).difference(one.abstract)
        for at in range(1, len(one.path) + 1):
            if at == len(one.path) or one.path[at] != one.path[start]:
                source = one.abstract[one.path[start]]
                if source not in stop and source[0].isalnum():
                    for phrase in phrases(one.concrete[start:at], unsaid, longest=longest):
                        yield source, phrase
                start = at


def phrases(run: Sequence[str], words: Collection[str], *, longest: int = 4) -> list[str]:
    """The pieces of a run from a whitelisted word to the next within `longest` words; signs end a piece.

    >>> phrases("then put a large pot on the hot stove .".split(), {"large", "pot", "hot", "stove"})
    ['large pot', 'hot stove']
    >>> phrases("hold a grater".split(), {"hold", "grater"})
    ['hold a grater']
    """
    found: list[tuple[int, int]] = []
    for at, word in enumerate(run):
        if word in words:
            previous = found[-1] if found else None
            near = previous is not None and at - previous[1] < 2 and at + 1 - previous[0] <= longest
            if near and previous is not None and all(w[0].isalnum() for w in run[previous[1] : at]):
                found[-1] = (previous[0], at + 1)
            else:
                found.append((at, at + 1))
    return [" ".join(run[start:end]) for start, end in found]


def table(pairs: Iterable[tuple[str, str]], *, least: int = 3) -> list[Row]:
    """Every (word, phrase) seen `least` times, the highest PMI first.

    >>> rows = table([("oil", "pour")] * 3 + [("egg", "crack")] * 3 + [("egg", "pour")], least=1)
    >>> (rows[0].abstract, rows[0].concrete, round(rows[0].pmi, 3))
    ('egg', 'crack', 0.56)
    """
    both = Counter(pairs)
    total = sum(both.values())
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (word, phrase), count in both.items():
        first[word] += count
        second[phrase] += count
    rows = []
    for (word, phrase), count in both.items():
        if count >= least:
            pmi = math.log(total * count / (first[word] * second[phrase]))
            surprise = -math.log(count / total)
            rows.append(
                Row(
                    abstract=word,
                    concrete=phrase,
                    count=count,
                    count_abstract=first[word],
                    count_concrete=second[phrase],
                    pmi=pmi,
                    npmi=pmi / surprise if surprise else 1.0,
                )
            )
    return sorted(rows, key=lambda row: (-row.pmi, -row.count, row.abstract, row.concrete))


def to_concrete(rows: Sequence[Row], word: str, *, least: int = 3, top: int = 8) -> list[Row]:
    """What an abstract word generates."""
    return [row for row in rows if row.abstract == word and row.count >= least][:top]


def to_abstract(rows: Sequence[Row], words: str, *, least: int = 3, top: int = 8) -> list[Row]:
    """Which abstract words generate a phrase that holds these words ("we match any phrase containing the word(s)"):
    counts over all such phrases, mutual information computed anew. `rows` is the whole table (`least=1`)."""
    wanted = f" {words} "
    total = sum(row.count for row in rows)
    here: Counter[str] = Counter()
    alone = {row.abstract: row.count_abstract for row in rows}
    for row in rows:
        if wanted in f" {row.concrete} ":
            here[row.abstract] += row.count
    found, all_here = [], sum(here.values())
    for word, count in here.items():
        if count < least:
            continue
        pmi = math.log(total * count / (alone[word] * all_here))
        surprise = -math.log(count / total)
        found.append(
            Row(
                abstract=word,
                concrete=words,
                count=count,
                count_abstract=alone[word],
                count_concrete=all_here,
                pmi=pmi,
                npmi=pmi / surprise if surprise else 1.0,
            )
        )
    return sorted(found, key=lambda row: (-row.pmi, -row.count, row.abstract))[:top]
