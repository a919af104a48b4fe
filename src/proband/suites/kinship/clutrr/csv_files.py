"""CLUTRR's CSV files, plain or gzipped, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from proband.auditing.rows import csv_rows, is_utf8, open_text
from proband.core.errors import ProbandError
from proband.suites.kinship.clutrr.rows import LONGEST_CELL, LONGEST_LINE, NEEDED, Row, Unreadable, row_of


def scan(path: Path) -> Iterator[Row | Unreadable]:
    """Every row of a file, plain or gzipped, in order; a row that cannot be read is told, not skipped."""
    for cells in scan_cells(path):
        yield cells if isinstance(cells, Unreadable) else row_of(cells[1], file=path.name, line=cells[0])


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file; the first that cannot be read ends it with an error."""
    for row in scan(path):
        if isinstance(row, Unreadable):
            raise ProbandError(row.what, file=path, line=row.line)
        yield row


def scan_cells(path: Path) -> Iterator[tuple[int, dict[str, str]] | Unreadable]:
    """(line, cells by column) of each row, unparsed."""
    with open_text(path) as file:
        yield from _cells(csv_rows(_lines(file, path), longest=LONGEST_CELL), path)


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ProbandError(f"longer than {LONGEST_LINE >> 20} MiB", file=path, line=number)
        yield line


def _cells(
    rows: Iterator[tuple[int, list[str] | str]], path: Path
) -> Iterator[tuple[int, dict[str, str]] | Unreadable]:
    _, header = next(rows, (1, None))
    if header is None:
        raise ProbandError("is empty", file=path)
    if isinstance(header, str):
        raise ProbandError(header, file=path, line=1)
    names = [name.strip() for name in header]
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise ProbandError(f"not a CLUTRR file: it has no column {missing[0]!r}", file=path, line=1)
    for line, values in rows:
        if isinstance(values, str):
            yield Unreadable(file=path.name, line=line, column="", reason=values)
            continue
        cells = dict(zip(names, values))
        if "target_text" in cells:
            cells["target"] = cells.pop("target_text")
        if len(values) != len(names):
            reason = f"has {len(values)} cells but the header names {len(names)}"
            yield Unreadable(file=path.name, line=line, column="", reason=reason)
        elif bad := next((name for name, value in cells.items() if not is_utf8(value)), None):
            yield Unreadable(file=path.name, line=line, column=bad, reason="is not UTF-8")
        else:
            yield line, cells
