"""Readings by a language model: what they become, and why one that does not fit its text is not used."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proband.english.domain import Word, load
from proband.english.model_reader import read_reply
from proband.english.reading import AskedRelation, Reading

TEXT = "Ann has a son, Bo. Bo's wife is Cleo."


def read(
    facts: Sequence[Mapping[str, Any]],
    asked: Mapping[str, str] | None = None,
    *,
    text: str = TEXT,
    question: str = "What is Ann to Cleo?",
    domain: str = "kinship",
) -> Reading:
    reply = json.dumps({"facts": facts, "asked": asked, "unclear": ""})
    return read_reply(reply, domain=load(domain), text=text, question=question)


def triples(reading: Reading) -> list[tuple[str, str, str, bool]]:
    assert reading.unread is None, reading.unread
    return [(fact.who, fact.relation, fact.of, fact.negated) for fact in reading.facts]


def test_facts_genders_and_the_question() -> None:
    facts = [{"who": "Bo", "is": "son", "of": "Ann"}, {"who": "Cleo", "is": "wife", "of": "Bo"}]
    reading = read([*facts, {"who": "Ann", "is": "woman"}], {"who": "Ann", "of": "Cleo"})
    assert triples(reading) == [("Bo", "child", "Ann", False), ("Cleo", "spouse", "Bo", False)]
    assert reading.genders == {"Ann": "female"}
    assert reading.question == AskedRelation("Ann", "Cleo", None)


def test_a_question_for_yes_or_no_has_the_relation_that_it_names() -> None:
    son = [{"who": "Bo", "is": "son", "of": "Ann"}]
    reading = read(son, {"who": "Ann", "of": "Cleo"}, question="Is Ann the aunt of Cleo?")
    assert reading.question == AskedRelation("Ann", "Cleo", Word("pibling", "female"))
    both = read(son, {"who": "Ann", "of": "Cleo"}, question="Is Ann the aunt of Cleo and the sister of Bo?")
    assert both.unread is not None
    assert "unclear which relation" in both.unread.reason


def test_measurements_of_one_unit_are_compared_and_of_equal_ones_neither_is_more() -> None:
    heights = [{"who": who, "is": "tall", "amount": cm, "unit": "cm"} for who, cm in (("Ann", 170), ("Bo", 181.5))]
    inches = [
        {"who": "Cy", "is": "tall", "amount": 70, "unit": "in"},
        {"who": "Di", "is": "tall", "amount": 70, "unit": "in"},
    ]
    text, asked = "Ann is 170 cm, Bo 181.5 cm, Cy and Di 70 inches tall.", {"who": "Bo", "of": "Ann"}
    reading = read([*heights, *inches], asked, text=text, question="What is Bo to Ann?", domain="sizes")
    equal = [("Cy", "taller", "Di", True), ("Di", "taller", "Cy", True)]
    assert triples(reading) == [("Bo", "taller", "Ann", False), *equal]


def test_as_tall_as_is_neither_taller_nor_shorter() -> None:
    same = [{"who": "Ann", "is": "as tall as", "of": "Bo"}]
    reading = read(
        same, {"who": "Ann", "of": "Bo"}, text="Ann is as tall as Bo.", question="Ann to Bo?", domain="sizes"
    )
    assert triples(reading) == [("Ann", "taller", "Bo", True), ("Ann", "shorter", "Bo", True)]


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ({"who": "Cleo", "is": "wife", "of": "Dan"}, "names 'Dan', who is not in the text"),
        ({"who": "Bo", "is": "butler", "of": "Ann"}, "'butler', which is not a relation of kinship"),
        ({"who": "Ann", "is": "mother", "of": "Ann"}, "relates Ann to itself"),
        ({"who": "Bo", "is": "woman"}, "makes Bo a man and a woman"),
        ({"who": "Bo", "is": "son"}, "without a second person"),
        ({"is": "son", "of": "Ann"}, "has no 'who' or no 'is'"),
    ],
)
def test_one_fact_that_does_not_fit_makes_the_reading_unread(fact: Mapping[str, str], reason: str) -> None:
    reading = read([{"who": "Bo", "is": "son", "of": "Ann"}, fact], {"who": "Ann", "of": "Cleo"})
    assert reading.unread is not None
    assert reason in reading.unread.reason


def test_a_denied_or_odd_measure_is_unread_and_equal_measures_are_equal() -> None:
    def read(facts: str, question: str = "Is Ann older than Bo?") -> Reading:
        reply = f'{{"facts": [{facts}], "asked": {{"who": "Ann", "is": "older", "of": "Bo"}}, "unclear": ""}}'
        return read_reply(reply, domain=load("sizes"), text="Ann and Bo.", question=question)

    def measured(ann: str, bo: str = "30") -> Reading:
        return read(f'{{"who": "Ann", "is": "old", "amount": {ann}}}, {{"who": "Bo", "is": "old", "amount": {bo}}}')

    assert [(fact.relation, fact.negated) for fact in measured("30").facts] == [("older", True)] * 2
    assert measured("9" * 400).facts[0].relation == "older"
    assert all(measured(odd).unread for odd in ("NaN", "true", "9" * 5000, '30, "not": true'))
    assert read('{"who": "Ann", "is": "older", "of": "Bo", "not": "false"}').unread
    assert read('{"who": "Ann", "is": "older", "of": "Bo"}', "Is Ann not older than Bo?").unread
