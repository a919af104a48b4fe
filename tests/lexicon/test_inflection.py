"""Arguments are compared without stop words and inflection."""

from __future__ import annotations

import pytest
from simplemma import lemmatize

from proband.lexicon.inflection import key, lemma


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("headaches", "the headache"),
        ("The Persians", "persian"),
        ("a nobel prize", "the Nobel Prizes"),
        ("the sea", "seas"),
        ("the kings of France", "a king of France"),
        ("children", "the child"),
    ],
)
def test_the_same_argument(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("sea", "ocean"), ("France", "the king of France"), ("cat food", "food cat")]
)
def test_another_argument(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_text_of_stop_words_stays() -> None:
    assert key("The Who") == "the who"
    assert key("") == ""


def test_base_forms_are_simplemmas() -> None:
    words = ["ran", "'s", "o'clock", "٣", "e\u0301t\u00e9s", "οδος", "n't", "well-known", "1990s", "children's", "ß"]
    assert {word: lemma(word) for word in words} == {word: str(lemmatize(word, "en")).lower() for word in words}
