"""The lines of a grid, as all formats print them, and the words around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from proband.core.statistics.clusters import FEW
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell
from proband.reporting.numbers.grids import Grid, Key

SIGN = {"at": "°", "below": "▼", "above": "", "": ""}


@dataclass(frozen=True)
class Line:
    """One line of a table: one model in one row, ours or published."""

    row: Key | None
    label: str
    run: int | None  # None: published
    cells: tuple[Cell | None, ...]
    figures: tuple[float | None, ...]
    source: str = ""
    mark: str = ""  # signs of the footnotes that say in what it differs from the published lines
    differs: tuple[str, ...] = ()  # the same in words

    @property
    def name(self) -> str:
        return self.label + self.mark


def lines(grid: Grid) -> Iterator[Line]:
    """All lines, ours first within each row; lines without a number are left out."""
    for row in grid.rows:
        for run, label in enumerate(grid.labels):
            cells = tuple(grid.cells[row, column][run] for column in grid.columns)
            if any(cells):
                figures = tuple(cell.estimate.mean if cell else None for cell in cells)
                differs = tuple(grid.differs.get((row, run), ()))
                yield Line(row, label, run, cells, figures, mark=grid.mark(row, run), differs=differs)
        for model in grid.others(row):
            found = [grid.published.get((row, column), {}).get(model) for column in grid.columns]
            sources = dict.fromkeys(each.source for each in found if each)
            values = tuple(each.value if each else None for each in found)
            yield Line(row, model, None, (None,) * len(found), values, "; ".join(sources))


def rows_of(grid: Grid) -> list[list[Line]]:
    """The lines of each row."""
    return [list(group) for _, group in groupby(lines(grid), key=lambda line: line.row)]


@dataclass(frozen=True)
class CellText:
    """A cell in words; published figures have no interval."""

    figure: str = "–"
    sign: str = ""  # against chance
    interval: str = ""
    spread: str = ""  # over training runs
    unread: str = ""  # the share of replies that could not be read, if any
    uncovered: str = ""  # the number of items that the model knows nothing of, if any
    few: bool = False  # too few clusters for an interval

    @property
    def more(self) -> str:
        return " ".join(part for part in (self.interval, self.spread, self.unread, self.uncovered) if part)


def cell_texts(grid: Grid, line: Line) -> list[CellText]:
    """The cells of a line."""
    out = []
    for cell, value in zip(line.cells, line.figures):
        if cell is not None:
            e, spread = cell.estimate, words.spread(cell.sd, cell.runs, grid.metric)
            sign, span = SIGN[cell.against_chance], words.span(e, grid.metric)
            unread = f"unread {100 * cell.unread:.0f}%" if cell.unread >= 0.005 else ""
            uncovered = f"{cell.uncovered:,} not covered" if cell.uncovered else ""
            out.append(CellText(words.figure(e.mean, grid.metric), sign, span, spread, unread, uncovered, e.few))
        else:
            out.append(CellText() if value is None else CellText(words.figure(value, grid.metric)))
    return out


def best(grid: Grid, row: Key | None) -> tuple[float | None, ...]:
    """The best of our figures in each column of a row."""
    pick = max if grid.metric.better == "high" else min
    return tuple(
        pick((cell.estimate.mean for cell in grid.cells[row, column] if cell), default=None) for column in grid.columns
    )


def head(grid: Grid) -> list[str]:
    """The words above the columns: the tags of the rows if there are any, the model, then what holds numbers."""
    rows = [" · ".join(map(words.name, grid.table.rows))] if grid.table.rows else []
    return [*rows, "model", *map(grid.heading, grid.columns)]


def unit(grid: Grid) -> str:
    """Metric, direction, unit, and what holds for the whole table."""
    first = grid.columns[0] if grid.columns else ()
    fixed = [f"{words.name(n)}: {words.tag(v)}" for n, v in zip(grid.table.columns, first) if n not in grid.told_by]
    macro = [f"mean over the values of {words.name(grid.table.macro)}"] if grid.table.macro else []
    parts = [words.with_arrow(grid.metric), words.unit(grid.metric), grid.scope, *macro, "95% intervals", *fixed]
    return ", ".join(part for part in parts if part)


def signs(grid: Grid) -> list[str]:
    """What the signs in a table mean: those that it has."""
    out = ["Intervals account for items that share material."]
    if grid.has_few:
        out.append(f"{words.TOO_FEW.capitalize()}: fewer than {FEW:g} items or effective clusters.")
    if grid.has_chance:
        out.append("° the interval includes chance; ▼ below chance.")
    if grid.several_runs:
        out.append("± standard deviation over training seeds, which the intervals take into account.")
    if any(cell and cell.unread for found in grid.cells.values() for cell in found):
        out.append("Unread: replies from which no answer could be read; they count as wrong.")
    if any(cell and cell.uncovered for found in grid.cells.values() for cell in found):
        out.append("Not covered: items that the model knows nothing of; they do not count.")
    return out


def legend(grid: Grid) -> str:
    """What the signs mean, and where the published figures come from."""
    out = signs(grid)
    sources = dict.fromkeys(f"{f.model}: {f.source}" for cell in grid.published.values() for f in cell.values())
    if sources:
        out.append("In italics, published figures (" + "; ".join(sources) + ").")
    return " ".join([*out, *notes(grid)])


def notes(grid: Grid) -> list[str]:
    """What the suite says of the table, and in what our lines differ from the published ones."""
    beside = any(grid.published.values())
    said = [grid.table.note, grid.table.published_note if beside else ""]
    return [*(text for text in said if text), *(f"{sign} {note}." for note, sign in grid.footnotes.items())]
