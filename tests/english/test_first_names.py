"""Genders that nearly always go with a first name."""

from __future__ import annotations

import pytest

from proband.english.domain import FEMALE, MALE
from proband.english.first_names import gender_of_name, is_first_name


@pytest.mark.parametrize(
    ("name", "gender"),
    [("Tom", MALE), ("Sue", FEMALE), ("Tom Hill", MALE), ("Robin", None), ("Casey", None), ("tom", None), ("", None)],
)
def test_only_names_of_one_gender_have_one(name: str, gender: str | None) -> None:
    assert gender_of_name(name) == gender


def test_what_is_certain_is_known_anyhow() -> None:
    """A rarer name is no certain one, and no name is certain in another gender."""
    names = ("Tom", "Sue", "Mary", "John", "Aadam", "Aahana")
    certain = [gender_of_name(name, certain=True) for name in names]
    assert all(sure in (None, gender_of_name(name)) for name, sure in zip(names, certain))
    assert certain[:4] == [MALE, FEMALE, FEMALE, MALE]
    assert certain[4:] == [None, None]
    assert [gender_of_name(name) for name in names[4:]] == [MALE, FEMALE]


def test_a_name_of_both_is_a_name_and_a_word_is_none() -> None:
    assert is_first_name("Robin")
    assert is_first_name("Ferdinand")
    assert not is_first_name("Table")
