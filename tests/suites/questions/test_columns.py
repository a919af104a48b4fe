"""The roles of columns, guessed from their names."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.suites.questions.columns import guess


@pytest.mark.parametrize(
    ("names", "choices"),
    [
        (["question", "option_b", "option_a", "gold"], ("option_a", "option_b")),  # in the order of their letters
        (["question", *(f"choice {n}" for n in range(10, 0, -1)), "gold"], tuple(f"choice {n}" for n in range(1, 11))),
        (["question", "A", "B", "choice 1", "choice 2", "choice 3", "gold"], ("choice 1", "choice 2", "choice 3")),
        (["goal", "sol1", "sol2", "label"], ("sol1", "sol2")),
    ],
)
def test_one_column_for_each_choice(names: list[str], choices: tuple[str, ...]) -> None:
    assert guess(names, {}).choices == choices


@pytest.mark.parametrize("names", [["question", "A", "C", "answer"], ["question", "ending3", "ending4", "answer"]])
def test_columns_with_a_gap_are_no_choices(names: list[str]) -> None:
    found = guess(names, {})
    assert found.choices == ()
    assert found.answers == ("answer",)


def test_a_longer_name_that_has_the_word_is_the_question() -> None:
    found = guess(["Question (English)", "Choice A", "Choice B", "The correct answer"], {})
    assert (found.prompt, found.choices, found.gold) == (
        "Question (English)",
        ("Choice A", "Choice B"),
        "The correct answer",
    )


def test_columns_that_the_user_names_are_taken_from_the_rest() -> None:
    found = guess(["question", "A", "B", "answer", "topic"], {"choices": "none", "answers": "answer", "tags": "A,B"})
    assert (found.choices, found.answers, found.tags, found.unused) == ((), ("answer",), ("A", "B"), ("topic",))
    with pytest.raises(ProbandError, match="--gold right: no column 'right'; there are question, A"):
        guess(["question", "A"], {"gold": "right"})
