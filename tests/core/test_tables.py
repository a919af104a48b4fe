"""Tables as people have them, each against the same rows written plainly; and what is said of those that are none."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars
import pytest

from proband.core.errors import ProbandError
from proband.core.tables import read_table, read_tables, text_lines

ROWS = [{"name": "Müller", "town": "Köln, Rhein"}, {"name": "Ann", "town": 'the "old"\ntown'}]
CSV = 'name,town\nMüller,"Köln, Rhein"\nAnn,"the ""old""\ntown"\n'


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if name.lower().endswith(".gz") else raw)
    return path


def cells(path: Path, **settings: Any) -> list[dict[str, Any]]:
    return [dict(row.cells) for row in read_table(path, **settings)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", CSV),
        ("packed.csv.gz", CSV),
        ("PACKED.CSV.GZ", CSV),
        ("mark.csv", "\ufeff" + CSV),
        ("utf16.csv", CSV.encode("utf-16")),
        ("windows.csv", CSV.encode("cp1252")),
        ("windows.csv.gz", CSV.encode("cp1252")),
        ("said.csv", "sep=;\n" + CSV.replace(",", ";").replace("Köln;", "Köln,")),
        ("titled.csv", "My list,\n,\n" + CSV),
        ("tabs.tsv", CSV.replace(",", "\t").replace("Köln\t", "Köln,")),
        ("bars.txt", CSV.replace(",", "|").replace("Köln|", "Köln,")),
        ("returns.csv", CSV.replace("\n", "\r\n").replace("\r\ntown", "\ntown")),
        ("empty-rows.csv", CSV.replace("Ann", ",\n\nAnn")),
        ("lines.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
        ("no-end.ndjson", "\n\n".join(json.dumps(row) for row in ROWS)),
        ("array.json", json.dumps(ROWS)),
        ("by-name.json", json.dumps({"first": ROWS[0], "second": ROWS[1]})),
    ],
)
def test_the_same_rows_however_they_are_written(name: str, content: str | bytes, tmp_path: Path) -> None:
    assert cells(put(tmp_path, name, content)) == ROWS


def test_formats_that_libraries_write(tmp_path: Path) -> None:
    import openpyxl

    polars.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    polars.DataFrame(ROWS).write_parquet(tmp_path / "B.PARQUET")
    (tmp_path / "plain").write_bytes((tmp_path / "a.parquet").read_bytes())
    polars.DataFrame(ROWS).write_ipc_stream(tmp_path / "a.arrow")
    polars.DataFrame(ROWS).write_ipc(tmp_path / "file.arrow")
    assert cells(tmp_path / "B.PARQUET") == cells(tmp_path / "plain", kind=".parquet") == ROWS
    assert cells(tmp_path / "file.arrow") == ROWS
    book = openpyxl.Workbook()
    for row in ([], ["name", "town"], *(list(row.values()) for row in ROWS), [None, None], [3, True]):
        book.active.append(row)
    book.create_sheet("notes").append(["not read"])
    book.save(tmp_path / "a.xlsx")
    assert cells(tmp_path / "a.parquet") == cells(tmp_path / "a.arrow") == ROWS
    found = list(read_table(tmp_path / "a.xlsx"))
    assert [dict(row.cells) for row in found] == [*ROWS, {"name": "3", "town": "true"}]
    assert str(found[-1].error("is odd", "town")).endswith("a.xlsx: row 6, column 'town': is odd")


@pytest.mark.parametrize("rows", ["What is it, really?", "Who are you?\nWhat, then?\nWhere, now?"])
def test_a_table_of_one_column_loses_no_row(rows: str, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=r"row \d: has 2 cells but the header names 1"):
        cells(put(tmp_path, "one.csv", f"question\n{rows}\n"))
    quoted = "\n".join(f'"{row}"' for row in rows.split("\n"))
    found = cells(put(tmp_path, "one.csv", f"question\n{quoted}\n"))
    assert [row["question"] for row in found] == rows.split("\n")


@pytest.mark.parametrize("name", ["broken.xlsx", "broken.xls", "broken.ods", "broken.parquet", "broken.arrow"])
def test_damaged_files_of_programs_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=f"{name}: cannot be read: ") as error:
        cells(put(tmp_path, name, b"PK nothing"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b\n1,2,3\n", "a.csv: row 2: has 3 cells but the header names 2 (separated by ',')"),
        ("a.tsv", "a\tb\n1\t2\t3\n", "a.tsv line 2: has 3 cells but the header names 2 (separated by '\\t')"),
        ("a.csv", 'a,b\n"x"y,2\n', "a.csv: row 2: is not CSV: ',' expected after '\"'"),
        ("a.csv", "a,a\n1,2\n", "a.csv: row 1, column 'a': occurs a second time"),
        ("a.csv", "", "a.csv: is empty"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "a.jsonl line 2: a JSON array; what is wanted is JSON lines"),
        ("a.json", "[1]", "a.json: row 1: not a JSON object"),
        ("a.json", "3", "a.json: not JSON: neither an object nor an array of rows"),
        ("a.doc", "a", "a.doc: is neither a .csv, .tsv"),
        ("a.csv", "a,b\nKöln,é\n".encode() + b"\xff,2\n", "a.csv: row 3: column 'a' is not UTF-8"),
        ("a.csv", b"a,b\n\x81\xff,2\n", "a.csv: row 2: column 'a' is not UTF-8"),
        ("a.csv.gz", b"", "a.csv.gz: is empty"),
    ],
)
def test_what_is_no_table_is_named(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ProbandError) as error:
        cells(put(tmp_path, name, content))
    assert str(error.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_a_cut_gzip_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode() * 1000)[:-20])
    with pytest.raises(ProbandError, match="cannot be read: Compressed file ended"):
        cells(path)


def test_rows_that_are_none_are_kept_where_one_asks_for_them(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "a,b\n1,2\n3\n4,5,6\nü,8\n".encode() + b'\xff,9\n"x"y,0\nlast,1\n')
    found = list(read_table(path, exact=True, keep_bad=True))
    assert [(row.line, dict(row.cells), row.problem) for row in found if not row.problem] == [
        (2, {"a": "1", "b": "2"}, ""),
        (5, {"a": "ü", "b": "8"}, ""),
        (8, {"a": "last", "b": "1"}, ""),
    ]
    assert [(row.line, row.problem) for row in found if row.problem] == [
        (3, "has 1 cells but the header names 2"),
        (4, "has 3 cells but the header names 2 (separated by ',')"),
        (6, "column 'a' is not UTF-8"),
        (7, "is not CSV: ',' expected after '\"'"),
    ]
    lines = put(tmp_path, "a.jsonl", b'{"a": 1}\n[2]\n{"a": "\xff"}\n{"a": "\xc3\xbc"}\n{\n')
    assert [row.problem for row in read_table(lines, keep_bad=True)] == [
        "",
        "a JSON array; what is wanted is JSON lines, one object a line and no brackets around them",
        "not a JSON object: not UTF-8 at byte 8",
        "",
        "not a JSON object: Input data was truncated",
    ]


def test_a_row_may_be_shorter_than_the_header(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "a,b,c\n1,2\n3,4,,,\n")
    assert cells(path) == [{"a": "1", "b": "2", "c": ""}, {"a": "3", "b": "4", "c": ""}]


def test_the_caller_knows_whether_the_first_row_names_the_columns(tmp_path: Path) -> None:
    def names(first: Sequence[str]) -> Sequence[str] | None:
        return None if "head" in first else ("head", "tail")

    expected = [{"head": "Paris", "tail": "France"}]
    assert cells(put(tmp_path, "a.csv", "Paris,France\n"), names=names) == expected
    assert cells(put(tmp_path, "b.csv", "head,tail\nParis,France\n"), names=names) == expected


def test_quotation_marks_that_are_characters(tmp_path: Path) -> None:
    path = put(tmp_path, "a.tsv", 'a\tb\n"so\tit" goes\n')
    assert cells(path, quotes=False) == [{"a": '"so', "b": 'it" goes'}]


def test_a_folder_with_splits(tmp_path: Path) -> None:
    for name in ("train.csv", "validation.csv", "test-00000.csv"):
        put(tmp_path, name, CSV)
    assert [row.split for row in read_tables(tmp_path)] == ["test", "test", "train", "train", "valid", "valid"]
    put(tmp_path, "more.jsonl", "{}\n")
    with pytest.raises(ProbandError, match=r"files of several kinds \(.csv, .jsonl\): name one"):
        list(read_tables(tmp_path))


def test_a_table_is_a_stream(tmp_path: Path) -> None:
    """Rows come before the file has been read to its end: what is wrong later is said later."""
    path = put(tmp_path, "a.csv", "a,b\n" + "1,2\n" * 100_000 + "1,2,3\n")
    rows = iter(read_table(path))
    assert next(rows).cells == {"a": "1", "b": "2"}
    with pytest.raises(ProbandError, match="row 100002: has 3 cells"):
        list(rows)


def test_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path, "a.txt", "eins\r\n\r\nzwei für\n".encode("cp1252"))
    assert list(text_lines(path)) == [(1, "eins"), (3, "zwei für")]
    assert "line 3: is not UTF-8; read as Windows-1252 ('zwei für')" in capsys.readouterr().err
    with pytest.raises(ProbandError, match=r"b.txt line 1: is not UTF-8"):
        list(text_lines(put(tmp_path, "b.txt", "für".encode() + b"\xff")))
