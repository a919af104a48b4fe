"""Words that rules may use are shown to them, and no list contradicts another."""

from __future__ import annotations

from itertools import combinations

import pytest

from proband.english.extraction import word_lists
from proband.english.extraction.word_lists import CALLING, ELECTING, NAMING, OFFICES, PERSUADING, SHOWN, TIMES

LISTS = {name: words for name, words in vars(word_lists).items() if isinstance(words, frozenset)}


@pytest.mark.parametrize("name", LISTS)
def test_every_word_of_a_list_is_shown_to_the_rules(name: str) -> None:
    """A token hides every other word, so that a rule for it would never apply."""
    assert LISTS[name] <= SHOWN
    assert all(word == word.lower() and word.strip() for word in LISTS[name])


def test_plain_nouns_and_verbs_are_hidden() -> None:
    assert not SHOWN & {"dog", "aspirin", "cure", "cures", "invaded", "italy", "house"}


def test_a_verb_has_one_second_name() -> None:
    """*Elected Smith president* and *called the play a failure* are different constructions."""
    for one, other in combinations((ELECTING, CALLING, PERSUADING, OFFICES, TIMES), 2):
        assert not one & other
    assert NAMING <= ELECTING | CALLING
