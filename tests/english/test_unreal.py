"""Words that prevent a plain statement."""

from __future__ import annotations

import pytest

from proband.english import unreal
from proband.english.unreal import CHANGE, DENYING, FAMILY, FICTION, LIKENESS, UNASSERTED, UNREAL, listed


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann is not the mother of Bo.",
        "If Ann is the mother of Bo, he is lucky.",
        "Ann may be the mother of Bo.",
        "They say Ann is the mother of Bo.",
        "Ann plays the role of the mother of Bo, a part she likes.",
        "Ann is like a mother to Bo.",
        "Ann is the former wife of Bo.",
        "Ann is the adoptive mother of Bo.",
        "Ann is the stepmother of Bo.",
        "Ann is allegedly the mother of Bo.",
    ],
)
def test_a_sentence_that_does_not_state_its_relation_has_such_a_word(sentence: str) -> None:
    assert UNREAL & set(sentence.lower().strip(".").replace(",", "").split())


@pytest.mark.parametrize("sentence", ["Ann is the mother of Bo.", "Bo wrote Ann, his sister, a letter, but she left."])
def test_a_plain_sentence_has_none(sentence: str) -> None:
    assert not UNREAL & set(sentence.lower().strip(".").replace(",", "").split())


def test_the_lists_fit_together() -> None:
    assert DENYING <= UNREAL, "what always retracts a statement prevents it"
    assert FICTION | LIKENESS | CHANGE <= UNREAL
    assert not FAMILY & UNREAL, "a word has one reason"
    assert not {"mother", "father", "sister", "brother", "is", "of"} & (UNREAL | UNASSERTED | FAMILY)
    lists = [each for each in vars(unreal).values() if isinstance(each, frozenset)]
    assert all(word == word.lower() for each in lists for word in each)
    assert listed(" a\n b a ") == {"a", "b"}
