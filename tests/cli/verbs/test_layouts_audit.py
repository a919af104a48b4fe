"""`proband audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_options_reach_the_auditor(proband: Any, stage: Any) -> None:
    made = stage(
        "audit",
        {"rows": 100, "entailed": 36, "verdicts": {"entailed": 36, "ambiguous": 64}, "page": "x.html"},
        "pipeline.checking",
    )
    text = proband("audit", "data.csv", "-o", "audit", "--domain", "grid", "--reader", "hf:one", "--no-cache")
    assert made.arguments == (Path("data.csv"),)
    assert made.given == {"out": Path("audit"), "domain": "grid", "readers": ("hf:one",), "cache": False}
    assert text.splitlines()[-2].split(maxsplit=1) == ["verdicts:", "entailed 36, ambiguous 64"]
    assert text.splitlines()[-1] == "open x.html"


def test_the_form_of_the_rows_says_how_they_are_read(proband: Any, tmp_path: Path) -> None:
    proband("build", "kinship", "-o", tmp_path / "families", "--k", 2, "--per-k", 2)
    made = proband.json("audit", tmp_path / "families", "-o", tmp_path / "audit")
    assert made["verdicts"]["entailed"] == made["rows"] == 2
    proband("export", tmp_path / "families", "--to", "clutrr", "-o", tmp_path / "rows.csv")
    assert proband.json("audit", tmp_path / "rows.csv", "-o", tmp_path / "again")["rows"] == 2
    (tmp_path / "release").mkdir()
    (tmp_path / "rows.csv").rename(tmp_path / "release" / "rows.csv")
    assert proband.json("audit", tmp_path / "release", "-o", tmp_path / "folder")["rows"] == 2
    assert "2 rows, 2 of them read" in (tmp_path / "audit" / "index.html").read_text(encoding="utf-8")


def test_a_source_that_no_suite_audits(proband: Any, items: Path, tmp_path: Path) -> None:
    """Items of a suite without an auditor are unread, and checked for what needs no domain."""
    made = proband.json("audit", items, "-o", tmp_path / "audit")
    assert made["verdicts"]["unread"] == made["rows"] == 12
    (tmp_path / "notes.txt").write_text("nothing")
    assert "not a file of rows" in proband.fails("audit", tmp_path / "notes.txt", "-o", tmp_path / "x")
    assert "no such file or folder" in proband.fails("audit", tmp_path / "none", "-o", tmp_path / "x")
