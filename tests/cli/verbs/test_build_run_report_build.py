"""`proband build`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_help_lists_the_options_of_the_suite(proband: Any) -> None:
    text = proband("build", "toy", "--help")
    shared, own = text.split("Options of toy")
    assert "--out -o DIR" in shared
    assert "--seed N" in shared
    assert "--count N" in own
    assert "Number of sums. [default: 12]" in own
    assert "--kind TEXT" in own
    assert "[small | large] [default: small]" in own
    assert "--faithful --no-faithful" in own
    assert "--data PATH" in own
    assert "--per-k" in proband("build", "kinship", "--help")


def test_options_reach_the_builder_and_the_manifest(proband: Any, tmp_path: Path) -> None:
    out = tmp_path / "items"
    made = proband.json(
        "build", "-o", out, "--seed", 3, "toy", "--count=5", "--kind", "large", "--faithful", "--data", "x"
    )
    assert made["options"] == {"count": 5, "kind": "large", "faithful": True, "data": "x"}
    assert (made["seed"], made["items"], made["splits"]) == (3, 5, {"train": 2, "test": 3})
    assert len((out / "items.jsonl").read_text().splitlines()) == 5
    assert proband.json("build", "toy", "-o", out, "--force", "--no-faithful")["options"]["faithful"] is False


def test_people_get_a_table(proband: Any, tmp_path: Path) -> None:
    lines = proband("build", "toy", "-o", tmp_path / "items").splitlines()
    assert lines[0] == "12 items of toy, seed 0"
    assert lines[1].split(maxsplit=1) == ["splits:", "train 4, test 8"]
    assert lines[-2].split() == ["licence:", "CC0-1.0"]
    assert lines[-1].startswith("sha256:")
    assert len(lines[-1].split()[1]) == 64


def test_the_seed_decides(proband: Any, tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        proband("build", "toy", "-o", tmp_path / name, "--seed", seed)
    one, two, three = ((tmp_path / name / "items.jsonl").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three
