"""A table of the suite as the page shows it: the figure, the numbers, and links to the files for papers."""

from __future__ import annotations

from typing import Any

from proband.core.suite import Sheet
from proband.core.text import slug
from proband.report.draw.axes import NARROW, WIDE, tip
from proband.report.draw.choose import drawing
from proband.report.draw.marks import MODELS, SHAPES, figure_formats, svg
from proband.report.numbers import words
from proband.report.numbers.cells import Cell
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import SIGN, Line, best, headings, lines, row_heading, spread, unit
from proband.report.tables.sheets import numeric, printed

TABLE_FILES = {"md": "Markdown", "tex": "LaTeX", "csv": "CSV"}


def panel(grid: Grid) -> dict[str, Any]:
    from markupsafe import Markup

    draw = drawing(grid)
    sources = dict.fromkeys(f.source for cell in grid.published.values() for f in cell.values())
    return {
        "name": grid.name,
        "title": grid.table.title,
        "unit": unit(grid),
        "wide": Markup(svg(draw(grid, WIDE), page=True, switched=grid.by_system)),
        "narrow": Markup(svg(draw(grid, NARROW), page=True, switched=grid.by_system)),
        "row_heading": row_heading(grid) if grid.table.rows else "",
        "headings": headings(grid),
        "bodies": _bodies(grid),
        "note": grid.table.note,
        "sources": "; ".join(sources),
        "tables": [(f"tables/{grid.name}.{end}", text) for end, text in TABLE_FILES.items()],
        "figures": [(f"figures/{grid.name}.{end}", end.upper()) for end in figure_formats()],
    }


def _bodies(grid: Grid) -> list[dict[str, Any]]:
    groups: list[list[Line]] = []
    for line in lines(grid):
        if not groups or groups[-1][0].row != line.row:
            groups.append([])
        groups[-1].append(line)
    return [{"heading": words.key(grid.table.rows, group[0].row), "lines": _lines(grid, group)} for group in groups]


def _lines(grid: Grid, group: list[Line]) -> list[dict[str, Any]]:
    top = best(grid, group[0].row)
    ours = sum(line.run is not None for line in group)
    out = []
    for line in group:
        cells = [
            _published_cell(grid, line, value)
            if line.run is None
            else _cell(grid, line, j, bold=ours > 1 and value is not None and value == top[j])
            for j, value in enumerate(line.figures)
        ]
        look = "published" if line.run is None else f"s{line.run % len(SHAPES)} c{line.run % MODELS}"
        model = line.run if grid.by_system else None
        out.append({"label": line.label, "look": look, "model": model, "ours": line.run is not None, "cells": cells})
    return out


def _published_cell(grid: Grid, line: Line, value: float | None) -> dict[str, Any]:
    shown = "–" if value is None else words.figure(value, grid.metric)
    return {"look": "", "figure": shown, "sign": "", "interval": "", "tip": f"{line.label} (published)\n{line.source}"}


def _cell(grid: Grid, line: Line, j: int, *, bold: bool) -> dict[str, Any]:
    cell: Cell | None = line.cells[j]
    if cell is None or line.run is None:
        return {"look": "", "figure": "–", "sign": "", "interval": "", "tip": ""}
    e = cell.estimate
    more = " ".join(part for part in (words.interval(e.low, e.high, grid.metric), spread(cell, grid)) if part)
    return {
        "look": f"{cell.against_chance}{' best' if bold else ''}",
        "figure": words.figure(e.mean, grid.metric),
        "sign": SIGN[cell.against_chance],
        "interval": more,
        "tip": tip(grid, line.run, line.row, grid.columns[j], cell),
    }


def sheet_view(sheet: Sheet, key: str) -> dict[str, Any]:
    """A sheet of plain cells."""
    file = sheet_file(sheet, key)
    return {
        "name": file,
        "title": sheet.title,
        "header": list(zip(sheet.header, numeric(sheet))),
        "rows": [list(zip(map(printed, row), numeric(sheet))) for row in sheet.rows],
        "note": sheet.note,
        "tables": [(f"tables/{file}.{end}", text) for end, text in TABLE_FILES.items()],
    }


def sheet_file(sheet: Sheet, key: str) -> str:
    return f"{key}-{slug(sheet.name)}"
