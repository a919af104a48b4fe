"""A table of the suite as the page shows it: the figure, the numbers, and links to the files for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proband.core.suite import Sheet
from proband.core.text import slug
from proband.report.draw.axes import NARROW, WIDE, tip
from proband.report.draw.choose import drawing
from proband.report.draw.marks import figure_formats, svg
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import Line, Printed, best, head, notes, printed, rows_of, unit


def panel(grid: Grid) -> dict[str, Any]:
    from markupsafe import Markup

    wide, narrow = (Markup(svg(drawing(grid)(grid, w), page=True, switched=grid.by_system)) for w in (WIDE, NARROW))
    return {
        "grid": grid,
        "unit": unit(grid),
        "wide": wide,
        "narrow": narrow,
        "head": head(grid),
        "bodies": [_body(grid, group) for group in rows_of(grid)],
        "sources": "; ".join(dict.fromkeys(f.source for cell in grid.published.values() for f in cell.values())),
        "notes": notes(grid),
        "figures": figure_formats(),
    }


def _body(grid: Grid, group: Sequence[Line]) -> list[tuple[Line, list[tuple[Printed, str, str]]]]:
    """The lines of a row with their cells. The best of ours is in bold, if there are several."""
    several = sum(line.run is not None for line in group) > 1
    top = best(grid, group[0].row) if several else (None,) * len(grid.columns)
    return [(line, list(_cells(grid, line, top))) for line in group]


def _cells(grid: Grid, line: Line, top: Sequence[float | None]) -> Iterator[tuple[Printed, str, str]]:
    """Each cell in words, its classes and its tooltip."""
    for column, cell, shown, highest in zip(grid.columns, line.cells, printed(grid, line), top):
        if line.run is None:
            yield shown, "", f"{line.label} (published)\n{line.source}"
        elif cell is None:
            yield shown, "", ""
        else:
            bold = " best" if cell.estimate.mean == highest else ""
            yield shown, cell.against_chance + bold, tip(grid, line.run, line.row, column, cell)


def sheet_file(sheet: Sheet, key: str) -> str:
    return f"{key}-{slug(sheet.name)}"
