"""Questions with other names for their things; readers that say why they did not read."""

from __future__ import annotations

import pytest

from proband.english.domain import Word
from proband.english.reading import AskedRelation, Reading, Unread, with_reasons
from proband.english.tokens import NotRead


def test_a_question_is_renamed_with_the_things_that_may_be_the_answer() -> None:
    tallest = AskedRelation("", "Bo", Word("taller"), rank=2, among=("Ann", "Cy"))
    renamed = tallest.renamed({"Ann": "@0", "Bo": "@1", "Cy": "@2"})
    assert renamed == AskedRelation("", "@1", Word("taller"), rank=2, among=("@0", "@2"))
    assert AskedRelation("Ann", "Bo").renamed({"Ann": "@0"}).pair == ("@0", "Bo")


def test_a_reader_that_gives_up_says_why_and_where_and_other_errors_are_errors() -> None:
    @with_reasons
    def read(text: str, *, known: bool = False) -> Reading:
        """Reads."""
        if known:
            raise NotRead("it denies", "Ann is no aunt.")
        return Reading(shapes=(text[0],))

    assert read("abc").shapes == ("a",)
    assert read("abc", known=True).unread == Unread("it denies", "Ann is no aunt.")
    assert read.__doc__ == "Reads."
    with pytest.raises(IndexError):
        read("")
