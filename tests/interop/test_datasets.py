"""Exports in `datasets`: the splits, their sizes, the features and the licence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import proband
from proband.core.files import read_items


@pytest.mark.parametrize("name", ["kinship", "analogy", "supervised", "script"])
def test_load_dataset_gives_the_splits(name: str, items: dict[str, Path], tmp_path: Path, elsewhere: Path) -> None:
    from datasets import load_dataset
    from huggingface_hub import DatasetCard

    proband.export(items[name], to="hf", out=tmp_path / name)
    loaded = load_dataset(str(tmp_path / name), cache_dir=str(tmp_path / "cache"))
    every = list(read_items(items[name]))
    assert {split: len(rows) for split, rows in loaded.items()} == Counter(item.split for item in every)
    for split, rows in loaded.items():
        expected = [item for item in every if item.split == split]
        assert rows["id"] == [item.id for item in expected]
        assert rows["prompt"] == [item.prompt for item in expected]
        assert rows["choices"] == [list(item.choices) for item in expected]
        assert rows["label"] == [-1 if item.gold is None else item.gold for item in expected]
        assert [json.loads(facts) for facts in rows["facts"]] == [item.facts for item in expected]
        for tags, item in zip(rows["tags"], expected, strict=True):
            assert {key: value for key, value in tags.items() if value is not None} == item.tags
        assert rows.features["label"].dtype == "int64"
    assert DatasetCard.load(tmp_path / name / "README.md").data.license == "apache-2.0"
    print(f"{name}: {', '.join(f'{split} {len(rows)}' for split, rows in loaded.items())}")
