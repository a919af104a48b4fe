"""Tables in CSV: long, one line per number at full precision, for whoever computes on."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.text import csv_lines
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
    body: list[Sequence[Plain]] = []
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
    head = [*map(words.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS]
    return "".join(csv_lines([head, *body]))
