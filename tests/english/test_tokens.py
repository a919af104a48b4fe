"""Sentences, and letters of other scripts."""

from __future__ import annotations

import pytest

from proband.english.tokens import NotRead, foreign_letter, normalised, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Ann met Dr. Hill. He left.", ["Ann met Dr Hill.", "He left."]),
        ('He said "Stop!" They did.', ['He said "Stop!', "They did."]),
        ("Is it 3.5 miles? Yes", ["Is it 3.5 miles?", "Yes"]),
        ("One line.\n\nAnother   line.", ["One line.", "Another line."]),
        ("  ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_one_form_for_marks_spaces_and_accents() -> None:
    assert normalised("\u201cIt\u2019s\u00a0Zoe\u0308\u201d \u2014  he said") == '"It\'s Zo\u00eb" - he said'


def test_a_letter_that_only_looks_latin_is_found() -> None:
    assert foreign_letter("\u0410nn and Bo") == "\u0410"  # Cyrillic
    assert foreign_letter("Zo\u00eb \u0141ukasz 3 \u2013") == ""


def test_a_reason_keeps_its_sentence() -> None:
    error = NotRead("it is unclear", "He left.")
    assert (str(error), error.sentence) == ("it is unclear", "He left.")
