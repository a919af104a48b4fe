"""Frequencies of words: from wordfreq, and from counts of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.suites.analogy.conftest import Two

from proband.core.errors import ProbandError
from proband.suites.analogy.frequencies import counts_of, from_wordfreq, read_counts
from proband.suites.analogy.paper import frequency
from proband.suites.analogy.relations import Relation, Tuple


def test_wordfreq_orders_words_as_one_expects() -> None:
    known = from_wordfreq()
    assert known("house") > known("chalet") > 0


def test_counts_of_a_corpus_are_read_and_travel_with_the_items(tmp_path: Path, built: Any) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("the 100\nnew\t6\nyork 3\nYork 3\n", encoding="utf-8")
    assert read_counts(path) == {"the": 100.0, "new": 6.0, "york": 6.0}
    relation = Relation("r", "ES", (Tuple("New York", ("the", "x")),))
    assert counts_of(path, [relation]) == {"source": "counts.txt", "counts": {"new york": 3.0, "the": 100.0, "x": 0.0}}
    results = Two([[]], manifest={"frequencies": counts_of(path, [relation])})
    known, source = frequency.frequencies(results)
    assert (known("New York"), source) == (3.0, "counts.txt")
    path.write_text("the 100\nonly-a-word\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"counts\.txt line 2: must be a word and its count"):
        read_counts(path)
