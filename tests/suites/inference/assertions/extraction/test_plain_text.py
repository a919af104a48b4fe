"""Plain text through our own pipeline, and what is said where a pipeline is missing."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.extraction.plain_text import OURS, TextParser, paragraphs

TEXT = [
    "The Nile flows through Egypt.",
    "Italy invaded Ethiopia in 1935.",
    "Paris is the capital of France.",
    "The telephone was invented by Bell.",
]


@pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")
def test_sentences_any_parser_must_read() -> None:
    found = set(TextParser().assertions(TEXT))
    assert ("The Nile", "flows through", "Egypt") in found
    assert ("Italy", "invaded", "Ethiopia") in found
    assert ("Paris", "is the capital of", "France") in found
    assert ("The telephone", "was invented by", "Bell") in found


def test_no_such_pipeline() -> None:
    with pytest.raises(ProbandError, match="spaCy has no pipeline 'en_nothing'"):
        TextParser("en_nothing")


def test_long_paragraphs_are_cut_and_titles_left_out() -> None:
    assert list(paragraphs(["Title", "", "A sentence that is long enough."])) == ["A sentence that is long enough."]
    assert [len(piece) for piece in paragraphs(["x" * 45_000])] == [20_000, 20_000, 5_000]
