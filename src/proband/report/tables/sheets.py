"""Sheets of plain cells (an analysis' tables, claims) in all formats."""

from __future__ import annotations

from itertools import takewhile

from proband.core.suite import Sheet
from proband.core.text import csv_lines, md
from proband.report.numbers.words import MINUS
from proband.report.tables.comma_separated import Plain
from proband.report.tables.latex import tabular, tex
from proband.report.tables.markdown import titled_table


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
