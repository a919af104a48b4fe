"""Rows of people's English (benchmarks/reading): nobody right is accused, nothing wrong is certified."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[4] / "benchmarks" / "reading"


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
        assert read >= 0.75 * len(rows)
    else:
        certain = [row for row in rows if row["outcome"].verdict in ("entailed", "false", "inconsistent")]
        assert not [row["text"] for row in certain if row["planted"] is None]
