"""Cells of CSV files that a spreadsheet will not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from proband.core.files import atomic

DANGEROUS = re.compile(r"\s*[=+\-@|%]|[\t\r\n]")


def cell(value: Any) -> Any:
    """A value as a cell: a text that a spreadsheet would take for a formula gets an apostrophe before it.

    >>> cell("=1+1"), cell("plain"), cell(-0.5), cell(None)
    ("'=1+1", 'plain', -0.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, str) and DANGEROUS.match(value):
        return "'" + value
    return value


def csv_text(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(value) for value in row] for row in rows)
    return made.getvalue()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Gives the number of rows."""
    count = 0
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow([cell(value) for value in row])
            count += 1
    return count
