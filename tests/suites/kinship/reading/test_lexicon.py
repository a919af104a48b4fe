"""Kin words of the domain, and those that mean kin in a question only."""

from __future__ import annotations

from proband.suites.kinship.reading.lexicon import FAMILIAR, IN_REPLIES, KIN, PRONOUN, Kin
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRAL, RELATIONS


def test_every_relation_is_a_word_of_its_own_gender() -> None:
    for relation in RELATIONS:
        assert KIN[relation].neutral == NEUTRAL[relation]
        assert not KIN[relation].plural
    assert (KIN["mother"].gender, KIN["grandpa"].gender, KIN["child"].gender) == (FEMALE, MALE, None)


def test_a_plural_is_that_of_its_relation() -> None:
    assert KIN["sisters"] == Kin("sibling", FEMALE, plural=True)
    assert KIN["kids"] == Kin("child", None, plural=True)


def test_what_is_kin_in_a_question_only_is_no_kin_in_a_story() -> None:
    """*The boy* or *the bride* may be anybody."""
    for word, more in IN_REPLIES.items():
        assert word in FAMILIAR
        assert not set(more.split()) & KIN.keys()


def test_pronouns_have_a_gender() -> None:
    assert {PRONOUN[word] for word in ("he", "his", "himself")} == {MALE}
    assert {PRONOUN[word] for word in ("she", "her", "herself")} == {FEMALE}
