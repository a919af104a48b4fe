"""Reading kin facts: constructions one by one, written out by hand."""

from __future__ import annotations

import pytest

from proband.suites.kinship.reading.grammar import read_facts
from proband.suites.kinship.reading.sentence import sentences

GENDERS = {"Ann": "female", "Bea": "female", "Cleo": "female", "Hal": "male", "Ivo": "male", "Jim": "male"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann's brother Hal left.", {("Ann", "brother", "Hal")}),
        ("Ann's brother, Hal, left.", {("Ann", "brother", "Hal")}),
        ("Hal, Ann's older brother, left.", {("Ann", "brother", "Hal")}),
        ("Hal, who is Ann's brother, left.", {("Ann", "brother", "Hal")}),
        ("Hal is the brother of Ann.", {("Ann", "brother", "Hal")}),
        ("Ann has a brother named Hal.", {("Ann", "brother", "Hal")}),
        ("Ann has two sons, Hal and Ivo.", {("Ann", "son", "Hal"), ("Ann", "son", "Ivo")}),
        ("Ann took her son Hal and daughter Bea along.", {("Ann", "son", "Hal"), ("Ann", "daughter", "Bea")}),
        ("Hal is Ann's father and Bea's brother.", {("Ann", "father", "Hal"), ("Bea", "brother", "Hal")}),
        ("Ann rang Hal, whose wife Bea was out.", {("Hal", "wife", "Bea")}),
        ("Ann rang her uncle Hal, who was with his wife Bea.", {("Ann", "uncle", "Hal"), ("Hal", "wife", "Bea")}),
        ("Hal rang. His wife Bea wept.", {("Hal", "wife", "Bea")}),
        ("Ann's mother in law Bea left.", {("Ann", "mother-in-law", "Bea")}),
        ("Ann and Hal got married.", {("Ann", "husband", "Hal")}),
        ("Ann has been married to Hal for years.", {("Ann", "husband", "Hal")}),
        ("Ann and Hal are sister and brother.", {("Ann", "brother", "Hal")}),
        ("Hal became a father the day Ann was born.", {("Ann", "father", "Hal")}),
        ('"Have you met Hal?" asked Ann. "This is my uncle."', {("Ann", "uncle", "Hal")}),
        ("Ann's grandpa is Hal.", {("Ann", "grandfather", "Hal")}),
        ("Ann rang, and Hal rang his wife Bea.", {("Hal", "wife", "Bea")}),
        ("Ann went to the park and met Hal.", set()),
    ],
)
def test_constructions(text: str, expected: set[tuple[str, str, str]]) -> None:
    reading = read_facts(text, GENDERS, strict=True)
    assert set(reading.facts) == expected
    assert reading.problems == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Hal rang her aunt Ann.", "'her' refers to Hal"),
        ("His aunt Ann rang.", "nobody for 'his'"),
        ("Ann's brother Bea left.", "Bea is female but called a brother"),
        ("Ann's cousin Hal left.", "none of the 22"),
        ("Ann's great-aunt Bea and her great uncle Hal left.", "none of the 22"),
        ("Ann's brother left with Hal.", "'brother' has no person"),
        ("The brother Hal left.", "'brother' has no owner"),
        ("Ann and Hal rang their aunt Bea.", "more than one fact"),
        ("Ann's sister Bea rang her aunt Cleo.", "may mean Bea or Ann"),
        ("Ann met Hal, Bea's brother, Ivo and others.", "may name Hal or Ivo"),
    ],
)
def test_problems(text: str, problem: str) -> None:
    assert any(problem in found for found in read_facts(text, GENDERS, strict=True).problems)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann and Hal visited their aunt Bea.", {("Ann", "aunt", "Bea"), ("Hal", "aunt", "Bea")}),
        ("Ann met Hal and his aunt Bea.", {("Hal", "aunt", "Bea")}),
        ("Ann adores her brother. His name is Hal.", {("Ann", "brother", "Hal")}),
        ("Ann went to the park Hal took his son Ivo home.", {("Hal", "son", "Ivo")}),
        ("Ann 'daughter Bea and Ann ''s son Hal", {("Ann", "daughter", "Bea"), ("Ann", "son", "Hal")}),
        ("Ann gave birth to a son named Hal.", {("Ann", "son", "Hal")}),
        ("[Ann] met Uncle [Hal].", {("Ann", "uncle", "Hal")}),
    ],
)
def test_free_reading(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert set(read_facts(text, GENDERS).facts) == expected


def test_any_name_is_a_name() -> None:
    found = sentences("@entity-1's aunt @entity-12 left.", ["@entity-1", "@entity-12"])
    assert [t.text for t in found[0] if t.name] == ["@entity-1", "@entity-12"]


def test_a_name_that_is_a_word() -> None:
    assert read_facts("Will's aunt May left.", {"Will": "male", "May": "female"}).facts == [("Will", "aunt", "May")]
