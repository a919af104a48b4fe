"""hf: the card's YAML says the licence, the files, the features and the sizes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.core.types import Item
from proband.pipeline.export import export

yaml = pytest.importorskip("yaml")


def card(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((out / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    return found


def test_the_card(three_splits: Path, tmp_path: Path) -> None:
    export(three_splits, to="hf", out=tmp_path)
    found = card(tmp_path)
    assert found["license"] == "apache-2.0"
    files = found["configs"][0]["data_files"]
    assert [(each["split"], each["path"]) for each in files] == [
        (split, f"data/{split}.jsonl") for split in ("train", "valid", "test")
    ]
    for split in found["dataset_info"]["splits"]:
        data = (tmp_path / "data" / f"{split['name']}.jsonl").read_bytes()
        assert (split["num_bytes"], split["num_examples"]) == (len(data), data.count(b"\n"))
    names = [feature["name"] for feature in found["dataset_info"]["features"]]
    assert names == list(json.loads((tmp_path / "data" / "test.jsonl").read_bytes().splitlines()[0]))


def test_tags_have_one_type(folder: Callable[..., Path], story: Callable[..., Item], tmp_path: Path) -> None:
    tags = [{"a": 1, "b": True, "c": 1}, {"a": 0.5, "b": "x", "c": 2}, {"c": 3}]
    export(folder(story(i, tags=each) for i, each in enumerate(tags)), to="hf", out=tmp_path)
    rows = [json.loads(line)["tags"] for line in (tmp_path / "data" / "test.jsonl").read_bytes().splitlines()]
    assert rows == [{"a": 1.0, "b": "true", "c": 1}, {"a": 0.5, "b": "x", "c": 2}, {"a": None, "b": None, "c": 3}]
    struct = next(f["struct"] for f in card(tmp_path)["dataset_info"]["features"] if f["name"] == "tags")
    assert {each["name"]: each["dtype"] for each in struct} == {"a": "float64", "b": "string", "c": "int64"}


@pytest.mark.parametrize(
    ("licence", "name"),
    [("CC BY-NC 4.0 (the templates)", "cc-by-nc-4.0"), ("that of the files given", "other"), (None, "unknown")],
)
def test_foreign_licences(
    licence: str | None, name: str, folder: Callable[..., Path], story: Callable[..., Item], tmp_path: Path
) -> None:
    export(folder([story(0)], licence=licence), to="hf", out=tmp_path / "out")
    assert card(tmp_path / "out")["license"] == name
    assert card(tmp_path / "out").get("license_name") == (licence if name == "other" else None)
    assert (licence or "not stated") in (tmp_path / "out" / "LICENCE").read_text(encoding="utf-8")
