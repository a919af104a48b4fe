"""lm-eval: the task's YAML names the splits for what they are, and its loader finds the files from any folder."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from proband.core.types import Item
from proband.pipeline.export import export

yaml = pytest.importorskip("yaml")
Make = Callable[..., Item]
Folder = Callable[..., Path]


def task(out: Path) -> dict[str, Any]:
    text = (out / "proband_stories.yaml").read_text(encoding="utf-8").replace("!function ", "")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def test_the_task(three_splits: Path, tmp_path: Path) -> None:
    export(three_splits, to="lm-eval", out=tmp_path)
    found = task(tmp_path)
    splits = {name: value for name, value in found.items() if name.endswith("_split")}
    assert splits == {
        "training_split": "train", "fewshot_split": "train", "validation_split": "valid", "test_split": "test",
    }  # fmt: skip
    assert found["target_delimiter"] == ""
    assert found["metadata"]["license"] == "apache-2.0"
    assert found["metadata"]["licence"] == "Apache-2.0 (ours)"
    assert found["metadata"]["solver"] == "likelihood"
    row = json.loads((tmp_path / "test.jsonl").read_bytes().splitlines()[1])
    assert (
        row[found["doc_to_text"]] + row[found["doc_to_choice"]][1] == "Story 1, in Zürich.\nAnn is the mother of Ben."
    )
    assert row[found["doc_to_target"]] == 1


def test_splits_that_are_not_there_are_not_named(folder: Folder, story: Make, tmp_path: Path) -> None:
    export(folder([story(0), story(1)]), to="lm-eval", out=tmp_path)
    assert [name for name in task(tmp_path) if name.endswith("_split")] == ["test_split"]


def test_the_loader_finds_its_files(three_splits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(three_splits, to="lm-eval", out=tmp_path / "out")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    stub = ModuleType("datasets")
    stub.load_dataset = lambda kind, data_files: (kind, data_files)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", stub)
    name = task(tmp_path / "out")["custom_dataset"].split(".")
    load = runpy.run_path(str(tmp_path / "out" / f"{name[0]}.py"))[name[1]]
    kind, files = load(version=1.0, licence="...")  # lm-eval passes the metadata
    assert (kind, list(files)) == ("json", ["train", "valid", "test"])
    assert all(Path(path).is_absolute() and Path(path).exists() for path in files.values())
