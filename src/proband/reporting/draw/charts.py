"""Which drawing suits a grid, and two of the drawings: dots with intervals, and a heat map.

Numbers on the columns (k, layer) make lines; few rows make dots; many rows make a heat map (blue above chance or, where
there is one, the best shortcut; orange below; pale where the interval includes it). Each is a function of the grid and
a width, so that the page has a wide and a narrow drawing of the same figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from proband.core.metrics import Metric
from proband.reporting.draw.lines import line_plot
from proband.reporting.draw.marks import (
    Axis,
    Mark,
    Picture,
    colour_of,
    picture,
    shape_of,
    shorten,
    soft_text,
    text_width,
)
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell
from proband.reporting.numbers.grids import Grid, Key, published_tip, tip
from proband.reporting.numbers.systems import Comparison

MANY_ROWS = 9


def drawing(grid: Grid) -> Callable[[Grid, float], Picture]:
    if grid.numeric and len(grid.columns) >= 3:
        return line_plot
    return heat_map if len(grid.rows) > MANY_ROWS else dot_plot


# ---- dots with intervals: a strip per row, a panel per column --------------------------------------------------------


@dataclass(frozen=True)
class Band:
    """One labelled strip of a dot plot and the runs in it; `row` is the row of the grid."""

    label: str
    row: Key | None
    runs: tuple[int, ...]
    published: bool


def dot_plot(grid: Grid, width: float) -> Picture:
    """A dot and its interval per model, a strip per row, a panel per column; dashes mark chance."""
    bands = _bands(grid)
    narrow = width < 500
    columns = grid.columns
    per = 1 if narrow else max(1, min(len(columns), 4))
    names = text_width([band.label for band in bands])
    left = min(names + 14, (0.38 if narrow else 0.26) * width)
    lane, pad, top = 13.0, 12.0, 26.0 if len(columns) > 1 else 6.0
    heights = [pad + lane * (len(band.runs) + band.published) for band in bands]
    panel = (width - left - 8) / per
    tall = top + sum(heights) + 34
    low, high = grid.value_range
    marks: list[Mark] = []
    for i, column in enumerate(columns):
        x, y = left + (i % per) * panel, (i // per) * tall
        axis = Axis(low, high, x + 8, x + panel - 18, grid.metric.percent)
        if len(columns) > 1:
            name = shorten(grid.heading(column), panel - 12, size=13)
            marks.append(Mark(kind="text", at=(x + 8, y + 14), text=name, size=13, bold=True))
        marks += _panel_frame(axis, y + top, y + top + sum(heights), stripes=heights)
        at = y + top
        for band, tallness in zip(bands, heights):
            if i % per == 0:
                shown = shorten(band.label, left - 8)
                marks.append(
                    Mark(kind="text", at=(left - 6, at + tallness / 2 + 4), text=shown, paint="ink", anchor="end")
                )
            marks += _strip(grid, band, column, axis, at, tallness, lane)
            at += tallness
        levels = [level for band in bands if (level := grid.chance_at(band.row, column)) is not None]
        if levels:
            marks.append(soft_text(axis(levels[0]), at + 28, "chance", size=10.5))
    return picture(grid, width, tall * math.ceil(len(columns) / per), marks)


def _bands(grid: Grid) -> list[Band]:
    if grid.table.rows:
        runs = tuple(range(len(grid.labels)))
        return [Band(words.key(grid.table.rows, row), row, runs, bool(grid.others(row))) for row in grid.rows]
    own = [Band(label, grid.rows[0], (run,), False) for run, label in enumerate(grid.labels) if grid.rows]
    return own + ([Band("published", grid.rows[0], (), True)] if grid.rows and grid.others(grid.rows[0]) else [])


def _panel_frame(axis: Axis, top: float, bottom: float, *, stripes: Sequence[float]) -> list[Mark]:
    """Stripes, grid lines and tick names."""
    marks, at = [], top
    for i, height in enumerate(stripes):
        if i % 2 == 0:
            rect = (axis.start - 8, at, axis.end - axis.start + 16, height)
            marks.append(Mark(kind="rect", at=rect, paint="band"))
        at += height
    for tick in axis.ticks():
        x = axis(tick)
        marks.append(Mark(kind="line", at=(x, top, x, bottom), paint="faint"))
        marks.append(soft_text(x, bottom + 15, axis.name(tick)))
    return marks


def _strip(grid: Grid, band: Band, column: Key, axis: Axis, top: float, height: float, lane: float) -> list[Mark]:
    marks: list[Mark] = []
    cells = grid.cells.get((band.row, column), ())
    chance = grid.chance_at(band.row, column)
    if chance is not None:
        x = axis(chance)
        marks.append(Mark(kind="line", at=(x, top, x, top + height), paint="rule", width=1.5, dash="3 3"))
    y = top + (height - lane * (len(band.runs) + band.published)) / 2 + lane / 2
    for run in band.runs:
        cell = cells[run] if run < len(cells) else None
        if cell is not None:
            e, text, hue = cell.estimate, tip(grid, run, band.row, column, cell), grid.hue(run)
            dot = Mark(kind="dot", at=(axis(e.mean), y, 4.0), shape=shape_of(hue), model=run, tip=text)
            if e.few:
                marks.append(replace(dot, paint="pub", opacity=0.6))
            else:
                ends, paint = (axis(e.low), y, axis(e.high), y), colour_of(hue)
                marks.append(Mark(kind="line", at=ends, paint=paint, width=2.5, opacity=0.55, model=run))
                marks.append(replace(dot, paint=paint))
        y += lane
    for figure in grid.published.get((band.row, column), {}).values() if band.published else ():
        text, at = published_tip(grid, figure, band.row, column), (axis(figure.value), y, 3.6)
        marks.append(Mark(kind="dot", at=at, paint="pub", shape="diamond", hollow=True, tip=text))
    return marks


# ---- a heat map, rows x columns, a panel per model -------------------------------------------------------------------


ROW = 21.0
DEEPEST = 0.85  # how much of the full colour the extreme has, so that the figure on it stays readable


def heat_map(grid: Grid, width: float) -> Picture:
    """Every cell of a large table at a glance."""
    narrow = width < 500
    runs = [run for run in range(len(grid.labels)) if any(cells[run] for cells in grid.cells.values())]
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
    span = grid.value_range
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
    few, sign = cell.estimate.few, "°" if cell.against_level == "at" else ""
    text = words.figure(cell.estimate.mean, grid.metric)
    shown = (text.partition(".")[0] if size < 36 else text) + sign
    tip_text = tip(grid, run, row, column, cell)
    paint = "band" if few else shade(cell, span, grid.metric)
    rect = (x + 1, y + 1, size - 2, ROW - 2)
    at = (x + size / 2, y + 15)
    return [
        Mark(kind="rect", at=rect, paint=paint, model=run, tip=tip_text),
        Mark(kind="text", at=at, text=shown, size=11, anchor="middle", model=run, paint="soft" if few else "ink"),
    ]


def shade(cell: Cell, span: tuple[float, float], metric: Metric) -> str:
    """How far from the level to beat, as a share of the way to 1 (or to 0); without one, how good in the range.

    >>> from proband.core.metrics import ACCURACY
    >>> from proband.core.types import Estimate
    >>> e = Estimate(metric="accuracy", group={}, mean=0.75, low=0.7, high=0.8, n=9)
    >>> shade(Cell(e, 0.5), (0, 1), ACCURACY), shade(Cell(e, None), (0.5, 1.0), ACCURACY)
    ('high 0.42', 'high 0.42')
    >>> shade(Cell(e, 0.72), (0, 1), ACCURACY)
    'high 0.00'
    """
    mean, chance = cell.estimate.mean, cell.level
    if cell.against_level == "at":
        return "high 0.00"
    if chance is None or not 0 < chance < 1:
        low, high = span if metric.better == "high" else span[::-1]
        return f"high {DEEPEST * (mean - low) / (high - low):.2f}"
    if mean >= chance:
        return f"high {DEEPEST * (mean - chance) / (1 - chance):.2f}"
    return f"low {DEEPEST * (chance - mean) / chance:.2f}"


# ---- a small drawing of each difference: its interval against zero ---------------------------------------------------


WIDTH, HEIGHT = 150.0, 18.0


def differences(compared: Sequence[Comparison]) -> list[Picture]:
    """One picture per comparison, all on one axis."""
    span = (min(0.0, *(c.low for c in compared), -1e-9), max(1e-9, *(c.high for c in compared)))
    return [_drawing(c, span) for c in compared]


def _drawing(c: Comparison, span: tuple[float, float]) -> Picture:
    axis = Axis(*span, 6, WIDTH - 6)
    paint, y = ("m0" if c.clear else "pub"), HEIGHT / 2
    marks = (
        Mark(kind="line", at=(axis(0), 0, axis(0), HEIGHT), paint="rule", dash="3 3"),
        Mark(kind="line", at=(axis(c.low), y, axis(c.high), y), paint=paint, width=2.5, opacity=0.55),
        Mark(kind="dot", at=(axis(c.difference), y, 4), paint=paint, hollow=not c.clear),
    )
    title = f"{c.a} against {c.b}"
    return Picture(width=WIDTH, height=HEIGHT, marks=marks, title=title, description="interval of the difference")
