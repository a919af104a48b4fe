"""CLUTRR's CSV files, plain or gzipped, row by row."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

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
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with _open(path) as file:
            yield from _cells(_lines(file, path), path)
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None
    finally:
        csv.field_size_limit(before)


def _open(path: Path) -> TextIO:
    # surrogateescape: bytes that are not UTF-8 spoil their row, not the file
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape", newline="")
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ProbandError(f"longer than {LONGEST_LINE >> 20} MiB", file=path, line=number)
        yield line


def _cells(lines: Iterator[str], path: Path) -> Iterator[tuple[int, dict[str, str]] | Unreadable]:
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise ProbandError(f"not CSV: {error}", file=path, line=1) from None
    if header is None:
        raise ProbandError("is empty", file=path)
    header = [name.strip() for name in header]
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise ProbandError(f"not a CLUTRR file: it has no column {missing[0]!r}", file=path, line=1)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Unreadable(file=path.name, line=line, column="", reason=f"not CSV: {error}")
            continue
        cells = dict(zip(header, values))
        if "target_text" in cells:
            cells["target"] = cells.pop("target_text")
        if len(values) != len(header):
            reason = f"has {len(values)} cells but the header names {len(header)}"
            yield Unreadable(file=path.name, line=line, column="", reason=reason, cells=cells)
        elif bad := next((name for name, value in cells.items() if not value.isascii() and _escaped(value)), None):
            yield Unreadable(file=path.name, line=line, column=bad, reason="is not UTF-8")
        else:
            yield line, cells


def _escaped(value: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in value)
