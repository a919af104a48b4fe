"""Answers to questions for yes, no, a thing, an option or a place in an order."""

from __future__ import annotations

import pytest
from tests.proof.conftest import judged


@pytest.mark.parametrize(
    ("domain", "text", "question", "right", "wrong"),
    [
        (
            "grid",
            "To the left of the lamp is a chair. A vase stands left of the chair.",
            "Where is the vase relative to the lamp?",
            "to the left",
            "right",
        ),
        (
            "grid",
            "The stove is left of the sink and the fridge is left of the stove.",
            "Is the fridge left of the sink?",
            "yes",
            "No",
        ),
        (
            "grid",
            "The mug is left of the pen, which is left of the cup.",
            "What is left of the pen?",
            "the mug",
            "the cup",
        ),
        (
            "grid",
            "The attic is above the hall. The hall is above the cellar.",
            "Which room is directly below the attic?",
            "hall",
            "the cellar",
        ),
        (
            "grid",
            "The bank is east of the church.",
            "The church is (A) east (B) west (C) north of the bank.",
            "B",
            "(A)",
        ),
        (
            "temporal",
            "Lunch came before the meeting. The meeting came before the call.",
            "What happened first?",
            "lunch",
            "the call",
        ),
        (
            "sizes",
            "Omar is taller than Pia but shorter than Quinn. Rosa is taller than Quinn.",
            "Who is the second tallest?",
            "Quinn",
            "Omar",
        ),
        ("sizes", "The red box is bigger than the blue box.", "Is the blue box smaller than the red box?", "Yes", "no"),
        ("sizes", "Ana is taller than Bo. Ana is taller than Cy.", "Who is taller, Bo or Cy?", "cannot be told", ""),
        ("allen", "Lunch meets Tea. Tea is during Dinner.", "Is Lunch after Tea?", "no", "yes"),
    ],
)
def test_questions_of_every_kind(domain: str, text: str, question: str, right: str, wrong: str) -> None:
    assert judged(domain, text, question, right).verdict == "entailed"
    if wrong:
        assert judged(domain, text, question, wrong).verdict == "false"


def test_what_is_furthest_left_may_be_higher_up_too() -> None:
    text = "The lamp is to the upper left of the box. The box is to the upper left of the rug."
    for question in ("Which is furthest left?", "What is at the very top?"):
        assert judged("grid", text, question, "the lamp").verdict == "entailed"
        assert judged("grid", text, question, "the rug").verdict == "false"
    corner = judged(
        "grid", "The lamp is left of the box. The box is above the rug.", "What is at the bottom?", "the rug"
    )
    assert {world: verdict for world, (verdict, _) in corner.by_world.items()} == {
        "unit": "entailed",
        "any-distance": "entailed",
        "half-plane": "ambiguous",
    }
