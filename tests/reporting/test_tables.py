from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.metrics import Estimate
from proband.core.suite import Published, Sheet, Table
from proband.reporting import ItemSet
from proband.reporting.numbers.score_tables import ScoreTable, fill
from proband.reporting.numbers.study import Study
from proband.reporting.tables import Folder, comma_separated, latex, markdown


@pytest.fixture(scope="module")
def table(make_set: Callable[..., ItemSet], hostile_text: str) -> ScoreTable:
    loaded = make_set(320, models=("embedded:mlm", hostile_text))
    return fill(Study(loaded, seed=0), loaded.suite.tables[0])


def shown(text: str) -> list[tuple[float, float | None, float | None]]:
    """(mean, low, high) of every cell printed in a line of a table, the interval missing for published figures."""
    plain = text.replace("−", "-")
    found = re.findall(r"(-?\d+\.\d)[°▼]?(?: \[(-?\d+\.\d), (-?\d+\.\d)\])?", plain)
    return [(float(m), float(low) if low else None, float(high) if high else None) for m, low, high in found]


def expected(table: ScoreTable) -> list[list[tuple[float, float | None, float | None]]]:
    out = []
    for _, _, *cells in table.rows:
        numbers: list[tuple[float, float | None, float | None]] = [
            (each.mean, each.low, each.high) if isinstance(each, Estimate) else (each.value, None, None)
            for each in cells
            if isinstance(each, (Estimate, Published))
        ]
        assert len(numbers) == len(table.columns)
        out.append(numbers)
    return out


def agree(
    printed: list[tuple[float, float | None, float | None]], numbers: list[tuple[float, float | None, float | None]]
) -> None:
    assert len(printed) == len(numbers)
    for ours, theirs in zip(printed, numbers):
        for a, b in zip(ours, theirs):
            assert (a is None) == (b is None)
            assert a is None or b is None or abs(a - 100 * b) <= 0.0501


def test_markdown_reads_back(table: ScoreTable) -> None:
    rows = [line for line in markdown(table).splitlines() if line.startswith("| ")]
    width = 2 + len(table.columns)
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == width + 1
        assert "<" not in row
    for row, numbers in zip(rows[2:], expected(table), strict=True):
        agree(shown(" | ".join(re.split(r"(?<!\\)\|", row)[3:-1])), numbers)


def test_latex_reads_back_and_is_balanced(table: ScoreTable) -> None:
    text = latex(table)
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")].splitlines()[2:]
    rows = [line for line in body if line != r"\midrule"]
    for row, numbers in zip(rows, expected(table), strict=True):
        cells = re.split(r"(?<!\\)&", row.removesuffix(r" \\"))
        assert len(cells) == 2 + len(table.columns)
        plain = " ".join(cells[2:]).replace(r"$^{\circ}$", "").replace(r"$^{\triangledown}$", "").replace("$-$", "-")
        agree(shown(re.sub(r"\\textit|\\scriptsize |[{}]", "", plain)), numbers)
    bare = re.sub(r"\\[\\&%$#_{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert "&" not in re.sub(r" & ", "", bare)
    assert re.sub(r"^% needs.*$", "", bare, flags=re.M).count("%") == 0
    assert not re.search(r"[#_]", bare.replace(r"\label{tab:" + table.name, ""))
    assert bare.count("$") % 2 == 0


def test_csv_reads_back_to_the_last_digit(table: ScoreTable) -> None:
    rows = list(csv.DictReader(io.StringIO(comma_separated(table))))
    ours = [row for row in rows if row["kind"] == "ours"]
    assert len(ours) == len(table.filled)
    for row in ours:
        key = (row["group"],) if row["group"] else None
        (cells,) = (cells for tags, label, *cells in table.rows if (tags, label) == (key, row["label"]))
        cell = cells[table.columns.index((row["probe"],))]
        assert isinstance(cell, Estimate)
        assert (float(row["mean"]), float(row["low"]), float(row["high"])) == (cell.mean, cell.low, cell.high)
        assert (int(row["n"]), int(row["clusters"]), float(row["chance"])) == (cell.n, cell.clusters, cell.chance)
    theirs = [row for row in rows if row["kind"] == "published"]
    assert len(theirs) == 2 * 2 * 4
    assert {row["source"] for row in theirs} == {"Table 3"}


def test_a_tag_that_has_the_name_of_a_column_is_told_from_it(make_set: Callable[..., ItemSet]) -> None:
    loaded = make_set(80)
    items = [replace(item, tags={**item.tags, "source": "web"}) for item in loaded.items()]
    loaded.items_from = items
    layout = Table(name="by-source", title="By source", rows=("source",), columns=())
    header, row = list(csv.reader(io.StringIO(comma_separated(fill(Study(loaded), layout)))))[:2]
    assert len(set(header)) == len(header)
    assert row[header.index("tag:source")] == "web"


def test_a_row_is_no_argument_of_the_end_of_the_row_before_it() -> None:
    rows = (("[0, 1]", 1), ("*", 2), ("a", 3))
    lines = latex(Sheet(name="s", title="t", header=("what", "n"), rows=rows)).splitlines()
    assert [line for line in lines if line.endswith(r"\\")][1:] == [r"{}[0, 1] & 1 \\", r"{}* & 2 \\", r"a & 3 \\"]


def test_two_files_of_one_name_are_an_error(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    folder.add("tables/a.md", "one")
    with pytest.raises(ProbandError, match="two parts of the report have the name"):
        folder.add("tables/a.md", "two")


def test_a_sheet_of_plain_cells_in_all_formats() -> None:
    sheet = Sheet(name="s", title="A & B", header=("what", "n", "share"), rows=(("x|y", 3, 0.25), ("=1", 4, None)))
    assert markdown(sheet).splitlines()[2:] == [
        "| what | n | share |",
        "| --- | ---: | ---: |",
        r"| x\|y | 3 | 0.25 |",
        "| =1 | 4 | – |",
    ]
    assert r"x\textbar{}y & 3 & 0.25 \\" in latex(sheet)
    assert r"\caption{A \& B.}" in latex(sheet)
    assert comma_separated(sheet).splitlines() == ["what,n,share", "x|y,3,0.25", "'=1,4,"]
