"""Numbers and vectors of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.training.vocabulary import PADDING, SPECIAL, Vocabulary, vectors_for

WORDS = Vocabulary.of([["b", "a", "b"], ["c", "a", "<PAD>", "<PAD>"]], least=2)  # a and b are equally frequent


def test_frequent_words_have_numbers_behind_the_special_ones() -> None:
    assert WORDS.words == (*SPECIAL, "a", "b")
    assert WORDS.numbers(["b", "c", "a", "<PAD>"]) == [6, 0, 5, PADDING]
    with pytest.raises(ProbandError, match="must begin with #UNK#"):
        Vocabulary(("a", "b"))


def test_only_words_that_are_known_and_not_special_fill_a_slot() -> None:
    assert np.flatnonzero(WORDS.allowed(["b", "c", "</S>", "#UNK#"])).tolist() == [6]
    assert np.flatnonzero(WORDS.allowed(None)).tolist() == [5, 6]


def test_vectors_of_a_file_and_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("b 1 2\nz 3 4\n")
    table, found = vectors_for(WORDS, tmp_path / "glove.txt")
    assert (found, table.shape, table[6].tolist(), table[PADDING].tolist()) == (1, (7, 2), [1.0, 2.0], [0.0, 0.0])
    assert np.array_equal(table, vectors_for(WORDS, tmp_path / "glove.txt")[0])
    (tmp_path / "published.txt").write_text(
        "2 3\nb 0.1 0.2 0.3 \n. . . 0.1 0.2 0.3 \n"
    )  # of word2vec, and GloVe's 840B
    assert (
        vectors_for(WORDS, tmp_path / "published.txt")[0][6].tolist() == np.array([0.1, 0.2, 0.3], np.float32).tolist()
    )
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "vocab.txt").write_text("z\na\nb")
    np.save(tmp_path / "folder" / "glove.2.npy", np.array([[9.0, 9.0], [1.0, 0.0], [0.0, 3.0]]))
    table, found = vectors_for(WORDS, tmp_path / "folder")
    assert (found, table[5].tolist(), table[6].tolist()) == (2, [1.0, 0.0], [0.0, 3.0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("b 1 2\na 1 2 3\n", "line 2: not a word with 2 numbers"),
        ("z 1 2\n", "no vector for any word"),
        ("b 1 x\n", "not a finite number"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "glove.txt").write_text(text)
    with pytest.raises(ProbandError, match=reason):
        vectors_for(WORDS, tmp_path / "glove.txt")
