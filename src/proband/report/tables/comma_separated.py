"""Tables in CSV: long, one line per number at full precision, for whoever computes on."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import lines

Plain = str | float | int | None
COLUMNS = (
    *("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "effective", "too_few"),
    *("chance", "runs", "sd", "from_seeds", "source", "differs", "unread", "skipped", "not_covered", "items"),
)


def comma_separated(grid: Grid) -> str:
    """One line per number: the tags, then COLUMNS. The empty tag stands for `all`."""
    body = []
    for line in lines(grid):
        row = [""] * len(grid.table.rows) if line.row is None else list(line.row)
        for column, cell, value in zip(grid.columns, line.cells, line.figures):
            if value is None:
                continue
            start = [words.tag(v) for v in (*row, *column)]
            numbers: list[Plain] = [
                "published",
                line.label,
                grid.metric.name,
                value,
                *[None] * 10,
                line.source,
                *[None] * 5,
            ]
            if cell is not None:
                e = cell.estimate
                ends = [None, None] if e.few else [e.low, e.high]
                numbers = ["ours", line.label, e.metric, e.mean, *ends, e.n, e.clusters, round(e.effective, 2)]
                numbers += [
                    "yes" if e.few else "no",
                    cell.chance,
                    cell.runs,
                    cell.sd,
                    e.from_seeds,
                    None,
                    "; ".join(line.differs) or None,
                    round(cell.unread, 6),
                    cell.skipped,
                    cell.uncovered,
                    grid.scope or None,
                ]
            body.append([*start, *numbers])
    return csv_text([*map(words.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS], body)


def csv_text(head: Sequence[str], body: Iterable[Sequence[Plain]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_inert(cell) if isinstance(cell, str) else cell for cell in line] for line in body)
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
