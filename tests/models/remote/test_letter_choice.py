"""Reading letters out of what models write."""

from __future__ import annotations

import pytest

from proband.core.protocols import Question
from proband.models.remote.letter_choice import choice_meant, prompt_of, rotations


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("C", 2),
        (" c ", 2),
        ("(C)", 2),
        ("**C**", 2),
        ("C.", 2),
        ("C) blue", 2),
        ("C. blue", 2),
        ("Answer: C", 2),
        ("The answer is C", 2),
        ("The correct answer is **C. blue**.", 2),
        ("The right choice is option C, not B", 2),
        ("Option B is wrong. The answer is C.", 2),
        ("The answer is B. No, wait: the answer is C.", 2),
        ("<think>It is A, or B.</think>\n\nC", 2),
        (r"\boxed{C}", 2),
        ("I choose C", 2),
        ("A sunny sky, so C", 2),
        ("blue", 2),
        ("Blue.", 2),
        ("A", 0),
        ("The answer is a", None),
        ("A or C", None),
        ("B, C", None),
        ("E", None),
        ("", None),
        ("a good question", None),
        ("I do not know", None),
        ("red or blue", None),
        ("<think>C", None),
    ],
)
def test_reading_a_letter(reply: str, place: int | None) -> None:
    asked = Question("?", ("red", "green", "blue", "white"))
    assert choice_meant(reply, asked, 0) == place
    if place is not None and len(reply.strip()) == 1:
        assert choice_meant(reply, asked, 3) == (place + 3) % 4


def test_the_prompt_shows_every_choice_once() -> None:
    asked = Question("Which?", tuple(f"choice {i}" for i in range(22)))
    for shift in range(22):
        lines = prompt_of(asked, shift).splitlines()
        assert sorted(line[3:] for line in lines if line[1:3] == ". ") == sorted(asked.choices)
        assert lines[0] == "Which?"


@pytest.mark.parametrize("choices", range(1, 27))
def test_rotations_are_distinct_and_begin_with_the_order_given(choices: int) -> None:
    for wanted in range(1, 30):
        shifts = rotations(choices, wanted)
        assert shifts[0] == 0
        assert len(set(shifts)) == len(shifts) == min(wanted, choices)
        assert max(shifts) < choices


def test_every_letter_leads_back_to_its_choice() -> None:
    asked = Question("Which?", tuple(f"choice {i}" for i in range(22)))
    for shift in range(22):
        for line in prompt_of(asked, shift).splitlines():
            if line[1:3] == ". ":
                place = choice_meant(line[0], asked, shift)
                assert place is not None
                assert asked.choices[place] == line[3:]
