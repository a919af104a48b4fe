"""Tables in Markdown: a mean with its interval per cell, published figures in italics with their source beneath."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.text import markdown_table, md
from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import CellText, cell_texts, head, legend, lines, unit


def markdown(grid: Grid) -> str:
    body = []
    for line in lines(grid):
        mark = "" if line.run is not None else "*"
        first = [md(words.key(grid.table.rows, line.row))] if grid.table.rows else []
        body.append([*first, f"{mark}{md(line.name)}{mark}", *(_cell(each, mark) for each in cell_texts(grid, line))])
    title = f"{grid.table.title} ({unit(grid)})"
    return titled_table(title, head(grid), body, numbers=len(grid.columns), note=legend(grid))


def _cell(cell: CellText, mark: str) -> str:
    if cell == CellText():
        return cell.figure
    parts = (f"{mark}{cell.figure}{mark}", cell.interval + cell.sign, cell.spread, cell.unread, cell.uncovered)
    return " ".join(part for part in parts if part)


def titled_table(title: str, above: Sequence[str], body: Sequence[Sequence[str]], *, numbers: int, note: str) -> str:
    """A pipe table between its title and a note; the last `numbers` columns stand to the right."""
    table = markdown_table([md(cell) for cell in above], body, right=numbers)
    return "\n".join([f"**{md(title)}**", "", table, *(["", md(note)] if note else [])]) + "\n"
