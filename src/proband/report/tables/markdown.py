"""Tables in Markdown: a mean with its interval per cell, published figures in italics with their source beneath."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import SIGN, Line, headings, legend, lines, row_heading, spread, unit


def markdown(grid: Grid) -> str:
    rows = bool(grid.table.rows)
    head = [*([row_heading(grid)] if rows else []), "model", *headings(grid)]
    body = []
    for line in lines(grid):
        name = md(line.label) if line.run is not None else f"*{md(line.label)}*"
        first = [md(words.key(grid.table.rows, line.row))] if rows else []
        body.append([*first, name, *_printed(grid, line)])
    title = f"{grid.table.title} ({unit(grid)})"
    return pipe_table(title, head, body, numbers=len(grid.columns), note=legend(grid))


def pipe_table(title: str, head: Sequence[str], body: Sequence[Sequence[str]], *, numbers: int, note: str) -> str:
    """A pipe table; the cells of `body` are Markdown, the last `numbers` columns stand to the right."""
    words_ = len(head) - numbers
    out = [f"**{md(title)}**", "", _pipe([md(cell) for cell in head])]
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


def _printed(grid: Grid, line: Line) -> list[str]:
    out = []
    for cell, value in zip(line.cells, line.figures):
        if value is None:
            out.append("–")
        elif cell is None:
            out.append(f"*{words.figure(value, grid.metric)}*")
        else:
            e = cell.estimate
            parts = [words.figure(e.mean, grid.metric), words.interval(e.low, e.high, grid.metric)]
            parts[1] += SIGN[cell.against_chance]
            out.append(" ".join([*parts, *([spread(cell, grid)] if cell.sd is not None else [])]))
    return out
