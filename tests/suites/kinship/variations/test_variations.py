"""The list of variations: what each one promises, and that hold-outs survive all of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.kinship.variations import RENDERED, SAME, VARIATIONS, compared

HELD: dict[str, Any] = {"k": 2, "per_k": 22, "test_per_k": 22, "certify": "none", "seed": 3}


def of_split(folder: Path) -> dict[str, list[Item]]:
    items = list(read_items(folder))
    return {split: [item for item in items if item.split == split] for split in ("train", "test")}


def material(item: Item) -> set[str]:
    """The occasions and the names of a story."""
    return {scene[0] for scene in item.facts["telling"]["scenes"]} | set(item.facts["names"])


@pytest.mark.parametrize("name", ["reword", "twin", "rename", "noise"])
def test_variations_keep_what_is_held_out(name: str, tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, hold_out="paraphrases,names", **HELD)
    variation = next(each for each in VARIATIONS if each.name == name)
    parts = of_split(tmp_path)
    known = {split: set[str]().union(*map(material, items)) for split, items in parts.items()}
    assert not known["train"] & known["test"]
    made = 0
    for split, other in (("train", "test"), ("test", "train")):
        for item in parts[split][:8]:
            varied = variation.make(item, rng=random.Random(item.id), folder=tmp_path)
            if not isinstance(varied, str):
                made += 1
                assert not material(varied) & known[other], (split, name)
    assert made > 8


def test_a_variation_is_compared_with_its_source(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k=2, per_k=2, certify="none")
    item, other = list(read_items(tmp_path))[:2]
    same = compared(item, item)
    assert all(same[what] for what in (*RENDERED, "its source's text", "its source's words"))
    assert not any(same[what] for what in ("another answer", "other people", "one other fact", "plain sentences"))
    assert not all(compared(item, other)[what] for what in SAME)


def test_an_item_that_cannot_be_varied_says_why(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, rules="grid", k=2, per_k=8)
    item = next(iter(read_items(tmp_path)))
    for variation in VARIATIONS:
        reason = variation.make(item, rng=random.Random(0), folder=tmp_path)
        assert reason == "its world is not one of families whose rules are proved"
