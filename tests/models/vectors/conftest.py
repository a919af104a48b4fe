"""A small table of word vectors as files of every format."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.protocols import HasVectors
from proband.models import load as load_model
from proband.models.vectors.word_vectors import WordVectors

WORDS = ["the", "of", "naïve", "東京", "new_york", "Paris", "don't", "</s>", ".", "é", "\u2028", "\x85x", "x" * 300]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., WordVectors]:
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))

    def open_(path: Path | str, **settings: Any) -> WordVectors:
        model: WordVectors = load_model(f"vec:{path}", settings)
        return model

    return open_


def example_rows() -> np.ndarray[Any, Any]:
    table = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(np.float32)
    table[3] = 0.0
    table[4] = [1e-30, -1e30, 1.0, -0.0, 3.4e38, 10.0, 2**-140]
    return table


@pytest.fixture(scope="module")
def rows() -> np.ndarray[Any, Any]:
    return example_rows()


def as_text(rows: np.ndarray[Any, Any], *, header: bool, words: list[str] = WORDS) -> str:
    lines = [f"{len(words)} {rows.shape[1]}"] if header else []
    lines += [" ".join([word, *(repr(float(x)) for x in row)]) for word, row in zip(words, rows)]
    return "\n".join(lines) + "\n"


def check(table: WordVectors, rows: np.ndarray[Any, Any]) -> None:
    assert list(table.vocabulary) == WORDS
    assert table.vocabulary[3] == WORDS[3]
    assert table.vocabulary[-2:] == WORDS[-2:]
    np.testing.assert_array_equal(table.matrix, rows)
    shuffled = random.Random(1).sample(range(len(WORDS)), len(WORDS))
    got, known = table.vectors([WORDS[i] for i in shuffled])
    assert known.all()
    np.testing.assert_array_equal(got, rows[shuffled])
    assert isinstance(table, HasVectors)


@pytest.fixture
def source(tmp_path: Path, rows: Any) -> Path:
    path = tmp_path / "table.vec"
    path.write_text(as_text(rows, header=True), encoding="utf-8")
    return path
