"""What all drawings of a grid share: the axis, tooltips, names that fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proband.core.suite import Published
from proband.reporting.draw.marks import Mark, Picture
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell
from proband.reporting.numbers.grids import Grid, Key

WIDE, NARROW = 1040.0, 322.0


@dataclass(frozen=True)
class Axis:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float
    percent: bool = False

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
                e = cell.estimate
                seen += [e.mean] if e.few else [e.low, e.high]
                seen += [cell.chance] if cell.chance is not None else []
    seen += [figure.value for cell in grid.published.values() for figure in cell.values()]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    step = 0.1 if grid.metric.percent else 10 ** math.floor(math.log10(max(high - low, abs(high), 1e-6))) / 2
    low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    return (low, high) if high > low else (low - step, high + step)


def chance_of(grid: Grid, row: Key | None, column: Key) -> float | None:
    """The chance level of a cell, which is that of its items."""
    found = grid.cells.get((row, column), ())
    return next((cell.chance for cell in found if cell is not None and cell.chance is not None), None)


def tip(grid: Grid, run: int, row: Key | None, column: Key, cell: Cell) -> str:
    """The words of a tooltip."""
    e = cell.estimate
    value = words.figure(e.mean, grid.metric)
    lines = [grid.labels[run], place(grid, row, column), f"{value} {words.span(e, grid.metric)}"]
    lines.append(words.spread(cell.sd, cell.runs, grid.metric))
    if e.from_seeds is not None:
        lines.append(f"{100 * e.from_seeds:.0f}% of the variance from training seeds")
    lines.append(f"{words.count(e.n, 'answer')} in {words.count(e.clusters, 'cluster')}")
    if cell.unread:
        lines.append(f"{100 * cell.unread:.1f}% of the replies unread (counted as wrong)")
    if cell.skipped:
        lines.append(f"{words.count(cell.skipped, 'item')} skipped (not counted)")
    if cell.uncovered:
        lines.append(f"{words.count(cell.uncovered, 'item')} not covered (not counted)")
    if cell.chance is not None:
        lines.append(f"chance {words.figure(cell.chance, grid.metric)}")
    if cell.shortcut is not None:
        lines.append(f"best shortcut {words.figure(cell.shortcut, grid.metric)}")
    if cell.against_level:
        lines[-1] += f": {cell.against_level} {cell.level_name}"
    return "\n".join(line for line in lines if line)


def published_tip(grid: Grid, figure: Published, row: Key | None, column: Key) -> str:
    value = words.figure(figure.value, grid.metric)
    lines = [f"{figure.model} (published)", place(grid, row, column), value, figure.source]
    return "\n".join(line for line in lines if line)


def place(grid: Grid, row: Key | None, column: Key) -> str:
    """`ES · reverse`, naming only what the table splits by."""
    parts = [words.key(grid.table.rows, row)] if grid.table.rows else []
    return " · ".join([*parts, *([grid.heading(column)] if column else [])])


def shorten(text: str, width: float, *, size: float = 12.0) -> str:
    """Shortened to a width, by an average letter.

    >>> shorten("encyclopedic", 40), shorten("ES", 40)
    ('encyc…', 'ES')
    """
    most = max(2, int(width / (0.55 * size)))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def text_width(texts: Sequence[str], *, size: float = 12.0) -> float:
    return max((len(text) for text in texts), default=0) * 0.6 * size


def picture(grid: Grid, width: float, height: float, marks: Sequence[Mark], *, against: str = "") -> Picture:
    """With words for those who do not see the figure: every number is in the table below it."""
    title = f"{grid.table.title}, {words.metric(grid.metric)}{against}"
    description = f"{words.count(len(grid.labels), 'model')}; the numbers are in the table."
    return Picture(width=width, height=height, marks=tuple(marks), title=title, description=description)
