"""Word frequencies: from counts of any corpus (`build analogy --frequencies FILE`), or from wordfreq."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.tables import text_lines
from proband.suites.analogy.relations import Relation, fold

Frequency = Callable[[str], float]


def read_counts(path: Path) -> dict[str, float]:
    """Counts from any corpus: each line has a word, spaces or a tab, and its count."""
    counts: dict[str, float] = {}
    for number, line in text_lines(path):
        word, _, count = line.strip().replace("\t", " ").rpartition(" ")
        if not word or not count.replace(".", "", 1).isdecimal():
            raise ProbandError("must be a word and its count", file=path, line=number)
        counts[fold(word)] = counts.get(fold(word), 0.0) + float(count)
    if not counts:
        raise ProbandError("contains no counts", file=path)
    return counts


def counts_of(path: Path, relations: Iterable[Relation]) -> dict[str, Any]:
    """The counts of the relations' words, stored in the manifest."""
    counts = from_counts(read_counts(path))
    words = {fold(word) for relation in relations for each in relation.tuples for word in (each.head, *each.tails)}
    return {"source": path.name, "counts": {word: counts(word) for word in sorted(words)}}


def from_counts(counts: Mapping[str, float]) -> Frequency:
    """Frequencies from counts. The rule for several words is wordfreq's: 1 / f is the sum of 1 / f of each.

    >>> known = from_counts({"new": 6.0, "york": 3.0})
    >>> known("New York"), known("New Jersey")
    (2.0, 0.0)
    """

    def of(word: str) -> float:
        if (known := counts.get(fold(word))) is not None:
            return known
        parts = [counts.get(part, 0.0) for part in fold(word).split()]
        return 1 / sum(1 / part for part in parts) if parts and all(parts) else 0.0

    return of


def from_wordfreq() -> Frequency:
    """wordfreq's estimate for English (the share of all words)."""
    try:
        from wordfreq import word_frequency
    except ImportError:
        raise ProbandError(
            "the frequency analysis needs counts (build analogy --frequencies FILE) or wordfreq: "
            "pip install 'proband[words]'"
        ) from None
    return lambda word: float(word_frequency(word, "en"))
