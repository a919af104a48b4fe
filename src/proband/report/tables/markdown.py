"""Tables in Markdown: a mean with its interval per cell, published figures in italics with their source beneath."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    return pipe_table(title, head(grid), body, numbers=len(grid.columns), note=legend(grid))


def _cell(cell: CellText, mark: str) -> str:
    if cell == CellText():
        return cell.figure
    parts = (f"{mark}{cell.figure}{mark}", cell.interval + cell.sign, cell.spread, cell.unread, cell.uncovered)
    return " ".join(part for part in parts if part)


def pipe_table(title: str, above: Sequence[str], body: Sequence[Sequence[str]], *, numbers: int, note: str) -> str:
    """A pipe table; the cells of `body` are Markdown, the last `numbers` columns stand to the right."""
    words_ = len(above) - numbers
    out = [f"**{md(title)}**", "", _pipe([md(cell) for cell in above])]
    out.append(_pipe(["---"] * words_ + ["---:"] * numbers))
    out += [_pipe(line) for line in body]
    return "\n".join([*out, *(["", md(note)] if note else [])]) + "\n"


def _pipe(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def md(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> print(md("a|b *c* <img>"))
    a\|b \*c\* &lt;img&gt;
    """
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)
