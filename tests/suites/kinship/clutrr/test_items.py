"""Our items as CLUTRR's rows and back."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.suites.kinship.clutrr.conftest import write_cells

from proband.core.errors import ProbandError
from proband.core.types import Item, Split
from proband.suites.kinship.clutrr.items import export, to_cells, to_item
from proband.suites.kinship.clutrr.rows import read_rows
from proband.suites.kinship.world.relations import GENDER, RELATIONS


def random_item(rng: random.Random, number: int) -> Item:
    """An item of our own shape: shuffle people, told facts in any place, typed noise."""
    k, names = rng.randint(2, 6), ["Ann", "Ben", "Cy", "Dee", "Eve", "O'Neil", "Gus", "Ida", "Jo", "Lee"]
    genders = [rng.choice(("male", "female")) for _ in names]
    order = rng.sample(range(len(names)), len(names))

    def fact(i: int, j: int) -> list[Any]:
        return [i, rng.choice([r for r in RELATIONS if GENDER[r] == genders[j]]), j]

    chain = [fact(a, b) for a, b in pairwise(order[: k + 1])]
    noise = [[fact(order[k + 1], order[k + 2]), "disconnected"]]
    edges = [*chain, noise[0][0]]
    rng.shuffle(edges)
    a, b = order[0], order[k]
    target = fact(a, b)[1]
    split: Split = rng.choice(("train", "test"))
    return Item(
        id=f"r{number}",
        suite="kinship",
        prompt="...",
        choices=RELATIONS,
        gold=RELATIONS.index(target),
        tags={"task": "disconnected", "k": k, "target": target, "depth": k, "split": split},
        facts={
            "names": names,
            "genders": genders,
            "edges": edges,
            "query": [a, b],
            "target": target,
            "k": k,
            "depth": k,
            "noise": noise,
            "proof": [[chain[0], chain[1], fact(chain[0][0], chain[1][2])]],
            "story": "Ann met Ben. They sang, and O'Neil listened.",
        },
        split=split,
    )


def test_round_trip_of_our_items(tmp_path: Path) -> None:
    rng = random.Random(1)
    items = [random_item(rng, n) for n in range(200)]
    write_cells(map(to_cells, items), tmp_path / "ours.csv")
    for item, row in zip(items, read_rows(tmp_path / "ours.csv"), strict=True):
        back = to_item(row)
        assert (back.id, back.gold, back.choices, back.tags) == (item.id, item.gold, item.choices, item.tags)
        for name in ("names", "genders", "query", "target", "k", "depth", "noise", "proof"):
            assert back.facts[name] == item.facts[name], name
        assert sorted(back.facts["edges"]) == sorted(item.facts["edges"])
        assert back.facts["story"] == "[Ann] met [Ben]. They sang, and [O'Neil] listened."


def test_export_names_files_as_clutrr_does(tmp_path: Path) -> None:
    rng = random.Random(2)
    items = [random_item(rng, n) for n in range(60)]
    export(items, tmp_path / "out")
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["4.2,4.3,4.4,4.5,4.6_test.csv", "4.2,4.3,4.4,4.5,4.6_train.csv"]
    for name in files:  # never mixed
        found = [row.id for row in read_rows(tmp_path / "out" / name)]
        assert found == [item.id for item in items if name.endswith(f"_{item.split}.csv")]


def test_export_to_one_file_keeps_training_items_apart(tmp_path: Path) -> None:
    rng = random.Random(2)
    items = [random_item(rng, n) for n in range(40)]
    export(items, tmp_path / "mine.csv")
    for name, split in (("mine.csv", "test"), ("mine_train.csv", "train")):
        rows = list(read_rows(tmp_path / name))
        assert [row.id for row in rows] == [item.id for item in items if item.split == split]
        assert {to_item(row).split for row in rows} == {split}


def test_an_item_without_its_facts_has_no_row(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="item 'x' has no CLUTRR form"):
        to_cells(Item(id="x", suite="kinship", prompt="?"))
    item = random_item(random.Random(3), 0)
    wrong = replace(item, facts={**item.facts, "target": "cousin"})
    with pytest.raises(ProbandError, match="item 'r0' has no CLUTRR form: column 'target' 'cousin'"):
        export([wrong], tmp_path / "out.csv")
