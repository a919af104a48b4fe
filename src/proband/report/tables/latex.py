r"""Tables in LaTeX (booktabs), and the only place where text is escaped for it."""

from __future__ import annotations

from collections.abc import Sequence

from proband.report.numbers import words
from proband.report.numbers.grids import Grid
from proband.report.numbers.like_for_like import SIGNS
from proband.report.tables.lines import CellText, Line, cell_texts, head, legend, rows_of, unit

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
    **{sign: f"$^{{{letter}}}$" for sign, letter in zip(SIGNS, "abcdefghijklmnop", strict=True)},
}


def tex(text: str) -> str:
    r"""
    >>> print(tex("50% of A_1 & B"))
    50\% of A\_1 \& B
    """
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))


def latex(grid: Grid) -> str:
    """A grid as a table, ready for \\input."""
    groups = [[_line(grid, line, first=line is group[0]) for line in group] for group in rows_of(grid)]
    words_ = "ll" if grid.table.rows else "l"
    caption = f"{tex(grid.table.title)} ({tex(unit(grid))}). {tex(legend(grid))}"
    return tabular(grid.name, words_ + "r" * len(grid.columns), head(grid), groups, caption=caption)


def _line(grid: Grid, line: Line, *, first: bool) -> list[str]:
    """Published figures and their models are in italics; a row is named in its first line."""
    shape = "{}" if line.run is not None else r"\textit{{{}}}"
    out = [shape.format(tex(line.name))]
    if grid.table.rows:
        out.insert(0, tex(words.key(grid.table.rows, line.row)) if first else "")
    for cell in cell_texts(grid, line):
        more = rf"{tex(cell.sign)} {{\scriptsize {tex(cell.more)}}}" if cell.more else ""
        out.append("--" if cell == CellText() else shape.format(tex(cell.figure)) + more)
    return out


def tabular(
    name: str, shape: str, above: Sequence[str], groups: Sequence[Sequence[Sequence[str]]], *, caption: str
) -> str:
    """A booktabs table; cells of `groups` and the caption are LaTeX already, those `above` are text."""
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(tex(cell) for cell in above) + r" \\"]
    for group in groups:
        out.append(r"\midrule")
        out += [" & ".join(line) + r" \\" for line in group]
    out += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}"]
    return "\n".join([*out, rf"\label{{tab:{name}}}", r"\end{table}"]) + "\n"
