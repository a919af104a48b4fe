"""Levy & Dagan 2016: `question<TAB>answer<TAB>y|n`. The answer (RIGHT) is the premise; the question has a type in the
place of the answer, which is put back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from proband.suites.inference.datasets.rows import triple_rows
from proband.suites.inference.triples import FORWARD, Example, Triple, instantiate, pair_name


def read(path: Path) -> Iterator[Example]:
    for _, question, answer, entailed in triple_rows(path):
        yield asked(question, answer, entailed=entailed, source="levy-dagan")


def asked(question: Triple, answer: Triple, *, entailed: bool | None, source: str) -> Example:
    """A question and a candidate answer, instantiated to premise and hypothesis."""
    hypothesis, straight, kind, matched = instantiate(question, answer)
    return Example(
        premise=answer,
        hypothesis=hypothesis,
        entailed=entailed,
        straight=straight,
        question=", ".join(question),
        pair=pair_name(answer, hypothesis),
        direction=FORWARD,
        source=source,
        typed=types_of(question, kind, straight=straight),
        matched=matched,
    )


def types_of(question: Triple, kind: str, *, straight: bool) -> tuple[str, str]:
    """The types of the premise's arguments: that of the answer is known."""
    first = (question.subject == kind) is straight
    return (kind, "") if first else ("", kind)
