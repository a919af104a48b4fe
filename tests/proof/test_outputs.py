"""The files of an audit: the corrected copy, and the words for relations."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.proof.conftest import ROWS, VERDICTS, lines


def test_the_corrected_copy_says_what_was_changed(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS, name="rows.csv")
    with (tmp_path / "audit" / "corrected.csv").open() as file:
        corrected = list(csv.DictReader(file))
    assert [each["label"] for each in corrected] == [
        "left", "right", "upper-left", "overlap", "left", "above", "left", "sideways",
    ]  # fmt: skip
    assert [each["audit_verdict"] for each in corrected] == VERDICTS
    assert corrected[1]["audit_change"] == (
        "label left replaced by right: follows from P left Q (sentence 1) (was reversed)"
    )
    assert corrected[0]["audit_change"] == ""
    assert corrected[5]["audit_change"] == "unchanged: no world fits the facts"


def test_the_label_is_spelled_as_in_the_file(run: Callable[..., Any], tmp_path: Path) -> None:
    rows = [
        {"text": "P lies west of Q.", "question": "Where is Q seen from P?", "answer": "East"},
        {"text": "P lies west of Q.", "question": "Where is P seen from Q?", "answer": "East"},
        {"text": "P lies east of Q.", "question": "Where is Q seen from P?", "answer": "West"},
    ]
    run(rows)
    assert [each["answer"] for each in lines(tmp_path, "corrected.jsonl")] == ["East", "West", "West"]


def test_the_same_bytes_again(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS)
    first = {path.name: path.read_bytes() for path in (tmp_path / "audit").iterdir()}
    run(ROWS)
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "audit").iterdir()}


def test_relations_are_called_as_people_call_them(run: Callable[..., Any], tmp_path: Path) -> None:
    """Not by the name that stands for both genders inside."""
    given = {"story": "Ann is the mother of Bo. Bo is the father of Cy. Di is the sister of Ann.", "label": "niece"}
    run([{**given, "question": "What is Bo to Di?"}], "--domain", "kinship")
    files = [path for path in (tmp_path / "audit").rglob("*") if path.suffix in (".html", ".jsonl", ".md")]
    assert files
    written = " ".join(path.read_text(encoding="utf-8") for path in files)
    assert "niece" in written
    assert "nephew" in written
    assert "nibling" not in written


def test_a_page_of_others_is_not_written_over(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "index.html").write_text("mine")
    row = {"text": "P is above Q.", "question": "What is the relation of P to Q?", "answer": "above"}
    run([row], code=2)
    assert (tmp_path / "audit" / "index.html").read_text() == "mine"


def test_a_correction_is_an_option_and_no_other_row_s_label(run: Callable[..., Any], tmp_path: Path) -> None:
    text = "P is to the left of Q. Q is to the left of R."
    asked = "What is the relation of P to R?"
    rows = [
        {"text": text, "question": f"{asked} (A) left (B) right", "answer": "right"},
        {"text": text, "question": f"{asked} (A) left (B) right", "answer": "(B) right"},
        {"text": text, "question": f"{asked} (A) above (B) left", "answer": "(B)"},
        {"text": text.replace("P", "S"), "question": asked.replace("P", "S"), "answer": "right"},
    ]
    run(rows)
    assert [each["answer"] for each in lines(tmp_path, "corrected.jsonl")] == ["left", "left", "(B)", "left"]
