"""Tables as files: Markdown and LaTeX with a mean and its interval per cell, published figures in italics with their
source beneath; CSV, long, one line per number at full precision, for whoever computes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from proband.core.suite import Sheet
from proband.core.text import csv_lines, markdown_table, md
from proband.reporting.numbers import words
from proband.reporting.numbers.grids import SIGNS, Grid
from proband.reporting.numbers.words import MINUS
from proband.reporting.tables.lines import CellText, Line, cell_texts, head, legend, lines, rows_of, unit


def markdown(grid: Grid) -> str:
    body = []
    for line in lines(grid):
        mark = "" if line.run is not None else "*"
        first = [md(words.key(grid.table.rows, line.row))] if grid.table.rows else []
        body.append(
            [*first, f"{mark}{md(line.name)}{mark}", *(_markdown_cell(each, mark) for each in cell_texts(grid, line))]
        )
    title = f"{grid.table.title} ({unit(grid)})"
    return titled_table(title, head(grid), body, numbers=len(grid.columns), note=legend(grid))


def _markdown_cell(cell: CellText, mark: str) -> str:
    if cell == CellText():
        return cell.figure
    parts = (f"{mark}{cell.figure}{mark}", cell.interval + cell.sign, cell.spread, cell.unread, cell.uncovered)
    return " ".join(part for part in parts if part)


def titled_table(title: str, above: Sequence[str], body: Sequence[Sequence[str]], *, numbers: int, note: str) -> str:
    """A pipe table between its title and a note; the last `numbers` columns stand to the right."""
    table = markdown_table([md(cell) for cell in above], body, right=numbers)
    return "\n".join([f"**{md(title)}**", "", table, *(["", md(note)] if note else [])]) + "\n"


# ---- LaTeX -----------------------------------------------------------------------------------------------------------


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


# ---- CSV -------------------------------------------------------------------------------------------------------------


Plain = str | float | int | None
COLUMNS = (
    *("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "effective", "too_few"),
    *("chance", "runs", "sd", "from_seeds", "source", "differs", "unread", "skipped", "not_covered", "items"),
)


def comma_separated(grid: Grid) -> str:
    """One line per number: the tags, then COLUMNS. The empty tag stands for `all`."""
    body: list[Sequence[Plain]] = []
    for line in lines(grid):
        row = [""] * len(grid.table.rows) if line.row is None else list(line.row)
        for column, cell, value in zip(grid.columns, line.cells, line.figures):
            if value is None:
                continue
            start = [words.tag(v) for v in (*row, *column)]
            numbers: list[Plain] = [
                "published",
                line.label,
                grid.metric.name,
                value,
                *[None] * 10,
                line.source,
                *[None] * 5,
            ]
            if cell is not None:
                e = cell.estimate
                ends = [None, None] if e.few else [e.low, e.high]
                numbers = ["ours", line.label, e.metric, e.mean, *ends, e.n, e.clusters, round(e.effective, 2)]
                numbers += [
                    "yes" if e.few else "no",
                    cell.chance,
                    cell.runs,
                    cell.sd,
                    e.from_seeds,
                    None,
                    "; ".join(line.differs) or None,
                    round(cell.unread, 6),
                    cell.skipped,
                    cell.uncovered,
                    grid.scope or None,
                ]
            body.append([*start, *numbers])
    head = [*map(words.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS]
    return "".join(csv_lines([head, *body]))


# ---- sheets of plain cells (an analysis' tables, claims) in all formats ----------------------------------------------


def plain_cell(cell: Plain) -> str:
    """A cell as papers print it.

    >>> plain_cell(0.123456), plain_cell(12), plain_cell(None), plain_cell("x")
    ('0.1235', '12', '–', 'x')
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}".replace("-", MINUS, 1) if cell < 0 else f"{cell:.4g}"
    return str(cell)


def numeric(sheet: Sheet) -> tuple[bool, ...]:
    """Which columns hold numbers only."""
    return tuple(
        any(row[at] is not None for row in sheet.rows)
        and all(row[at] is None or isinstance(row[at], (int, float)) for row in sheet.rows)
        for at in range(len(sheet.header))
    )


def sheet_markdown(sheet: Sheet) -> str:
    body = [[md(plain_cell(cell)) for cell in row] for row in sheet.rows]
    right = len(list(takewhile(bool, reversed(numeric(sheet)))))
    return titled_table(sheet.title, sheet.header, body, numbers=right, note=sheet.note)


def sheet_latex(sheet: Sheet, name: str) -> str:
    shape = "".join("r" if number else "l" for number in numeric(sheet))
    body = [[tex(plain_cell(cell)) for cell in row] for row in sheet.rows]
    caption = f"{tex(sheet.title)}. {tex(sheet.note)}".strip()
    return tabular(name, shape, sheet.header, [body], caption=caption)


def sheet_csv(sheet: Sheet) -> str:
    return "".join(csv_lines([sheet.header, *sheet.rows]))
