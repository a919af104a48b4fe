"""Tables in CSV: long, one line per number at full precision, for whoever computes on."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import lines

COLUMNS = ("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "chance", "runs", "sd", "source")


def comma_separated(grid: Grid) -> str:
    """One line per number: the tags, then COLUMNS. The empty tag stands for `all`."""
    body = []
    for line in lines(grid):
        row = [""] * len(grid.table.rows) if line.row is None else list(line.row)
        for column, cell, value in zip(grid.columns, line.cells, line.figures):
            if value is None:
                continue
            start = [words.tag(v) if v != "" else "" for v in (*row, *column)]
            if cell is None:
                numbers = ["published", line.label, grid.metric.name, repr(value), *[""] * 7, line.source]
            else:
                e = cell.estimate
                numbers = ["ours", line.label, e.metric, repr(e.mean), repr(e.low), repr(e.high), str(e.n)]
                numbers += [str(e.clusters), _or_empty(cell.chance), str(cell.runs), _or_empty(cell.sd), ""]
            body.append([*start, *numbers])
    return csv_text([*map(words.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS], body)


def _or_empty(number: float | None) -> str:
    return "" if number is None else repr(number)


def csv_text(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_inert(text) for text in line] for line in body)
    return out.getvalue()


def _inert(text: str) -> str:
    """A spreadsheet takes a cell that begins with = + - or @ for a formula; an apostrophe keeps it text.

    >>> _inert("=HYPERLINK(1)"), _inert("-1.5"), _inert("m")
    ("'=HYPERLINK(1)", '-1.5', 'm')
    """
    if text[:1] in ("=", "+", "-", "@", "\t", "\r"):
        try:
            float(text)
        except ValueError:
            return "'" + text
    return text
