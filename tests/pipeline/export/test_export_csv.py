"""csv: a line per item, with its split."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from proband.core.types import Item
from proband.pipeline.export import export


def test_columns(folder: Callable[..., Path], story: Callable[..., Item], tmp_path: Path) -> None:
    items = [story(0, "train"), story(1, tags={"mood": 'sad, "very"'}), story(2, gold=None, choices=())]
    export(folder(items), to="csv", out=tmp_path / "items.csv")
    with open(tmp_path / "items.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = "id suite split prompt choice_0 choice_1 choice_2 gold tag_k tag_task tag_mood facts"
    assert list(rows[0]) == columns.split()
    assert [row["split"] for row in rows] == ["train", "test", "test"]
    assert [row["gold"] for row in rows] == ["0", "1", ""]
    assert [row["tag_mood"] for row in rows] == ["", 'sad, "very"', ""]
    assert rows[1]["prompt"] == items[1].prompt
    assert json.loads(rows[1]["facts"]) == items[1].facts
    assert (tmp_path / "items.licence.txt").exists()
