"""What a grid looks like: dots with intervals, lines along a number, or a heat map.

Numbers on the columns (k, layer) make lines; few rows make dots; many rows make a heat map. Each is a function of
the grid and a width, so that the page has a wide and a narrow drawing of the same figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proband.core.types import Published
from proband.report import words
from proband.report.cells import Cell
from proband.report.grids import Grid, Key
from proband.report.marks import Mark, Picture, colour_of, shape_of

WIDE, NARROW = 1040.0, 322.0
MANY_ROWS = 9


def kind(grid: Grid) -> Callable[[Grid, float], Picture]:
    """The drawing that suits a grid."""
    if grid.numeric and len(grid.columns) >= 3:
        from proband.report.lines import line_plot

        return line_plot
    if len(grid.rows) > MANY_ROWS:
        from proband.report.heat import heat_map

        return heat_map
    return dot_plot


# ---- what all three share ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float
    percent: bool

    def __call__(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 4) -> list[float]:
        """Round numbers inside the range.

        >>> Axis(0.3, 1.0, 0, 1, True).ticks()
        [0.4, 0.6, 0.8, 1.0]
        """
        raw = (self.high - self.low) / about
        size = 10 ** math.floor(math.log10(raw))
        step = next(step for step in (size, 2 * size, 2.5 * size, 5 * size, 10 * size) if step >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 10) for i in range(first, last + 1)]

    def name(self, value: float) -> str:
        return f"{100 * value:g}" if self.percent else f"{value:g}"


def value_range(grid: Grid) -> tuple[float, float]:
    """Wide enough for every interval, chance level and published figure, and rounded outward."""
    seen: list[float] = []
    for found in grid.cells.values():
        for cell in found:
            if cell is not None:
                seen += [cell.estimate.low, cell.estimate.high, *([cell.chance] if cell.chance is not None else [])]
    seen += [figure.value for cell in grid.published.values() for figure in cell.values()]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    step = 0.1 if grid.percent else 10 ** math.floor(math.log10(max(high - low, abs(high), 1e-6))) / 2
    low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    return (low, high) if high > low else (low - step, high + step)


def tip(grid: Grid, run: int, row: Key | None, column: Key, cell: Cell) -> str:
    """The words of a tooltip."""
    e = cell.estimate
    value = words.figure(e.mean, percent=grid.percent)
    span = words.interval(e.low, e.high, percent=grid.percent)
    lines = [grid.labels[run], place(grid, row, column), f"{value} {span}"]
    lines.append(f"{words.count(e.n, 'answer')} in {words.count(e.clusters, 'cluster')}")
    if cell.chance is not None:
        lines.append(f"chance {words.figure(cell.chance, percent=grid.percent)}: {cell.against_chance} chance")
    return "\n".join(line for line in lines if line)


def published_tip(grid: Grid, figure: Published, row: Key | None, column: Key) -> str:
    value = words.figure(figure.value, percent=grid.percent)
    lines = [f"{figure.model} (published)", place(grid, row, column), value, figure.source]
    return "\n".join(line for line in lines if line)


def place(grid: Grid, row: Key | None, column: Key) -> str:
    """`ES · reverse`, naming only what the table splits by."""
    parts = [words.key(grid.table.rows, row)] if grid.table.rows else []
    return " · ".join([*parts, *([grid.heading(column)] if column else [])])


def fitted(text: str, width: float, *, size: float = 12.0) -> str:
    """Shortened to a width, by an average letter.

    >>> fitted("encyclopedic", 40), fitted("ES", 40)
    ('encyc…', 'ES')
    """
    most = max(2, int(width / (0.55 * size)))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def text_width(texts: Sequence[str], *, size: float = 12.0) -> float:
    return max((len(text) for text in texts), default=0) * 0.56 * size


def describe(grid: Grid) -> str:
    """For those who do not see the figure: every number is in the table below it."""
    return f"{words.count(len(grid.labels), 'model')}; the numbers are in the table."


# ---- dots ----------------------------------------------------------------------------------------------------------


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
    columns = grid.columns if grid.columns else ()
    per = 1 if narrow else max(1, min(len(columns), 4))
    names = text_width([band.label for band in bands])
    left = min(names + 14, (0.38 if narrow else 0.26) * width)
    lane, pad, top = 13.0, 12.0, 26.0 if len(columns) > 1 else 6.0
    heights = [pad + lane * (len(band.runs) + band.published) for band in bands]
    panel = (width - left - 8) / per
    tall = top + sum(heights) + 34
    low, high = value_range(grid)
    marks: list[Mark] = []
    for i, column in enumerate(columns):
        x, y = left + (i % per) * panel, (i // per) * tall
        axis = Axis(low, high, x + 8, x + panel - 18, grid.percent)
        if len(columns) > 1:
            title = fitted(grid.heading(column), panel - 12, size=13)
            marks.append(Mark(kind="text", at=(x + 8, y + 14), text=title, size=13, bold=True))
        marks += _panel_frame(axis, y + top, y + top + sum(heights), stripes=heights)
        at = y + top
        for band, tallness in zip(bands, heights):
            if i % per == 0:
                shown = fitted(band.label, left - 8)
                marks.append(
                    Mark(kind="text", at=(left - 6, at + tallness / 2 + 4), text=shown, paint="ink", anchor="end")
                )
            marks += _strip(grid, band, column, axis, at, tallness, lane)
            at += tallness
    high_up = tall * math.ceil(len(columns) / per)
    title = f"{grid.table.title}, {words.metric(grid.table.metric)}"
    return Picture(width=width, height=high_up, marks=tuple(marks), title=title, description=describe(grid))


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
        name = axis.name(tick)
        marks.append(Mark(kind="text", at=(x, bottom + 15), text=name, size=11, paint="soft", anchor="middle"))
    return marks


def _strip(grid: Grid, band: Band, column: Key, axis: Axis, top: float, height: float, lane: float) -> list[Mark]:
    marks: list[Mark] = []
    found = grid.cells.get((band.row, column), ())
    chance = next((cell.chance for cell in found if cell is not None and cell.chance is not None), None)
    if chance is not None:
        x = axis(chance)
        marks.append(Mark(kind="line", at=(x, top, x, top + height), paint="rule", width=1.5, dash="3 3"))
    y = top + (height - lane * (len(band.runs) + band.published)) / 2 + lane / 2
    for run in band.runs:
        cell = found[run] if run < len(found) else None
        if cell is not None:
            words_ = tip(grid, run, band.row, column, cell)
            paint, ends = colour_of(run), (axis(cell.estimate.low), y, axis(cell.estimate.high), y)
            marks.append(Mark(kind="line", at=ends, paint=paint, width=2.5, opacity=0.55, model=run))
            dot = (axis(cell.estimate.mean), y, 4.0)
            marks.append(Mark(kind="dot", at=dot, paint=paint, shape=shape_of(run), model=run, tip=words_))
        y += lane
    for figure in grid.published.get((band.row, column), {}).values() if band.published else ():
        words_ = published_tip(grid, figure, band.row, column)
        dot = (axis(figure.value), y, 3.6)
        marks.append(Mark(kind="dot", at=dot, paint="pub", shape="diamond", hollow=True, tip=words_))
    return marks
