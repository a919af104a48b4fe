"""Brothers, friends and colleagues against people who are counted one by one."""

from __future__ import annotations

import pytest

from proband_puzzles.circles import OPEN, answer, check, read, solve

SIBLINGS = "Ann has {s} sisters and she also has {b} brothers. How many sisters does {who}'s brother have?"
COLLEAGUES = (
    "Ann has {m} male colleagues and she also has {f} female colleagues. These are all colleagues that Ann has. All "
    "these mentioned persons around Ann are colleagues of each other. Bo has {n} male colleagues and {g} female "
    "colleagues in total. All these mentioned persons around Bo are colleagues of each other. The people in the circle "
    "around Bo do not have other colleagues aside - with the only exception of Matilda. She is colleague of Bo and she "
    "is also colleague of Ann, being part of Ann's circle. How many female colleagues does Matilda have?"
)


@pytest.mark.parametrize(("sisters", "brothers"), [(1, 1), (3, 2), (6, 4)])
def test_a_brother_has_her_sisters_and_herself(sisters: int, brothers: int) -> None:
    parsed = read(SIBLINGS.format(s=sisters, b=brothers, who="Ann"))
    assert parsed
    assert solve(parsed, "").possible == (str(sisters + 1),)
    assert check(parsed, "") == {str(sisters + 1)}


def test_nothing_is_told_of_the_family_of_somebody_else() -> None:
    parsed = read(SIBLINGS.format(s=3, b=1, who="Bo"))
    assert parsed
    assert solve(parsed, "").possible == ("4", OPEN)
    assert check(parsed, "") == {"4", OPEN}


@pytest.mark.parametrize(("m", "f", "n", "g"), [(1, 1, 1, 1), (2, 3, 4, 4), (6, 5, 1, 2)])
def test_a_colleague_of_two_circles_has_the_women_of_both(m: int, f: int, n: int, g: int) -> None:
    parsed = read(COLLEAGUES.format(m=m, f=f, n=n, g=g))
    assert parsed
    assert solve(parsed, "").possible == (str(f + g - 1),)
    assert check(parsed, "") == {str(f + g - 1)}


def test_a_changed_text_is_not_read() -> None:
    assert read(SIBLINGS.format(s=3, b=2, who="Ann").replace("she also has", "she has not")) is None
    assert read(COLLEAGUES.format(m=1, f=2, n=3, g=4).replace("with the only exception of", "and so does")) is None


def test_a_number_is_an_answer_and_two_are_none() -> None:
    parsed = read(SIBLINGS.format(s=3, b=2, who="Ann"))
    assert parsed
    assert [answer(text, parsed) for text in ("4", " 4.", "4 sisters", "4 or 5", "four", "")] == ["4"] * 3 + [None] * 3
    assert [answer(text, parsed) for text in ("-4", "no 4", "<4", "~4", "**4**")] == [None] * 4 + ["4"]
