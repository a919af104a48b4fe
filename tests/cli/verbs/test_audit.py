"""`proband audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_options_reach_the_auditor(proband: Any, stage: Any) -> None:
    made = stage(
        "checking.audit", {"rows": 100, "entailed": 36, "verdicts": {"entailed": 36, "ambiguous": 64}, "page": "x.html"}
    )
    text = proband("audit", "data.csv", "-o", "audit", "--suite", "kinship", "--seed", 2)
    assert made.arguments == (Path("data.csv"),)
    assert made.given == {"out": Path("audit"), "suite": "kinship", "seed": 2}
    assert text.splitlines()[-2].split(maxsplit=1) == ["verdicts:", "entailed 36, ambiguous 64"]
    assert text.splitlines()[-1] == "open x.html"


def test_a_suite_without_auditor_says_so(proband: Any, items: Path) -> None:
    assert "toy has no auditor" in proband.fails("audit", items, "-o", items.parent / "audit", "--suite", "toy")
