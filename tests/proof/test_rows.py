"""Rows of files: tables of other programs, broken rows, columns for the pair and the facts."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import polars
import pytest
from tests.proof.conftest import ROWS, VERDICTS, lines

from proband.core.errors import ProbandError
from proband.pipeline.checking import audit


def test_what_is_wrong_with_a_row_is_that_row_s(run: Callable[..., Any], tmp_path: Path) -> None:
    good = json.dumps(ROWS[0]).encode()
    long = json.dumps({**ROWS[0], "story": "P is left of Q. " * 70_000}).encode()
    bad = [
        b'{"story": "P is left of Q.", "ques',
        b"[1, 2]",
        json.dumps({"story": "P is left of Q."}).encode(),
        json.dumps({**ROWS[0], "label": 7}).encode(),
        good.replace(b"left", b"l\xe9ft"),
        long,
    ]
    run(b"\n".join([good, *bad, good, b""]))
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == ["entailed", *["unread"] * 6, "entailed"]
    reasons = [each["reason"] for each in verdicts[1:-1]]
    wanted = [
        "not a JSON object",
        "a JSON array",
        "'question' is missing",
        "not text: '7'",
        "not UTF-8",
        "1,120,000 characters",
    ]
    assert all(want in reason for want, reason in zip(wanted, reasons)), reasons
    assert [each["line"] for each in verdicts] == list(range(1, 9))


def test_half_a_csv_row(run: Callable[..., Any], tmp_path: Path) -> None:
    run(b"story,question,label\nP is left of Q.,What is the relation of P to Q?,left\nP is left\n", name="rows.csv")
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == ["entailed", "unread"]
    assert verdicts[1]["reason"] == "has 1 cells but the header names 3"


@pytest.mark.parametrize("name", ["rows.tsv", "rows.csv", "utf16.csv", "rows.parquet", "rows.xlsx"])
def test_tables_of_other_programs(run: Callable[..., Any], tmp_path: Path, name: str) -> None:
    """The one reader of strangers' tables: separators, encodings, workbooks."""
    rows = [[*ROWS[0]], *([str(cell) for cell in each.values()] for each in ROWS)]
    text = "".join((";" if "csv" in name else "\t").join(cells) + "\n" for cells in rows)
    if name == "rows.parquet":
        polars.DataFrame(ROWS).write_parquet(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    elif name == "rows.xlsx":
        book = openpyxl.Workbook()
        for cells in rows:
            book.active.append(cells)
        book.save(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    else:
        content = text.encode("utf-16" if name == "utf16.csv" else "utf-8")
    run(content, "--world", "unit", name=name)
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    with (tmp_path / "audit" / "corrected.csv").open(newline="", encoding="utf-8") as file:
        assert [each["label"] for each in csv.DictReader(file)][:2] == ["left", "right"]


def test_json_objects_and_arrays_gzipped_too(run: Callable[..., Any], tmp_path: Path) -> None:
    keyed = {str(number): {**each, "story": [each["story"]]} for number, each in enumerate(ROWS)}
    run(gzip.compress(json.dumps(keyed).encode()), name="rows.json.gz")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    assert json.loads((tmp_path / "audit" / "corrected.json").read_text())["1"]["label"] == "right"
    run(json.dumps(ROWS).encode(), name="list.json")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    assert "not JSON" in run(json.dumps(ROWS).encode()[:-30], name="cut.json", code=2)


def test_columns_for_the_pair_and_for_facts(tmp_path: Path) -> None:
    """Nothing needs reading where the two people and the facts stand in columns."""
    rows = [
        {
            "note": "?!",
            "a": "Ann",
            "b": "Cy",
            "facts": '[["Ann", "mother", "Bo"], ["Bo", "father", "Cy"]]',
            "label": "daughter",
        },
        {"note": "", "a": "Ann", "b": "Bo", "facts": [["Ann", "mother", "Bo"]], "label": "mother"},
        {"note": "", "a": "Ann", "b": "Ann", "facts": [["Ann", "mother", "Bo"]], "label": "mother"},
        {"note": "", "a": "Ann", "b": "Bo", "facts": "nothing", "label": "mother"},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns: dict[str, Any] = {"pair_columns": "a,b", "facts_column": "facts", "text_column": "note"}
    audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **columns)
    lines = [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["false", "entailed", "unread", "unread"]
    assert [line.get("one_reading") for line in lines[:2]] == [False, False]
    assert lines[0]["readers"] == ["columns"]
    del columns["text_column"]  # then `facts`, a usual name of a text, is not taken for one
    assert audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **columns)["verdicts"]["unread"] == 2
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"facts_column": "facts"}, "needs --pair-columns"),
        ({"pair_columns": "a"}, "takes two columns"),
    ]
    for bad, message in wrong:
        with pytest.raises(ProbandError, match=message):
            audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **bad)
