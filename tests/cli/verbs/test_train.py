"""`proband train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

NOTE = {"suite": "toy", "net": "line", "seed": 0, "epochs": 3, "kept": 2, "valid": 0.5, "seconds": 1.25}


def test_options_reach_the_pipeline(proband: Any, stage: Any) -> None:
    made = stage("train", {**NOTE, "curve": [{"epoch": 1}], "versions": {"torch": "2"}})
    text = proband("train", "items", "--net", "line", "-o", "net", "-m", "hf:x", "--set", "epochs=3", "--seed", 4)
    assert made.arguments == (Path("items"),)
    options = {"options": {"epochs": "3"}, "model": "hf:x"}
    assert made.given == {"net": "line", "out": Path("net"), "seed": 4, "seeds": None, **options}
    assert "torch" not in text
    assert "curve" not in text
    assert [line.split() for line in text.splitlines()][-1] == ["seconds:", "1.25"]


def test_several_seeds_are_a_table(proband: Any, stage: Any) -> None:
    made = stage("train", {"seed-0": NOTE, "seed-1": {**NOTE, "seed": 1}})
    lines = proband("train", "items", "--net", "line", "-o", "net", "--seeds", "0,1").splitlines()
    assert made.given["seeds"] == (0, 1)
    assert lines[0].split() == ["folder", "seed", "epochs", "kept", "valid", "seconds"]
    assert lines[2].split() == ["seed-1", "1", "3", "2", "0.5", "1.25"]
