"""People's English about places, times and sizes: no right label is accused, no wrong one called entailed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("half", "least"), [("dev", 45), ("held", 32), ("third", 22), ("fourth", 36), ("fifth_dev", 25), ("fifth_held", 9)]
)
def test_nothing_wrong_is_said_of_the_rows_that_people_wrote(root: Path, half: str, least: int) -> None:
    folder = root / "benchmarks" / "reading"
    result = runpy.run_path(str(folder / "other_domains.py"))["measure"](folder / f"grid_temporal_{half}.jsonl")
    assert result["right labels accused"] == 0
    assert result["wrong labels called entailed"] == 0
    assert result["right labels corrected"] == 0
    assert result["labels wrongly corrected"] == 0
    assert sum(result[domain].get("read", 0) for domain in ("grid", "temporal", "sizes")) >= least
