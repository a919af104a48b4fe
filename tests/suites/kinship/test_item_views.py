"""Items as family trees: the answer on the arc, noise in the background, no picture without a family."""

from __future__ import annotations

import re

from proband.core.types import Answer, Item
from proband.suites.kinship.item_views import draw_item
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.world.relations import RELATIONS


def item(**facts: object) -> Item:
    base = {
        "names": ["Ann", "Bo", "Cy", "Di"],
        "genders": ["female", "male", "male", "male"],
        "edges": [[0, "father", 1], [1, "brother", 2], [0, "brother", 3]],
        "noise": [[[0, "brother", 3], "irrelevant"]],
        "query": [0, 2],
        "target": "uncle",
    }
    return Item(id="i", suite="kinship", prompt="?", choices=RELATIONS, gold=12, facts=base | facts)


def test_items_with_and_without_an_answer() -> None:
    drawn = draw_item(item())
    assert drawn is not None
    assert ">uncle<" in drawn
    assert len(re.findall(r'fill-opacity=".55">Di<', drawn)) == 1  # Di, who is noise
    right = tuple(float(r == "uncle") for r in RELATIONS)
    wrong = tuple(float(r == "nephew") for r in RELATIONS)
    assert "uncle ✓" in (draw_item(item(), Answer(item_id="i", scores=right)) or "")
    assert "nephew ✗ (uncle)" in (draw_item(item(), Answer(item_id="i", scores=wrong)) or "")


def test_the_same_item_is_the_same_picture() -> None:
    first = draw_item(item())
    certify.possible(["male"] * 4, [(0, "uncle", 1), (1, "son", 2), (2, "uncle", 3)], (0, 3))
    assert draw_item(item()) == first


def test_no_picture_where_there_is_no_family() -> None:
    assert draw_item(item(edges=[[0, "father", 1], [1, "daughter", 0], [1, "mother", 0]])) is None
    assert draw_item(item(edges=[[0, "left-of", 1]])) is None
    assert draw_item(Item(id="i", suite="kinship", prompt="?")) is None
