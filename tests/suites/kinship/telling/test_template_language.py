"""The template language: slots by hand, and what it refuses."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.suites.kinship.telling import template_language
from proband.suites.kinship.telling.template_language import genders_told

PEOPLE = ("Ann", "Ben", "Cy")


def fill(text: str, relations: tuple[str, ...], genders: tuple[str, ...]) -> str:
    return template_language.fill(text, relations, genders, PEOPLE[: len(genders)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{0} has {a 1 of 0}, {1}.", "Ann has an uncle, Ben."),
        ("{A 0 of 1} is {0}.", "A niece is Ann."),
        ("{1} saw {1 himself}; {1 He} and {0 his} hat.", "Ben saw himself; He and her hat."),
        ("The {1 boy/girl} {1} lost 100% of {0}.", "The boy Ben lost 100% of Ann."),
        ("{2}, {1}'s {2 dear 1}", "Cy, Ben's dad"),
        ("{1 of 2} {1}", "son Ben"),
    ],
)
def test_slots(text: str, expected: str) -> None:
    assert fill(text, ("pibling", "parent"), ("female", "male", "male")) == expected


@pytest.mark.parametrize(
    ("genders", "expected"),
    [
        (("male", "female", "male"), "sons Ann and Cy"),
        (("female", "male", "female"), "daughters Ann and Cy"),
        (("female", "male", "male"), "children Ann and Cy"),
    ],
)
def test_plurals(genders: tuple[str, ...], expected: str) -> None:
    assert fill("{0+2 of 1} {0} and {2}", ("parent", "child"), genders) == expected


def test_siblings_together() -> None:
    assert fill("{0}, {1}: {0+1 sib}", ("sibling",), ("female", "male")) == "Ann, Ben: sister and brother"
    assert fill("{0}, {1}: {0+1 sib}", ("sibling",), ("male", "male")) == "Ann, Ben: brothers"


@pytest.mark.parametrize("text", ["{0 of 2} {0}", "{0} {0 hers}", "{3}", "{0+2 of 1} {0}", "{x}", "no slot"])
def test_refuses(text: str) -> None:
    with pytest.raises(ProbandError):
        fill(text, ("pibling", "sibling"), ("male", "male", "male"))


def test_genders_told() -> None:
    told = genders_told("{0} and {2} met {1}, {0 his} {1 of 0}.", ("pibling", "sibling"), ("male", "male", "male"))
    assert told == {0, 1}
    assert genders_told("{0+2 of 1} {0} {2} {1}", ("parent", "child"), ("male", "male", "female")) == frozenset()
    assert genders_told("{0+2 of 1} {0} {2} {1}", ("parent", "child"), ("male", "male", "male")) == {0, 2}
