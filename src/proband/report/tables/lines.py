r"""A grid as Markdown, LaTeX (booktabs) and CSV.

Markdown and LaTeX print what a paper prints: a mean with its interval per cell, published figures in italics with
their source beneath. The CSV is long, one line per number at full precision, for whoever computes on.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from proband.report import words
from proband.report.cells import Cell
from proband.report.grids import Grid, Key

DAGGER = {"at": "°", "below": "▼", "above": "", "": ""}


@dataclass(frozen=True)
class Line:
    """One line of a table: one model in one row, ours or published."""

    row: Key | None
    label: str
    run: int | None  # None: published
    cells: tuple[Cell | None, ...]
    figures: tuple[float | None, ...]
    source: str = ""


def lines(grid: Grid) -> Iterator[Line]:
    """All lines, ours first within each row; lines without a number are left out."""
    for row in grid.rows:
        for run, label in enumerate(grid.labels):
            cells = tuple(grid.cells[row, column][run] for column in grid.columns)
            if any(cells):
                figures = tuple(cell.estimate.mean if cell else None for cell in cells)
                yield Line(row, label, run, cells, figures)
        for model in grid.others(row):
            found = [grid.published.get((row, column), {}).get(model) for column in grid.columns]
            sources = dict.fromkeys(each.source for each in found if each)
            values = tuple(each.value if each else None for each in found)
            yield Line(row, model, None, (None,) * len(found), values, "; ".join(sources))


def headings(grid: Grid) -> list[str]:
    """The words above the columns that hold numbers."""
    return [grid.heading(column) for column in grid.columns]


def row_heading(grid: Grid) -> str:
    return " · ".join(grid.table.rows)


# ---- Markdown ------------------------------------------------------------------------------------------------------


def markdown(grid: Grid) -> str:
    """A pipe table."""
    rows = bool(grid.table.rows)
    head = [*([row_heading(grid)] if rows else []), "model", *headings(grid)]
    out = [f"**{_md(grid.table.title)}** ({_md(unit(grid))})", "", _pipe([_md(cell) for cell in head])]
    out.append(_pipe([*(["---"] if rows else []), "---", *["---:"] * len(grid.columns)]))
    for line in lines(grid):
        name = _md(line.label) if line.run is not None else f"*{_md(line.label)}*"
        first = [_md(words.key(grid.table.rows, line.row))] if rows else []
        out.append(_pipe([*first, name, *_printed(grid, line, mark="*")]))
    out += ["", _md(legend(grid))]
    return "\n".join(out) + "\n"


def _pipe(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _md(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> print(_md("a|b *c* <img>"))
    a\|b \*c\* &lt;img&gt;
    """
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)


def _printed(grid: Grid, line: Line, *, mark: str) -> list[str]:
    out = []
    for cell, value in zip(line.cells, line.figures):
        if value is None:
            out.append("–")
        elif cell is None:
            out.append(f"{mark}{words.figure(value, percent=grid.percent)}{mark}")
        else:
            estimate = cell.estimate
            span = words.interval(estimate.low, estimate.high, percent=grid.percent)
            out.append(f"{words.figure(estimate.mean, percent=grid.percent)} {span}{DAGGER[cell.against_chance]}")
    return out


def unit(grid: Grid) -> str:
    first = grid.columns[0] if grid.columns else ()
    fixed = [f"{n}: {words.tag(v)}" for n, v in zip(grid.table.columns, first) if n not in grid.told_by]
    parts = [words.metric(grid.table.metric), *(["percent"] if grid.percent else []), "95% intervals", *fixed]
    return ", ".join(parts)


def legend(grid: Grid) -> str:
    """What the signs mean, and where the published figures come from."""
    out = ["Intervals: clustered bootstrap."]
    if any(cell and cell.chance is not None for group in grid.cells.values() for cell in group):
        out.append("° the interval includes chance; ▼ below chance.")
    sources = dict.fromkeys(f"{f.model}: {f.source}" for cell in grid.published.values() for f in cell.values())
    if sources:
        out.append("In italics, published figures (" + "; ".join(sources) + ").")
    return " ".join([*out, *([grid.table.note] if grid.table.note else [])])


# ---- LaTeX ---------------------------------------------------------------------------------------------------------

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "·": r"$\cdot$",
    "−": r"$-$",
    "–": "--",
    "°": r"$^{\circ}$",
    "▼": r"$^{\triangledown}$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "…": r"\ldots{}",
}


def tex(text: str) -> str:
    r"""
    >>> print(tex("50% of A_1 & B"))
    50\% of A\_1 \& B
    """
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))


def latex(grid: Grid) -> str:
    """A booktabs table, ready for \\input; needs \\usepackage{booktabs,amssymb}."""
    rows = bool(grid.table.rows)
    shape = ("l" if rows else "") + "l" + "r" * len(grid.columns)
    head = [*([row_heading(grid)] if rows else []), "model", *headings(grid)]
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(tex(cell) for cell in head) + r" \\"]
    before: object = ()
    for line in lines(grid):
        first = not (before and before == (line.row,))
        if first:
            out.append(r"\midrule")
        before = (line.row,)
        name = tex(line.label) if line.run is not None else rf"\textit{{{tex(line.label)}}}"
        start = [tex(words.key(grid.table.rows, line.row)) if first else ""] if rows else []
        out.append(" & ".join([*start, name, *_tex_cells(grid, line)]) + r" \\")
    out += [r"\bottomrule", r"\end{tabular}"]
    out += [rf"\caption{{{tex(grid.table.title)} ({tex(unit(grid))}). {tex(legend(grid))}}}"]
    out += [rf"\label{{tab:{grid.name}}}", r"\end{table}"]
    return "\n".join(out) + "\n"


def _tex_cells(grid: Grid, line: Line) -> list[str]:
    out = []
    for cell, value in zip(line.cells, line.figures):
        if value is None:
            out.append("--")
        elif cell is None:
            out.append(rf"\textit{{{tex(words.figure(value, percent=grid.percent))}}}")
        else:
            e = cell.estimate
            span = tex(words.interval(e.low, e.high, percent=grid.percent))
            sign = tex(DAGGER[cell.against_chance])
            out.append(rf"{tex(words.figure(e.mean, percent=grid.percent))}{sign} {{\scriptsize {span}}}")
    return out


# ---- CSV -----------------------------------------------------------------------------------------------------------

COLUMNS = ("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "chance", "source")


def comma_separated(grid: Grid) -> str:
    """One line per number: the tags, then COLUMNS. The empty tag stands for `all`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = (*grid.table.rows, *grid.table.columns)
    writer.writerow([*names, *COLUMNS])
    for line in lines(grid):
        row = [""] * len(grid.table.rows) if line.row is None else list(line.row)
        for column, cell, value in zip(grid.columns, line.cells, line.figures):
            if value is None:
                continue
            start = [*(words.tag(v) if v != "" else "" for v in (*row, *column))]
            if cell is None:
                numbers = ["published", line.label, grid.table.metric, repr(value), "", "", "", "", "", line.source]
            else:
                e = cell.estimate
                chance = "" if cell.chance is None else repr(cell.chance)
                numbers = ["ours", line.label, e.metric, repr(e.mean), repr(e.low), repr(e.high), str(e.n)]
                numbers += [str(e.clusters), chance, ""]
            writer.writerow([_inert(text) for text in (*start, *numbers)])
    return out.getvalue()


def _inert(text: str) -> str:
    """A spreadsheet takes a cell that begins with = + - or @ for a formula; an apostrophe keeps it text.

    >>> _inert("=HYPERLINK(1)"), _inert("-1.5"), _inert("m")
    ("'=HYPERLINK(1)", '-1.5', 'm')
    """
    if text[:1] in ("=", "+", "-", "@", "\t", "\r"):
        try:
            float(text)
        except ValueError:
            return "'" + text
    return text
