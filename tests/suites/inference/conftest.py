"""A table of judged triples."""

from __future__ import annotations

from pathlib import Path

import pytest

ROWS = (
    ("drug, treats, headaches", "aspirin, eliminates, headaches", "y"),
    ("drug, treats, headaches", "opium, treated, headache", "y"),
    ("country, exports, coffee", "coffee, was banned in, iran", "n"),
    ("bird, lives in, forests", "the owl, is found in, forests", "y"),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in ROWS), encoding="utf-8")
    return path
