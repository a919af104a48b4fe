"""Variations of a fact: another wording, and the reverse, which asks for its subject."""

from __future__ import annotations

import json
import random
from pathlib import Path

from proband.core.files import read_items
from proband.core.types import Item
from proband.pipeline.build import build as build_folder
from proband.pipeline.vary import vary
from proband.suites import suite
from proband.suites.facts.variations import VARIATIONS


def test_variations_ask_for_the_same_fact_and_the_reverse_for_its_subject(tmp_path: Path) -> None:
    build_folder("facts", out=tmp_path / "items", relations="capital,currency")
    items = list(read_items(tmp_path / "items" / "items.jsonl"))
    make = {variation.name: variation.make for variation in VARIATIONS}
    rng = random.Random(0)
    reworded = make["wording"](items[0], rng=rng, folder=tmp_path / "items")
    assert isinstance(reworded, Item)
    assert reworded.prompt in items[0].facts["prompts"][1:]
    assert reworded.gold == items[0].gold
    turned = make["reverse"](items[0], rng=rng, folder=tmp_path / "items")
    assert isinstance(turned, Item)
    assert turned.prompt == "The capital of ___ is Lisbon."
    assert turned.choices[turned.gold or 0] == "Portugal"
    assert suite("facts").check(turned) is None
    euro = next(item for item in items if item.facts["object"] == "euro")
    assert make["reverse"](euro, rng=rng, folder=tmp_path / "items") == "several subjects have its object"


def test_a_subject_of_which_the_object_is_right_too_is_no_wrong_answer_of_the_reverse(tmp_path: Path) -> None:
    file = tmp_path / "opposite.jsonl"
    rows = [("big", "small", ["little"]), ("large", "little", []), ("hot", "cold", [])]
    file.write_text(
        "\n".join(json.dumps({"subject": x, "object": y, "objects": z}) for x, y, z in rows), encoding="utf-8"
    )
    build_folder("facts", out=tmp_path / "items", data=str(file))
    vary(tmp_path / "items", out=tmp_path / "varied", as_="reverse")
    turned = {
        item.facts["subject"]: item for item in read_items(tmp_path / "varied" / "items.jsonl") if "reverse" in item.id
    }
    assert turned["little"].choices == ("large", "hot")  # the opposite of big is little too
    assert turned["small"].choices == ("big", "large", "hot")
