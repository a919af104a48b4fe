"""Arguments are whole phrases."""

from __future__ import annotations

from tests.english.extraction.conftest import found


def test_arguments_are_whole_phrases() -> None:
    text = (
        "the/DET/det/3 old/ADJ/amod/3 University/PROPN/nsubj/6 of/ADP/case/5 Oxford/PROPN/nmod/3 owns/VERB/ROOT/0"
        " John/PROPN/nmod:poss/9 's/PART/case/7 house/NOUN/obj/6"
    )
    assert found(text) == ["the old University of Oxford | owns | John's house"]
