"""inspect: the target letter names the right choice, and the task file is Python that keeps to the splits."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

from proband.core.types import Item
from proband.pipeline.export import export

Make = Callable[..., Item]
Folder = Callable[..., Path]


def test_samples(folder: Folder, story: Make, tmp_path: Path) -> None:
    many = tuple(f"relation {i}" for i in range(30))
    items = folder([story(2), story(3, choices=many, gold=21), story(4, choices=many, gold=27)])
    export(items, to="inspect", out=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "test.jsonl").read_bytes().splitlines()]
    assert [row["target"] for row in rows] == ["C", "V", "2"]  # inspect goes on with 1, 2, ... after Z
    assert rows[0]["input"] == story(2).prompt
    assert rows[1]["choices"] == list(many)
    assert rows[0]["metadata"] == {"suite": "stories", "split": "test", "k": 2, "task": "clean"}


def test_the_task_file(folder: Folder, story: Make, tmp_path: Path) -> None:
    items = folder([story(0, "train"), story(1)], licence='CC BY-NC 4.0, "as is" \\ no warranty')
    export(items, to="inspect", out=tmp_path)
    tree = ast.parse((tmp_path / "proband_stories.py").read_text(encoding="utf-8"))
    splits = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(splits) == ("train", "test")
    task = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    assert (task.name, ast.literal_eval(task.args.defaults[0])) == ("proband_stories", "test")
    assert "cc-by-nc-4.0" in ast.unparse(task)


def test_without_test_items_the_task_asks_valid_ones(folder: Folder, story: Make, tmp_path: Path) -> None:
    export(folder([story(0, "train"), story(1, "valid")]), to="inspect", out=tmp_path)
    assert 'split: str = "valid"' in (tmp_path / "proband_stories.py").read_text(encoding="utf-8")
