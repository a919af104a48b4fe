"""Word vectors: spellings, unknown words, identity, the second start."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.vectors.conftest import check

from proband.core.errors import ProbandError
from proband.models.vectors import word_vectors as vectors
from proband.models.vectors.word_vectors import WordVectors


def test_the_order_of_spellings() -> None:
    names = ["Paris", "paris", "new_york", "ice cream", "hot", "dog", "Los_Angeles"]
    table = WordVectors(names, np.eye(7), name="vec:x", identity={})

    def found(word: str) -> list[str]:
        row, known = table.vectors([word])
        return [names[i] for i in np.flatnonzero(row[0])] if known[0] else []

    assert found("Paris") == ["Paris"]
    assert found("PARIS") == ["paris"]
    assert found("New York") == ["new_york"]
    assert found("los angeles") == []
    assert found("Los Angeles") == ["Los_Angeles"]
    assert found("Ice_Cream") == ["ice cream"]
    assert found("Hot dog") == ["hot", "dog"]
    assert found("hot potato") == []
    np.testing.assert_allclose(table.vectors(["hot_dog"])[0].sum(), 1.0)
    strict = WordVectors(names, np.eye(7), name="vec:x", identity={}, phrases="none")
    assert not strict.vectors(["hot dog"])[1][0]
    assert strict.identity() != table.identity()


def test_unknown_words_are_rows_of_zeros_and_no_words_are_no_rows() -> None:
    table = WordVectors(["a"], np.array([[1.0, 2.0]]), name="vec:x", identity={})
    rows, known = table.vectors(["zzz", "a", "", "\ud800"])
    assert known.tolist() == [False, True, False, False]
    assert rows.tolist() == [[0, 0], [1, 2], [0, 0], [0, 0]]
    assert table.vectors([])[0].shape == (0, 2)


def test_the_second_start_does_not_read_the_source(
    source: Path, opened: Any, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(source)
    monkeypatch.setattr(vectors, "open_vectors", None)
    monkeypatch.setattr(vectors, "sha256_file", None)
    check(opened(source), rows)


def test_identity_follows_the_content_not_the_place(source: Path, opened: Any, tmp_path: Path) -> None:
    before = opened(source).identity()
    copy = shutil.copy(source, tmp_path / "copy.txt")
    assert opened(copy).identity() == before
    assert len(list((tmp_path / "cache" / "vectors").glob("*/facts.json"))) == 1
    source.write_text(source.read_text(encoding="utf-8").replace("the ", "The ", 1), encoding="utf-8")
    assert opened(source).identity() != before
    assert opened(source).vocabulary[0] == "The"


def test_settings_are_checked(source: Path, opened: Any) -> None:
    for wrong, message in (
        ({"phrases": "sum"}, "'phrases' is 'sum'; it must be one of mean, none"),
        ({"device": "cpu"}, "vec:... has no option 'device'; it has phrases"),
    ):
        with pytest.raises(ProbandError, match=message):
            opened(source, **wrong)
