"""Rows of people's English (benchmarks/reading): nobody right is accused, nothing wrong is certified."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[4] / "benchmarks" / "reading"
READ = {
    "kinship_dev": 0.85,
    "kinship_held": 0.65,
    "kinship_third": 0.9,
    "kinship_fourth": 0.7,
    "kinship_fifth_dev": 0.55,
    "kinship_fifth_held": 0.28,
}  # at least


def _benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("reading_regression", FOLDER / "regression.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_zeros(path: Path) -> None:
    """By the first reader alone, which is stricter: the second one only takes accusations back."""
    benchmark = _benchmark()
    rows = benchmark.load([path])
    for row in rows:
        row["outcome"] = benchmark.outcome(row, second=False)
    read, accused, entailed, corrected = benchmark.figures(rows)
    assert (accused, entailed, corrected) == (0, 0, 0)
    if path.stem.startswith("kinship"):
        assert read >= READ[path.stem] * len(rows)
    else:
        certain = [row for row in rows if row["outcome"].verdict in ("entailed", "false", "inconsistent")]
        assert not [row["text"] for row in certain if row["planted"] is None]


def test_zeros_as_the_verb_gives_them(tmp_path: Path) -> None:
    """`proband audit` itself, with questions for yes or no and for people."""
    from proband.cli.main import main

    path = FOLDER / "kinship_dev.jsonl"
    assert main(["audit", str(path), "-o", str(tmp_path / "audit"), "--domain", "kinship", "--json"]) == 0
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = (tmp_path / "audit" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    verdicts = [json.loads(line)["verdict"] for line in lines]
    judged = list(zip(rows, verdicts, strict=True))
    assert not [row["text"] for row, verdict in judged if verdict in ("false", "inconsistent") and not row["planted"]]
    assert not [row["text"] for row, verdict in judged if verdict == "entailed" and row["planted"]]
    assert sum(verdict != "unread" for verdict in verdicts) >= 0.75 * len(rows)
