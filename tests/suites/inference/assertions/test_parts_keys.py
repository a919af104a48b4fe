"""Keys of a column are the keys of its texts one by one, whatever stands in them."""

from __future__ import annotations

import random

import polars as pl
from simplemma import lemmatize

from proband.lexicon.inflection import key, lemma
from proband.suites.inference.assertions.parts import keys, one_space

PIECES = (
    "the",
    "Cats",
    "of",
    "mice",
    " ",
    "  ",
    "\t",
    "\xa0",
    "\x1f",
    "\u3000",
    "ΟΔΟΣ",
    "İstanbul",
    "n't",
    "don't",
    "!",
)
MORE = ("well-known", "1990s", "children's", "Ǆ", "ß", "", "countries", "re-elected")


def texts(n: int) -> list[str]:
    rng = random.Random(0)
    found = [
        "".join(rng.choice((each, f" {each}")) for each in rng.choices((*PIECES, *MORE), k=rng.randint(1, 9)))
        for _ in range(n)
    ]
    return [*found, "", " ", " ".join(["the house"] * 20), " ".join(["the"] * 20)]


def test_keys_one_by_one() -> None:
    given = texts(800)
    assert keys(pl.Series(given)).to_list() == [key(text) for text in given]
    plain = [text for text in given if text == " ".join(text.split())]
    assert keys(pl.Series(plain)).to_list() == [key(text) for text in plain]
    assert keys(pl.Series([], dtype=pl.String)).to_list() == []


def test_spaces() -> None:
    given = texts(300)
    assert one_space(pl.Series(given)).to_list() == [" ".join(text.split()) for text in given]


def test_base_forms_are_simplemmas() -> None:
    words = {word for text in texts(300) for word in text.lower().split()} | {
        "ran",
        "'s",
        "o'clock",
        "٣",
        "e\u0301t\u00e9s",
    }
    assert {word: lemma(word) for word in words} == {word: str(lemmatize(word, "en")).lower() for word in words}
