"""Counting assertions while they are found: texts from positions, the same assertion once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proband.suites.inference.assertions.extraction.rules import ARE, IS, Found

Columns = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[int]]
Assertion = tuple[str, str, str]  # subject, relation, object
PUT_IN = {IS: "is", ARE: "are"}


def text(words: Sequence[str], positions: Iterable[int]) -> str:
    """
    >>> text(["Chocolate", "made", "from", "cocoa"], (IS, 1, 2))
    'is made from'
    """
    return " ".join(words[at] if at >= 0 else PUT_IN[at] for at in positions)


def assertions(words: Sequence[str], found: Iterable[Found]) -> Iterable[Assertion]:
    """Relations in lower case, arguments as they are written."""
    for subject, relation, thing in found:
        yield text(words, subject), text(words, relation).lower(), text(words, thing)


class Tally:
    """assertion -> count, up to a number of distinct ones; whoever fills it empties it then."""

    def __init__(self, most: int = 500_000) -> None:
        self.most = most
        self.counts: dict[Assertion, int] = {}

    def add(self, assertion: Assertion, count: int = 1) -> None:
        self.counts[assertion] = self.counts.get(assertion, 0) + count

    @property
    def full(self) -> bool:
        return len(self.counts) >= self.most

    def empty(self) -> Columns:
        counts, self.counts = self.counts, {}
        subjects, relations, objects = zip(*counts, strict=True)
        return subjects, relations, objects, list(counts.values())
