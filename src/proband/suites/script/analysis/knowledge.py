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
from dataclasses import dataclass, replace
from itertools import groupby


@dataclass(frozen=True)
class Aligned:
    """A text and, for each of its words, the position in the abstract line that generated it."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    path: tuple[int, ...]
    split: str = "train"

    def runs(self) -> Iterator[tuple[str, list[str]]]:
        """Abstract words with the concrete words they generated, for those that generated any.

        >>> list(Aligned(("drain", "pasta"), ("use", "a", "strainer"), (0, 0, 0)).runs())
        [('drain', ['use', 'a', 'strainer'])]
        """
        for at, run in groupby(zip(self.path, self.concrete), key=lambda step: step[0]):
            yield self.abstract[at], [word for _, word in run]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of the table; its counts are of both together, of each alone, and of all tuples."""

    abstract: str
    concrete: str
    count: int
    count_abstract: int
    count_concrete: int
    total: int

    @property
    def pmi(self) -> float:
        return math.log(self.total * self.count / (self.count_abstract * self.count_concrete))

    @property
    def npmi(self) -> float:
        return self.pmi / -math.log(self.count / self.total) if self.count < self.total else 1.0


def tuples(
    alignments: Iterable[Aligned], words: Collection[str], *, stop: Collection[str] = (), longest: int = 4
) -> Iterator[tuple[str, str]]:
    """(abstract word, concrete phrase) for every aligned run that holds a whitelisted word.

    >>> one = Aligned(("drain", "pasta"), ("use", "a", "strainer", "for", "it"), (0, 0, 0, 1, 1))
    >>> list(tuples([one], {"strainer", "use"}))
    [('drain', 'use a strainer')]
    """
    for one in alignments:
        unsaid = frozenset(words).difference(one.abstract)
        for source, run in one.runs():
            if source not in stop and source[0].isalnum():
                for phrase in phrases(run, unsaid, longest=longest):
                    yield source, phrase


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
            start, end = found[-1] if found else (-longest, -longest)
            if at - end < 2 and at + 1 - start <= longest and all(w[0].isalnum() for w in run[end:at]):
                found[-1] = (start, at + 1)
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
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (word, phrase), count in both.items():
        first[word] += count
        second[phrase] += count
    return ranked(
        Row(
            abstract=word,
            concrete=phrase,
            count=count,
            count_abstract=first[word],
            count_concrete=second[phrase],
            total=both.total(),
        )
        for (word, phrase), count in both.items()
        if count >= least
    )


def ranked(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.pmi, -row.count, row.abstract, row.concrete))


def to_concrete(rows: Sequence[Row], word: str, *, least: int = 3, top: int = 8) -> list[Row]:
    """What an abstract word generates."""
    return [row for row in rows if row.abstract == word and row.count >= least][:top]


def to_abstract(rows: Sequence[Row], words: str, *, least: int = 3, top: int = 8) -> list[Row]:
    """Which abstract words generate a phrase that holds these words ("we match any phrase containing the word(s)"):
    counts over all such phrases, mutual information computed anew. `rows` is the whole table (`least=1`)."""
    here: Counter[str] = Counter()
    for row in rows:
        if f" {words} " in f" {row.concrete} ":
            here[row.abstract] += row.count
    one_each = {row.abstract: row for row in rows if here[row.abstract] >= least}
    return ranked(
        replace(row, concrete=words, count=here[word], count_concrete=here.total()) for word, row in one_each.items()
    )[:top]
