"""Variations of a fact: another wording, and the reverse, which asks for its subject."""

from __future__ import annotations

import json
import random
from pathlib import Path

from msgspec.structs import replace

from proband.core.files import read_items
from proband.core.types import Item
from proband.pipeline.build import build as build_folder
from proband.pipeline.checking import variation_problem
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


def test_what_is_not_a_fact_of_its_source_is_refused(tmp_path: Path) -> None:
    build_folder("facts", out=tmp_path / "items", relations="capital")
    vary(tmp_path / "items", out=tmp_path / "varied", as_="wording,reverse")
    items = list(read_items(tmp_path / "varied" / "items.jsonl"))
    known = {variation.name: variation for variation in VARIATIONS}
    sources = {item.id: item for item in items}
    varied = [item for item in items if item.tags["variation"] in known]
    for item in varied[:4]:
        source, check = sources[item.facts["source"]], known[str(item.tags["variation"])].check
        assert check(source, item) is None
        other, facts = (item.gold or 0) - 1, item.facts
        tampered = [
            replace(item, gold=other % len(item.choices)),
            replace(item, gold=None),
            replace(item, prompt="What is ___?"),
            replace(item, facts={**facts, "prompts": ["Its capital is ___."]}),
            replace(item, facts={**facts, "subject": "Narnia"}),
            replace(item, facts={**facts, "wordings": ["[X] is near [Y]."], "prompts": ["Italy is near ___."]}),
        ]
        for each in tampered:
            problem = variation_problem(each, source, known, suite="facts")
            assert problem, each


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
