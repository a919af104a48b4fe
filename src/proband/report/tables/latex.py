r"""Tables in LaTeX (booktabs), and the only place where text is escaped for it."""

from __future__ import annotations

from collections.abc import Sequence

from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.tables.lines import SIGN, Line, headings, legend, lines, row_heading, spread, unit

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
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
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
    """A grid as a table, ready for \\input."""
    rows = bool(grid.table.rows)
    head = [*([row_heading(grid)] if rows else []), "model", *headings(grid)]
    groups: list[list[list[str]]] = []
    before: object = ()
    for line in lines(grid):
        first = before != (line.row,)
        if first:
            groups.append([])
        before = (line.row,)
        name = tex(line.label) if line.run is not None else rf"\textit{{{tex(line.label)}}}"
        start = [tex(words.key(grid.table.rows, line.row)) if first else ""] if rows else []
        groups[-1].append([*start, name, *_cells(grid, line)])
    shape = ("l" if rows else "") + "l" + "r" * len(grid.columns)
    caption = f"{tex(grid.table.title)} ({tex(unit(grid))}). {tex(legend(grid))}"
    return tabular(grid.name, shape, head, groups, caption=caption)


def tabular(
    name: str, shape: str, head: Sequence[str], groups: Sequence[Sequence[Sequence[str]]], *, caption: str
) -> str:
    """A booktabs table; cells of `groups` and the caption are LaTeX already, the head is text."""
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(tex(cell) for cell in head) + r" \\"]
    for group in groups:
        out.append(r"\midrule")
        out += [" & ".join(line) + r" \\" for line in group]
    out += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}"]
    return "\n".join([*out, rf"\label{{tab:{name}}}", r"\end{table}"]) + "\n"


def _cells(grid: Grid, line: Line) -> list[str]:
    out = []
    for cell, value in zip(line.cells, line.figures):
        if value is None:
            out.append("--")
        elif cell is None:
            out.append(rf"\textit{{{tex(words.figure(value, grid.metric))}}}")
        else:
            e = cell.estimate
            more = " ".join(part for part in (words.interval(e.low, e.high, grid.metric), spread(cell, grid)) if part)
            sign = tex(SIGN[cell.against_chance])
            out.append(rf"{tex(words.figure(e.mean, grid.metric))}{sign} {{\scriptsize {tex(more)}}}")
    return out
