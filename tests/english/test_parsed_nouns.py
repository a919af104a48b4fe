"""The second reader of things: the same facts as the phrases, from parse trees; what is left over is unread."""

from __future__ import annotations

import pytest

from proband.english.domain import load
from proband.english.parsed_nouns import ParsedReader

GRID = ParsedReader(load("grid"))
QUESTION = "What is the relation of the chair to the lamp?"


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("The chair is to the left of the lamp.", {("chair", "left", "lamp")}),
        ("To the left of the lamp is the chair.", {("chair", "left", "lamp")}),
        ("The chair is at the upper left of the lamp.", {("chair", "upper-left", "lamp")}),
        (
            "The chair is above the lamp, which is below the table.",
            {("chair", "above", "lamp"), ("lamp", "below", "table")},
        ),
    ],
)
def test_directions(sentence: str, facts: set[tuple[str, str, str]]) -> None:
    reading = GRID(f"{sentence} The lamp is below the chair.", QUESTION, {})
    assert reading.unread is None, reading.unread
    assert {fact[:3] for fact in reading.facts} == facts | {("lamp", "below", "chair")}


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The chair is not to the left of the lamp.", "'not' is not accounted for"),
        ("The chair is probably above the lamp.", "'probably' is not accounted for"),
        ("The chair is nice.", "the sentence states no known relation"),
        ("The chair is above the lamp and the table.", "'table' is not accounted for"),
        ("The chair is above the lamp and to the left of it.", "it is unclear what 'left' is relative to"),
        ("Some chair is above the lamp.", "'Some chair' is not one certain thing"),
        ("A chair is above the lamp.", "'chair' without 'the' may mean another one than before"),
    ],
)
def test_what_is_not_sure_is_unread(sentence: str, reason: str) -> None:
    reading = GRID(f"The lamp is below the chair. {sentence}", QUESTION, {})
    assert reading.unread is not None
    assert reason in reading.unread.reason
