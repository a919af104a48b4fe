"""Lines are what the house writes, whatever the words hold."""

from __future__ import annotations

import json

from proband.core.files import dumps, parse
from proband.core.types import Item
from proband.suites.kinship.generate import write
from proband.suites.kinship.generate.story_logic import Draft


def test_odd_characters_are_written_as_the_house_writes_them() -> None:
    odd = 'a "quoted" \\ wörd\n\t\x01'
    draft = Draft(
        genders=["male", odd],
        edges=[(0, odd, 1), (1, "son", 0)],
        query=(1, 0),
        target=odd,
        k=2,
        depth=1,
        noise=[((0, odd, 1), "supporting")],
        proof=[((0, odd, 1), (1, "son", 0), (0, "x|y", 0))],
        proofs=3,
        clause=(0, 1),
        verdict="entailed",
    )
    line = write.line(
        draft,
        name=odd,
        prompt=odd,
        choices=(odd, "b"),
        gold=1,
        task=odd,
        split="train",
        kind="",
        names=[odd, "Bo"],
        certified_by=("closure",),
        clause=odd,
        cluster=odd,
        templates=[odd],
        groups=[(0,), (1, 2)],
        rules=odd,
    )
    item = parse(Item, json.loads(line), file="items.jsonl")
    assert dumps(item) == line
    assert item.tags == {"task": odd, "k": 2, "depth": 1, "target": odd, "split": "train"}
    assert item.facts["edges"] == [[0, odd, 1], [1, "son", 0]]
    assert item.facts["noise"] == [[[0, odd, 1], "supporting"]]
    assert item.facts["proof"] == [[[0, odd, 1], [1, "son", 0], [0, "x|y", 0]]]
    assert (item.facts["names"], item.facts["genders"], item.choices) == ([odd, "Bo"], ["male", odd], (odd, "b"))
    assert (item.facts["templates"], item.facts["groups"], item.facts["query"]) == ([odd], [[0], [1, 2]], [1, 0])
