"""A table of the suite as the page shows it: the figure, the numbers, and links to the files for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proband.core.suite import Sheet
from proband.core.text import slug
from proband.report.draw.axes import NARROW, WIDE, tip
from proband.report.draw.choose import drawing
from proband.report.draw.curves import curve_plot
from proband.report.draw.heat import heat_map
from proband.report.draw.lines import line_plot
from proband.report.draw.marks import figure_formats, svg
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import CellText, Line, best, cell_texts, head, notes, rows_of, signs, unit


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
        "signs": signs(grid),
        "bold": len(grid.labels) > 1,
        "marks": marks_key(grid),
    }


def marks_key(grid: Grid) -> list[tuple[str, str]]:
    """What the marks of a figure mean, as (class of the style sheet, words): those that it has."""
    few = [("few", "too few items to tell: no interval")] if grid.has_few else []
    published = [("diamond", "published")] if any(map(grid.others, grid.rows)) else []
    chance = [("dash", "chance")] if grid.has_chance else []
    if drawing(grid) is heat_map:
        against = "above chance" if grid.has_chance else "darker: better"
        low = [("below", "below chance"), ("pale", "° the interval includes chance")] if grid.has_chance else []
        return [("above", against), *low, *few]
    band = "band" if drawing(grid) is line_plot else "bar"
    return [("dot", "mean"), (band, "95% interval"), *chance, *published, *few]


def _body(grid: Grid, group: Sequence[Line]) -> list[tuple[Line, list[tuple[CellText, str, str]]]]:
    """The lines of a row with their cells. The best of ours is in bold, if there are several."""
    several = sum(line.run is not None for line in group) > 1
    top = best(grid, group[0].row) if several else (None,) * len(grid.columns)
    return [(line, list(_cells(grid, line, top))) for line in group]


def _cells(grid: Grid, line: Line, top: Sequence[float | None]) -> Iterator[tuple[CellText, str, str]]:
    """Each cell in words, its classes and its tooltip."""
    for column, cell, shown, highest in zip(grid.columns, line.cells, cell_texts(grid, line), top):
        if line.run is None:
            yield shown, "", f"{line.label} (published)\n{line.source}"
        elif cell is None:
            yield shown, "", ""
        else:
            bold = " best" if cell.estimate.mean == highest else ""
            yield (
                shown,
                ("few" if shown.few else cell.against_chance + bold),
                tip(grid, line.run, line.row, column, cell),
            )


def sheet_file(sheet: Sheet, key: str) -> str:
    return f"{key}-{slug(sheet.name)}"


def drawn(sheet: Sheet) -> dict[str, Any]:
    """The curves of an analysis, wide and narrow."""
    from markupsafe import Markup

    assert sheet.curves is not None
    wide, narrow = (Markup(svg(curve_plot(sheet.curves, sheet.title, w), page=True)) for w in (WIDE, NARROW))
    return {"wide": wide, "narrow": narrow, "figures": figure_formats()}
