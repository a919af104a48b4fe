"""Things that common nouns name: what may not be one thing is unread."""

from __future__ import annotations

import pytest
from tests.english.conftest import GRID


@pytest.mark.parametrize(
    "story",
    [
        "A tree is left of the house. A tree is above the pond.",
        "The house is right of the tree. A tree is above the pond.",
        "Something is left of the house. Something is above the pond.",
        "Every box is left of the house. The box is above the pond.",
    ],
)
def test_an_indefinite_thing_is_not_one_constant(story: str) -> None:
    reading = GRID(story, "Where is the house relative to the pond?", {})
    assert reading.unread, reading.facts


def test_what_is_left_out_is_not_guessed() -> None:
    question = "Where is Cy's box relative to Ann's box?"
    assert GRID("Ann's box is left of Bo's. Bo's box is left of Cy's.", question, {}).unread
    assert GRID("The red box is left of the black one. The black box is left of the jar.", question, {}).unread


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "The pot has the bowl on its left and the jug on its right.",
            [("bowl", "left", "pot"), ("jug", "right", "pot")],
        ),
        ("Ten steps north of the palm is a rock.", [("rock", "above", "palm")]),
        ("Over the bridge runs a cable.", [("cable", "above", "bridge")]),
        ("Hung on the wall, left to right, are a map and a mask.", [("map", "left", "mask")]),
    ],
)
def test_places_of_common_things(sentence: str, said: list[tuple[str, str, str]]) -> None:
    reading = GRID.read(sentence, set())
    assert [(fact.who, fact.relation, fact.of) for fact in reading.facts] == said
