"""CLUTRR's CSV in and out: hand-written rows, hostile ones, and all six releases where they are at hand."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.suites.kinship.clutrr.conftest import write_cells

from proband.core.errors import ProbandError
from proband.core.tables import read_table
from proband.suites.kinship.clutrr.items import to_cells, to_item
from proband.suites.kinship.clutrr.rows import COLUMNS, ClutrrRow, literal, read_rows

GOOD = {
    "": "0",
    "id": "a",
    "story": "[Ann]'s father is [Ben]. [Ben]'s sister is [Cat].",
    "query": "('Ann', 'Cat')",
    "target": "aunt",
    "text_target": "[]",
    "clean_story": "[Ann]'s father is [Ben]. [Ben]'s sister is [Cat].",
    "proof_state": "[{('Ann', 'aunt', 'Cat'): [('Ann', 'father', 'Ben'), ('Ben', 'sister', 'Cat')]}]",
    "f_comb": "father-sister",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['father', 'sister']",
    "query_edge": "(0, 2)",
    "genders": "Ann:female,Ben:male,Cat:female",
    "node_mapping": "{0: 0, 1: 1, 2: 2}",
    "task_split": "train",
}


def only(path: Path, **changes: str) -> ClutrrRow:
    write_cells([GOOD | changes], path)
    (row,) = read_rows(path)
    return row


def test_reads_a_row(tmp_path: Path) -> None:
    row = only(tmp_path / "a.csv")
    assert row.chain == ((0, "father", 1), (1, "sister", 2))
    assert (row.k, row.task, row.split, row.target, row.noise) == (2, "clean", "train", "aunt", ())
    assert row.proof == ((("Ann", "aunt", "Cat"), (("Ann", "father", "Ben"), ("Ben", "sister", "Cat"))),)


def test_noise_without_types(tmp_path: Path) -> None:
    changes = {"story_edges": "[(0, 1), (1, 2), (0, 3)]", "genders": GOOD["genders"] + ",Dan:male"}
    row = only(tmp_path / "a.csv", task_name="task_3.2", **changes)
    assert row.noise == ((0, None, 3),)
    assert to_item(row).facts["noise"] == [[[0, None, 3], "irrelevant"]]


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        ("task_name", "task_1.0", "says k=0"),
        ("task_split", "foo", "is 'foo', not train, valid or test"),
        (
            "proof_state",
            "[{('A', 'aunt', 'C'): [('A', 'father', 'B'), ('B', 'sister', 'C')]}]",
            "names 'A', who is not",
        ),
        ("genders", "Ann:female,Ben,Cat:female", "NAME:male"),
        ("genders", "Ann:female,Ann:male,Cat:female", "twice"),
        ("genders", "", "NAME:male"),
        ("genders", ",".join(f"N{i}:male" for i in range(100)), "at most 64"),
        ("story_edges", "[(0, 1), (1, 9)]", "person 9"),
        ("story_edges", "[(0, 1), (1, -2)]", "person -2"),
        ("story_edges", "[(0, 1), (1, True)]", "pair of people"),
        ("story_edges", "__import__('os').getcwd()", "not a list or a tuple"),
        ("story_edges", "[" * 5000, "nested"),
        ("story_edges", "[" + "(0, 1)," * 60000, "longer than"),
        ("story_edges", "0" * 5000, "not a list"),
        ("edge_types", "['father', 'cousin']", "'cousin'"),
        ("edge_types", "['father', 'sister', 'son']", "types 3 edges"),
        ("edge_types", "[]", "has no facts"),
        ("edge_types", "[['father'], 'sister']", "not one of the 22"),
        ("query_edge", "(0, 0)", "to themselves"),
        ("query_edge", "{0: 1}", "pair of people"),
        ("query", "('Ann', 'Ben')", "other people"),
        ("target", "grandmaster", "'grandmaster'"),
        ("task_name", "task_1.7", "k=7"),
        ("task_name", "1.2", "not task_T.k"),
        ("proof_state", "[{('Ann', 'aunt'): []}]", "not {fact"),
        ("proof_state", "{1: 2}", "list of steps"),
    ],
)
def test_hostile_cells_are_told_with_their_place(tmp_path: Path, column: str, text: str, reason: str) -> None:
    path = tmp_path / "hostile.csv"
    with pytest.raises(ProbandError, match=f"hostile.csv line 2: column '{column}'") as error:
        only(path, **{column: text})
    assert reason in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda row: row.replace(b"Ann", b"\xff\xfe"), "UTF-8"),
        (lambda row: b'"' + b"x" * (2 << 20) + b'"\n', "1 cells"),
        (lambda row: b"1,2,3\n", "3 cells"),
    ],
)
def test_a_row_that_is_none_is_told_with_its_line(
    tmp_path: Path, change: Callable[[bytes], bytes], reason: str
) -> None:
    path = tmp_path / "a.csv"
    write_cells([GOOD, GOOD], path)
    header, first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first + change(second))
    with pytest.raises(ProbandError, match=rf"a\.csv line 3: .*{reason}"):
        list(read_rows(path))


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\x00\x01", b"target,story_edges\n"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    with pytest.raises(ProbandError, match=r"other\.csv"):
        list(read_rows(path))


def test_damaged_gzip_and_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([COLUMNS, *[[GOOD.get(c, "") for c in COLUMNS]] * 300])
    assert sum(1 for _ in read_rows(path)) == 300
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ProbandError, match=r"a\.csv\.gz: cannot be read"):
        list(read_rows(path))
    with pytest.raises(ProbandError, match="no such file"):
        list(read_rows(tmp_path / "none.csv"))


def test_literal_parser_takes_no_code() -> None:
    for text in ("open('x')", "1+", "lambda: 0", "[x for x in (1,)]", "f'{1}'"):
        with pytest.raises(ValueError, match="not a list"):
            literal(text)


@pytest.mark.data
@pytest.mark.nightly
def test_the_six_releases(data: Path, tmp_path: Path) -> None:
    """Every row reads; the counts are those of the releases' own page; a row written and read again is the same."""
    counts: Counter[str] = Counter()
    files = sorted((data / "clutrr").glob("data_*/*.csv.gz"))
    for path in files:
        rows = list(read_rows(path))
        counts[path.parent.name] += len(rows)
        assert {row.split for row in rows} == {"train" if "_train" in path.name else "test"}
        sample = rows[:: max(1, len(rows) // 40)]
        written = [to_cells(to_item(row)) for row in sample]
        write_cells(written, tmp_path / "again.csv")
        as_read = {row.line: str(row.cells["f_comb"]) for row in read_table(path, kind=".csv", separator=",")}
        for row, again, cells in zip(sample, read_rows(tmp_path / "again.csv"), written, strict=True):
            for name in ("id", "names", "genders", "query", "target", "task", "k", "split", "proof", "story"):
                assert getattr(row, name) == getattr(again, name), (path.name, row.line, name)
            assert as_read[row.line] == cells["f_comb"]
            assert (row.chain, row.noise) == (again.chain, again.noise)
    assert len(files) == 44
    assert counts == {
        "data_089907f8": 11240,
        "data_db9b8f04": 16131,
        "data_7c5b0e70": 10571,
        "data_06b8f2a1": 10601,
        "data_523348e6": 10543,
        "data_d83ecc3e": 10545,
    }
