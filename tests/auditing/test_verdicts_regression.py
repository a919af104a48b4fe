"""People's English about places, times and sizes: no right label is accused, no wrong one called entailed."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_nothing_wrong_is_said_of_the_rows_that_people_wrote(root: Path) -> None:
    result = runpy.run_path(str(root / "benchmarks" / "reading" / "other_domains.py"))["measure"]()
    assert result["right labels accused"] == 0
    assert result["wrong labels called entailed"] == 0
    assert result["right labels corrected"] == 0
    read = sum(result[domain].get("read", 0) for domain in ("grid", "temporal", "sizes"))
    assert read >= 0.6 * 60
