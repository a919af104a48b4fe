"""Steps for a child: words of one's own, for each caption."""

from __future__ import annotations

import pytest

from proband_annotate.human_task import Invalid
from proband_annotate.kinds.simplify import answer, repeated

CAPTION = {"caption": "Drain the pasta."}


def test_the_caption_copied_is_refused() -> None:
    with pytest.raises(Invalid):
        answer(CAPTION, {"s0": "Drain the pasta", "s1": "the pasta"})
    assert answer(CAPTION, {"s0": "Hold the pot over a sieve."}) == {"steps": ["Hold the pot over a sieve."]}


def test_the_same_sentences_for_every_caption_are_refused() -> None:
    before = [({"caption": "Peel a banana."}, {"steps": ["Take a bowl.", "Wash your hands.", "Pull the skin."]})]
    assert repeated(CAPTION, {"steps": ["take a bowl", "Wash your hands!"]}, before) == "s0"
    assert repeated(CAPTION, {"steps": ["Take a bowl.", "Put a sieve on it.", "Pour."]}, before) == ""
