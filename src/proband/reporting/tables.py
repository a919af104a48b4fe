"""Tables as files: a sheet as Markdown, LaTeX and CSV; of a table of scores the CSV has a line per number at full
precision.
"""

from __future__ import annotations

import re
from itertools import takewhile

from proband.core.files import csv_lines, markdown_table, md
from proband.core.suite import Sheet
from proband.reporting.numbers import formatting
from proband.reporting.numbers.formatting import MINUS
from proband.reporting.numbers.score_tables import ScoreTable

Plain = str | float | int | None
COLUMNS = (
    *("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "effective", "few"),
    *("chance", "runs", "sd", "from_seeds", "source", "differs", "unread", "skipped", "uncovered", "items"),
)

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


NUMBER = re.compile(r"–?|[−+<]?\d[\d.,]*( [\[(±].*)?", re.DOTALL)  # a figure, with its interval or without


def numeric(sheet: Sheet) -> tuple[bool, ...]:
    """Which columns hold numbers, with their intervals or without."""
    columns = list(zip(*sheet.rows)) or [()] * len(sheet.header)
    return tuple(
        any(cell is not None for cell in column) and all(NUMBER.fullmatch(plain_cell(cell)) for cell in column)
        for column in columns
    )


def markdown(sheet: Sheet) -> str:
    """A pipe table between its title and its note; numbers in the last columns stand to the right."""
    body = [[_md_cell(plain_cell(cell)) for cell in row] for row in sheet.rows]
    right = len(list(takewhile(bool, reversed(numeric(sheet)))))
    table = markdown_table([md(cell) for cell in sheet.header], body, right=right)
    return "\n".join([f"**{md(sheet.title)}**", "", table, *(["", md(sheet.note)] if sheet.note else [])]) + "\n"


def _md_cell(text: str) -> str:
    """Brackets of an interval need no backslash."""
    return re.sub(r"\\([\[\]])", r"\1", md(text)) if NUMBER.fullmatch(text) else md(text)


def latex(sheet: Sheet) -> str:
    """A booktabs table, ready for \\input."""
    shape = "".join("r" if number else "l" for number in numeric(sheet))
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(map(tex, sheet.header)) + r" \\", r"\midrule"]
    out += [" & ".join(tex(plain_cell(cell)) for cell in row) + r" \\" for row in sheet.rows]
    caption = f"{tex(sheet.title)}. {tex(sheet.note)}".strip()
    out += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}"]
    return "\n".join([*out, rf"\label{{tab:{sheet.name}}}", r"\end{table}"]) + "\n"


def comma_separated(sheet: Sheet) -> str:
    """Of a table of scores a line per number: the tags (empty: all), then COLUMNS."""
    if not isinstance(sheet, ScoreTable):
        return "".join(csv_lines([sheet.header, *sheet.rows]))
    tags = (*sheet.table.rows, *sheet.table.columns)
    rows: list[list[Plain]] = [[*map(formatting.name, tags), *COLUMNS]]
    for record in sheet.records():
        few = {"low": None, "high": None} if record.get("few") else {}
        own = record | few | {"differs": "; ".join(record.get("differs", ()))}
        rows.append([*(formatting.tag(record["group"].get(tag, "")) for tag in tags), *map(own.get, COLUMNS)])
    return "".join(csv_lines(rows))
