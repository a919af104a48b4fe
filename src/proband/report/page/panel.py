"""A table of the suite in the page: the figure, the numbers, and links to the files for papers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from proband.report import words
from proband.report.cells import Cell
from proband.report.figures import NARROW, WIDE, kind, tip
from proband.report.grids import Grid
from proband.report.marks import MODELS, SHAPES, figure_formats, svg
from proband.report.tables import Line, headings, lines, row_heading, unit


def panel(grid: Grid) -> str:
    draw = kind(grid)
    figure = "".join(
        f'<div class="{look}">{svg(draw(grid, width), page=True)}</div>'
        for look, width in (("wide", WIDE), ("narrow", NARROW))
    )
    note = f'<p class="note">{escape(grid.table.note)}</p>' if grid.table.note else ""
    return (
        f'<article class="panel" id="{escape(grid.name)}"><h3>{escape(grid.table.title)}</h3>'
        f'<p class="meta">{escape(unit(grid))}</p><figure>{figure}</figure>{_table(grid)}{note}{_sources(grid)}'
        f"{_links(grid)}</article>"
    )


def _links(grid: Grid) -> str:
    table = " ".join(f'<a href="tables/{grid.name}.{end}">{text}</a>' for end, text in TABLE_FILES.items())
    figure = " ".join(f'<a href="figures/{grid.name}.{end}">{end.upper()}</a>' for end in figure_formats())
    return f'<p class="files"><span>Table: {table}</span> <span>Figure: {figure}</span></p>'


TABLE_FILES = {"md": "Markdown", "tex": "LaTeX", "csv": "CSV"}


def _sources(grid: Grid) -> str:
    found = dict.fromkeys(f.source for cell in grid.published.values() for f in cell.values())
    return f'<p class="note">Published figures: {escape("; ".join(found))}.</p>' if found else ""


def _table(grid: Grid) -> str:
    rows = bool(grid.table.rows)
    cells = f'<th scope="col" class="wide">{escape(row_heading(grid))}</th>' if rows else ""
    cells += '<th scope="col">model</th>'
    cells += "".join(f'<th scope="col" class="num">{escape(each)}</th>' for each in headings(grid))
    bodies: list[list[Line]] = []
    for line in lines(grid):
        if not bodies or bodies[-1][0].row != line.row:
            bodies.append([])
        bodies[-1].append(line)
    body = "".join(_body(grid, group) for group in bodies)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(grid.table.title)}">'
        f"<table><thead><tr>{cells}</tr></thead>{body}</table></div>"
    )


def _body(grid: Grid, group: Sequence[Line]) -> str:
    heading = escape(words.key(grid.table.rows, group[0].row))
    out = [f'<tr class="narrow"><th colspan="{1 + len(grid.columns)}">{heading}</th></tr>'] if grid.table.rows else []
    best = [
        max((value for line in group if line.run is not None and (value := line.figures[j]) is not None), default=None)
        for j in range(len(grid.columns))
    ]
    ours = sum(line.run is not None for line in group)
    for i, line in enumerate(group):
        head = ""
        if grid.table.rows and i == 0:
            head = f'<th scope="rowgroup" class="wide" rowspan="{len(group)}">{heading}</th>'
        if line.run is None:
            who = f'<th scope="row"><span class="swatch published"></span>{escape(line.label)}</th>'
            out.append(f'<tr class="from">{head}{who}{_published_cells(grid, line)}</tr>')
        else:
            look = f'<span class="swatch s{line.run % len(SHAPES)} c{line.run % MODELS}"></span>'
            numbers = "".join(
                _cell(grid, line, j, top=ours > 1 and line.figures[j] == best[j]) for j in range(len(grid.columns))
            )
            who = f'<th scope="row" data-m="{line.run}" data-tip="{_hint(line.label)}">{look}{escape(line.label)}</th>'
            out.append(f"<tr>{head}{who}{numbers}</tr>")
    return f"<tbody>{''.join(out)}</tbody>"


def _published_cells(grid: Grid, line: Line) -> str:
    hint = _hint(f"{line.label} (published)\n{line.source}")
    out = []
    for value in line.figures:
        shown = "–" if value is None else words.figure(value, percent=grid.percent)
        out.append(f'<td class="num" data-tip="{hint}">{shown}<span class="mark"></span> <span class="ci"></span></td>')
    return "".join(out)


SIGN = {"at": "°", "below": "▼", "above": "", "": ""}


def _cell(grid: Grid, line: Line, j: int, *, top: bool) -> str:
    cell: Cell | None = line.cells[j]
    if cell is None or line.run is None:
        return f'<td class="num" data-m="{line.run}">–</td>'
    e, look = cell.estimate, cell.against_chance
    hint = _hint(tip(grid, line.run, line.row, grid.columns[j], cell))
    mean = words.figure(e.mean, percent=grid.percent)
    span = words.interval(e.low, e.high, percent=grid.percent)
    return (
        f'<td class="num {look}{" best" if top else ""}" data-m="{line.run}" data-tip="{hint}">'
        f'{mean}<span class="mark">{SIGN[look]}</span> <span class="ci">{span}</span></td>'
    )


def _hint(text: str) -> str:
    """A tooltip as an attribute; its line ends survive."""
    return escape(text).replace("\n", "&#10;")
