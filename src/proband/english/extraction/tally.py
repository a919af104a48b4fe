"""Counting assertions: texts from positions, each assertion once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from proband.english.extraction.rules import AssertionSpans

Columns = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[int]]
Assertion = tuple[str, str, str]  # subject, relation, object
PUT_IN = ("were", "was", "are", "is")  # after the words of a sentence: positions -4 to -1 (WERE to IS)
Written = Callable[[Sequence[str]], str]
POSSESSIVE = re.compile(r" (['\u2019]s?)(?= |$)")


def assertions(words: Sequence[str], spans: Iterable[AssertionSpans]) -> Iterable[Assertion]:
    """Relations in lower case, arguments as they are written.

    >>> list(assertions(["Chocolate", "made", "from", "cocoa"], [((0,), (-1, 1, 2), (3,))]))
    [('Chocolate', 'is made from', 'cocoa')]
    """
    words = [*words, *PUT_IN]
    for subject, relation, thing in map(written, spans):
        yield spaced(subject(words)), spaced(relation(words)).lower(), spaced(thing(words))


def spaced(argument: str) -> str:
    """Possessives and hyphens as written; treebanks and parsers have them as separate tokens.

    >>> spaced("the patient 's doctor"), spaced("the patients ' doctor"), spaced("O 'Brien 's")
    ("the patient's doctor", "the patients' doctor", "O 'Brien's")
    >>> spaced("its hearing - aid business")
    'its hearing-aid business'
    """
    argument = argument.replace(" - ", "-")
    return POSSESSIVE.sub(r"\1", argument) if "'" in argument or "\u2019" in argument else argument


def written(result: AssertionSpans) -> tuple[Written, Written, Written]:
    """Functions that write subject, relation and object from the words of a sentence followed by PUT_IN."""
    subject, relation, thing = map(_text, result)
    return subject, relation, thing


def _text(positions: tuple[int, ...]) -> Written:
    chosen: Any = itemgetter(*positions)
    return chosen if len(positions) == 1 else lambda words: " ".join(chosen(words))


class AssertionTally:
    """assertion -> count, up to a number of distinct ones; the caller empties it then."""

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
        subjects, relations, objects = (list(map(itemgetter(at), counts)) for at in range(3))
        return subjects, relations, objects, list(counts.values())
