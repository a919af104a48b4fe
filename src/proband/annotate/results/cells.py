"""Cells of CSV files that a spreadsheet will not run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from proband.core.files import atomic

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def cell(value: Any) -> Any:
    """A value as a cell: a text that a spreadsheet would take for a formula gets an apostrophe before it.

    >>> cell("=1+1"), cell("plain"), cell(-0.5), cell(None)
    ("'=1+1", 'plain', -0.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, str) and (value.startswith(DANGEROUS) or value.lstrip().startswith(DANGEROUS)):
        return "'" + value
    return value


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow([cell(value) for value in row])
