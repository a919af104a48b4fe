"""The template to blame for wrong labels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.proof.conftest import lines, row

from proband.cli import main


def test_findings_are_grouped_by_the_template_to_blame(run: Callable[..., Any], tmp_path: Path) -> None:
    """A template that its author takes for the other direction, alone and within longer stories."""
    rows = [
        row(f"{a} and {b} are parallel, and {a} is to the right of {b}.", a, b, "left") for a, b in ("PQ", "RS", "TU")
    ]
    rows += [row("P is above Q. Q and R are parallel, and Q is to the right of R.", "P", "R", "upper-left")]
    rows += [row(f"{a} is to the right of {b}.", a, b, "right") for a, b in ("PQ", "RS", "TU", "VW")]
    run([{**each, "story": [each["story"]]} for each in rows])  # StepGame's form: sentences made from templates
    finding = lines(tmp_path, "findings.jsonl")[0]
    assert finding["claim"] == (
        "“A and B are parallel, and A is to the right of B” says right, labelled as if it said left (reversed)"
    )
    assert (finding["rows"], finding["severity"], len(finding["evidence"])) == (4, "error", 3)
    assert finding["suggested_label"] == {"left -> right": 3, "upper-left -> upper-right": 1}
    report = (tmp_path / "audit" / "report.md").read_text()
    assert "### 1. “A and B are parallel, and A is to the right of B” says right" in report


@pytest.mark.data
def test_the_templates_of_stepgame_that_say_something_else(data: Path, tmp_path: Path) -> None:
    """The one-step file: ten templates are not what their labels say, and a sentence relates a thing to itself."""
    path = data / "audit" / "stepgame" / "clean-qa1-valid.json.gz"
    assert main(["audit", str(path), "-o", str(tmp_path / "audit")]) == 0
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["verdicts"] == {"entailed": 951, "ambiguous": 0, "false": 40, "inconsistent": 1, "unread": 8}
    findings = lines(tmp_path, "findings.jsonl")
    assert sum(each["kind"] == "template" for each in findings) >= 8
