"""Dots with intervals: a strip per row, a panel per column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proband.report.draw.axes import Axis, chance_of, picture, published_tip, shorten, text_width, tip, value_range
from proband.report.draw.marks import Mark, Picture, colour_of, shape_of
from proband.report.numbers import words
from proband.report.numbers.grids import Grid, Key


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
    low, high = value_range(grid)
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
        levels = [level for band in bands if (level := chance_of(grid, band.row, column)) is not None]
        if levels:
            where = (axis(levels[0]), at + 28)
            marks.append(Mark(kind="text", at=where, text="chance", size=10.5, paint="soft", anchor="middle"))
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
        name = axis.name(tick)
        marks.append(Mark(kind="text", at=(x, bottom + 15), text=name, size=11, paint="soft", anchor="middle"))
    return marks


def _strip(grid: Grid, band: Band, column: Key, axis: Axis, top: float, height: float, lane: float) -> list[Mark]:
    marks: list[Mark] = []
    found = grid.cells.get((band.row, column), ())
    chance = chance_of(grid, band.row, column)
    if chance is not None:
        x = axis(chance)
        marks.append(Mark(kind="line", at=(x, top, x, top + height), paint="rule", width=1.5, dash="3 3"))
    y = top + (height - lane * (len(band.runs) + band.published)) / 2 + lane / 2
    for run in band.runs:
        cell = found[run] if run < len(found) else None
        if cell is not None:
            words_ = tip(grid, run, band.row, column, cell)
            few, hue = cell.estimate.few, grid.hue(run)
            paint, ends = colour_of(hue), (axis(cell.estimate.low), y, axis(cell.estimate.high), y)
            if not few:
                marks.append(Mark(kind="line", at=ends, paint=paint, width=2.5, opacity=0.55, model=run))
            look: dict[str, Any] = {
                "paint": "pub" if few else paint,
                "shape": shape_of(hue),
                "opacity": 0.6 if few else 1.0,
            }
            marks.append(Mark(kind="dot", at=(axis(cell.estimate.mean), y, 4.0), model=run, tip=words_, **look))
        y += lane
    for figure in grid.published.get((band.row, column), {}).values() if band.published else ():
        words_ = published_tip(grid, figure, band.row, column)
        dot = (axis(figure.value), y, 3.6)
        marks.append(Mark(kind="dot", at=dot, paint="pub", shape="diamond", hollow=True, tip=words_))
    return marks
