"""A heat map, rows x columns, a panel per model: blue above chance, orange below, pale where the interval includes
chance."""

from __future__ import annotations

import math

from proband.core.metrics import Metric
from proband.report.draw.axes import picture, shorten, text_width, tip, value_range
from proband.report.draw.marks import Mark, Picture, colour_of
from proband.report.numbers import words
from proband.report.numbers.cells import Cell
from proband.report.numbers.grids import Grid, Key

ROW = 21.0
DEEPEST = 0.85  # how much of the full colour the extreme has, so that the figure on it stays readable


def heat_map(grid: Grid, width: float) -> Picture:
    """Every cell of a large table at a glance."""
    narrow = width < 500
    runs = [run for run in range(len(grid.labels)) if any(found[run] for found in grid.cells.values())]
    names = [words.key(grid.table.rows, row) for row in grid.rows]
    left = min(text_width(names, size=11) + 10, (0.4 if narrow else 0.2) * width)
    wish = max(48.0 * len(grid.columns), 90.0) + 14
    per = 1 if narrow else max(1, min(len(runs), int((width - left) // wish)))
    panel = (width - left) / per
    size = (min(panel - 14, 110.0 * len(grid.columns))) / max(1, len(grid.columns))
    heads = [grid.heading(column) for column in grid.columns]
    slanted = text_width(heads, size=11) > size - 4
    top = 30 + (min(text_width(heads, size=11) * 0.66 + 6, 78) if slanted else 18)
    tall = top + ROW * len(grid.rows) + 22
    marks: list[Mark] = []
    span = value_range(grid)
    for i, run in enumerate(runs):
        x, y = left + (i % per) * panel, (i // per) * tall
        label = shorten(grid.labels[run], panel - 14, size=13)
        marks.append(
            Mark(kind="text", at=(x, y + 14), text=label, size=13, bold=True, paint=colour_of(grid.hue(run)), model=run)
        )
        for j, head in enumerate(heads):
            marks.append(_heading(head, x + j * size, y + top - 6, size, slanted=slanted, run=run))
        for r, (row, name) in enumerate(zip(grid.rows, names)):
            middle = y + top + r * ROW
            if i % per == 0:
                at, shown = (left - 6, middle + 15), shorten(name, left - 8, size=11)
                marks.append(Mark(kind="text", at=at, text=shown, size=11, anchor="end", bold=row is None))
            for j, column in enumerate(grid.columns):
                marks += _square(grid, run, row, column, (x + j * size, middle, size), span)
    return picture(grid, width, tall * math.ceil(len(runs) / per), marks)


def _heading(text: str, x: float, y: float, size: float, *, slanted: bool, run: int) -> Mark:
    if slanted:
        at, shown = (x + size / 2 - 4, y), shorten(text, 105, size=11)
        return Mark(kind="text", at=at, text=shown, size=11, paint="soft", turn=-35, model=run)
    return Mark(kind="text", at=(x + size / 2, y), text=text, size=11, paint="soft", anchor="middle", model=run)


def _square(
    grid: Grid, run: int, row: Key | None, column: Key, where: tuple[float, float, float], span: tuple[float, float]
) -> list[Mark]:
    cell = grid.cells[row, column][run]
    if cell is None:
        return []
    x, y, size = where
    few, sign = cell.estimate.few, "°" if cell.against_chance == "at" else ""
    text = words.figure(cell.estimate.mean, grid.metric)
    shown = (text.partition(".")[0] if size < 36 else text) + sign
    words_ = tip(grid, run, row, column, cell)
    paint = "band" if few else shade(cell, span, grid.metric)
    rect = (x + 1, y + 1, size - 2, ROW - 2)
    at = (x + size / 2, y + 15)
    return [
        Mark(kind="rect", at=rect, paint=paint, model=run, tip=words_),
        Mark(kind="text", at=at, text=shown, size=11, anchor="middle", model=run, paint="soft" if few else "ink"),
    ]


def shade(cell: Cell, span: tuple[float, float], metric: Metric) -> str:
    """How far from chance, as a share of the way to 1 (or to 0); without chance, how good in the range.

    >>> from proband.core.metrics import ACCURACY
    >>> from proband.core.types import Estimate
    >>> e = Estimate(metric="accuracy", group={}, mean=0.75, low=0.7, high=0.8, n=9)
    >>> shade(Cell(e, 0.5), (0, 1), ACCURACY), shade(Cell(e, None), (0.5, 1.0), ACCURACY)
    ('high 0.42', 'high 0.42')
    >>> shade(Cell(e, 0.72), (0, 1), ACCURACY)
    'high 0.00'
    """
    mean, chance = cell.estimate.mean, cell.chance
    if cell.against_chance == "at":
        return "high 0.00"
    if chance is None or not 0 < chance < 1:
        low, high = span if metric.better == "high" else span[::-1]
        return f"high {DEEPEST * (mean - low) / (high - low):.2f}"
    if mean >= chance:
        return f"high {DEEPEST * (mean - chance) / (1 - chance):.2f}"
    return f"low {DEEPEST * (chance - mean) / chance:.2f}"
