"""Questions in their forms, and answers as people write them."""

from __future__ import annotations

import pytest

from proband.english.domain import Word
from proband.suites.kinship.reading.questions import KinQuestion, read_answer, read_question
from proband.suites.kinship.reading.tokens import NotUnderstood

PEOPLE = {"Tom", "Ann", "Li Na"}


@pytest.mark.parametrize(
    "text",
    [
        "Which of them is taller, Tom or Ann?",
        "Is Tom like an uncle to Ann?",
        "Who told Ann that Tom is her uncle?",
        "What did Tom give to Ann?",
        "How is Tom?",
        "How is Tom related to Tom?",
        "Why is Tom Ann's uncle?",
        "Tom \N{CYRILLIC SMALL LETTER I}s related to Ann how?",
    ],
)
def test_what_is_no_question_of_kin(text: str) -> None:
    with pytest.raises(NotUnderstood):
        read_question(text, PEOPLE)


@pytest.mark.parametrize(
    "text",
    """
    How is Tom related to Ann?
    What is Tom to Ann?
    Who is Tom to Ann?
    What relation is Tom to Ann?
    Tell me how Tom is related to Ann.
    Name the relationship of Tom to Ann.
    Tom's relationship to Ann is?
    Tom is Ann's ___.
    Tom is the ___ of Ann.
    Ann's ___ is Tom.
    Ann has Tom as a ___.
    What does Ann call Tom?
    Which word says what Tom is to Ann?
    Who is Tom from the point of view of Ann?
    What is Tom's family relationship to Ann?
    What is Tom to Ann? (A) aunt (B) uncle (C) niece
    Pick one. Tom is Ann's: a) nephew b) uncle
    """.strip().splitlines(),
)
def test_forms_that_ask_for_a_word(text: str) -> None:
    asked = read_question(text.strip(), PEOPLE)
    assert (asked.who, asked.of, asked.word, asked.either_way) == ("Tom", "Ann", None, False)


@pytest.mark.parametrize(
    "text",
    """
    Is Tom the uncle of Ann?
    Is Tom Ann's uncle?
    Is it right that Tom is the uncle of Ann?
    True or false: Tom is Ann's uncle.
    Does Ann have an uncle called Tom?
    Yes or no: is Tom the uncle of Ann?
    """.strip().splitlines(),
)
def test_forms_that_ask_for_yes_or_no(text: str) -> None:
    asked = read_question(text.strip().replace("an uncle called", "a uncle called"), PEOPLE)
    assert (asked.who, asked.of, asked.word) == ("Tom", "Ann", Word("pibling", "male"))


@pytest.mark.parametrize(
    "text", ["Who is Ann's uncle?", "Who is the uncle of Ann?", "Name Ann's uncle.", "Ann's uncle is ___."]
)
def test_forms_that_ask_for_a_person(text: str) -> None:
    asked = read_question(text, PEOPLE)
    assert (asked.who, asked.of, asked.word) == ("", "Ann", Word("pibling", "male"))


def test_a_form_without_a_direction_needs_an_answer_with_one() -> None:
    asked = read_question("In what way are Tom and Ann related?", PEOPLE)
    assert asked.either_way
    assert read_answer("Ann is Tom's niece.", asked, PEOPLE).pair == ("Ann", "Tom")
    with pytest.raises(NotUnderstood):
        read_answer("uncle", asked, PEOPLE)


ASKED = KinQuestion(who="Tom", of="Ann", options={"a": "aunt", "b": "uncle"})


@pytest.mark.parametrize(
    "text",
    ["uncle", "Uncle.", "her uncle", "the uncle", "He is her uncle.", "Tom is Ann's uncle.", "(B)", "b", "B) uncle"],
)
def test_answers_that_say_a_word(text: str) -> None:
    assert read_answer(text, ASKED, PEOPLE).word == Word("pibling", "male")


@pytest.mark.parametrize(
    "text",
    ["D", "B) aunt", "stepson", "godfather", "uncles", "uncle or father", "Li Na's uncle", "not her uncle", "Tom"],
)
def test_what_is_no_answer(text: str) -> None:
    with pytest.raises(NotUnderstood):
        read_answer(text, ASKED, PEOPLE)


def test_none_yes_no_and_names() -> None:
    assert read_answer("none", ASKED, PEOPLE).open
    assert read_answer("It cannot be told.", ASKED, PEOPLE).open
    whether = KinQuestion(who="Tom", of="Ann", word=Word("pibling", "male"))
    assert [read_answer(each, whether, PEOPLE).truth for each in ("Yes, he is.", "no", "False", "Right")] == [
        *(True, False, False, True),
    ]
    who = KinQuestion(who="", of="Ann", word=Word("pibling", "male"))
    assert read_answer("It is Li Na.", who, PEOPLE).person == "Li Na"
    with pytest.raises(NotUnderstood):
        read_answer("uncle", who, PEOPLE)
