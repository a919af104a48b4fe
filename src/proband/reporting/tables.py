"""Tables as files. A grid of cells becomes a `Sheet`, one with a mean and its interval per cell (`as_sheet`) or one
with a line per number at full precision (`every_number`); a sheet is written as Markdown, LaTeX and CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile

from proband.core.files import csv_lines, markdown_table, md
from proband.core.suite import Sheet
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Cell
from proband.reporting.numbers.formatting import MINUS
from proband.reporting.numbers.grids import Grid, Key
from proband.stats import LEAST_FREEDOM, share_of_trainings

# ---- the lines of a grid, as all formats print them, and the words around them -------------------------------------


SIGN = {"at": "°", "below": "▼", "above": "", "": ""}


@dataclass(frozen=True)
class TableLine:
    """One line of a table: one model in one row, ours or published."""

    row: Key | None
    label: str
    run: int | None  # None: published
    cells: tuple[Cell | None, ...]
    figures: tuple[float | None, ...]
    source: str = ""
    differs: tuple[str, ...] = ()  # in what, from the published lines


def lines(grid: Grid) -> Iterator[TableLine]:
    """All lines, ours first within each row; lines without a number are left out."""
    for row in grid.rows:
        for run, label in enumerate(grid.labels):
            cells = tuple(grid.cells[row, column][run] for column in grid.columns)
            if any(cells):
                figures = tuple(cell.estimate.mean if cell else None for cell in cells)
                differs = tuple(grid.differs.get((row, run), ()))
                yield TableLine(row, label, run, cells, figures, differs=differs)
        for model in grid.others(row):
            results = [grid.published.get((row, column), {}).get(model) for column in grid.columns]
            sources = dict.fromkeys(each.source for each in results if each)
            values = tuple(each.value if each else None for each in results)
            yield TableLine(row, model, None, (None,) * len(results), values, "; ".join(sources))


def rows_of(grid: Grid) -> list[list[TableLine]]:
    """The lines of each row."""
    return [list(group) for _, group in groupby(lines(grid), key=lambda line: line.row)]


CellWords = tuple[str, str, tuple[str, ...]]  # figure, sign against chance; interval, spread over seeds and the rest
EMPTY: CellWords = ("–", "", ())


def cell_words(grid: Grid, line: TableLine) -> list[CellWords]:
    """The cells of a line; published figures have no interval."""
    out: list[CellWords] = []
    for cell, value in zip(line.cells, line.figures):
        if cell is not None:
            e, spread = cell.estimate, formatting.spread(cell.sd, cell.runs, grid.metric)
            unread = f"unread {100 * cell.unread:.0f}%" if cell.unread >= 0.005 else ""
            uncovered = f"{cell.uncovered:,} not covered" if cell.uncovered else ""
            more = tuple(part for part in (formatting.span(e, grid.metric), spread, unread, uncovered, e.note) if part)
            out.append((formatting.figure(e.mean, grid.metric), SIGN[cell.against_level], more))
        else:
            out.append(EMPTY if value is None else (formatting.figure(value, grid.metric), "", ()))
    return out


def best(grid: Grid, row: Key | None) -> tuple[float | None, ...]:
    """The best of our figures in each column of a row."""
    pick = max if grid.metric.better == "high" else min
    return tuple(
        pick((cell.estimate.mean for cell in grid.cells[row, column] if cell), default=None) for column in grid.columns
    )


def head(grid: Grid) -> list[str]:
    """The words above the columns: the tags of the rows if there are any, the model, then what holds numbers."""
    rows = [" · ".join(map(formatting.name, grid.table.rows))] if grid.table.rows else []
    return [*rows, "model", *map(grid.heading, grid.columns)]


def unit(grid: Grid) -> str:
    """Metric, direction, unit, and what holds for the whole table."""
    first = grid.columns[0] if grid.columns else ()
    fixed = [
        f"{formatting.name(n)}: {formatting.tag(v)}"
        for n, v in zip(grid.table.columns, first)
        if n not in grid.differing_tags
    ]
    macro = [f"mean over the values of {formatting.name(grid.table.macro)}"] if grid.table.macro else []
    parts = [
        formatting.with_arrow(grid.metric),
        formatting.unit(grid.metric),
        grid.scope,
        *macro,
        "95% intervals",
        *fixed,
    ]
    return ", ".join(part for part in parts if part)


def signs(grid: Grid) -> list[str]:
    """What the signs in a table mean: those that it has."""
    out = ["Intervals account for items that share material."]
    if grid.has_few:
        out.append(f"{formatting.TOO_FEW.capitalize()}: fewer than {LEAST_FREEDOM:g} degrees of freedom (of clusters).")

    if grid.has_chance:
        out.append(f"° the interval includes {grid.level}; ▼ below {'it' if grid.level != 'chance' else 'chance'}.")
    if several := [cell.runs for cell in grid.filled if cell.runs > 1]:
        out.append("± standard deviation over training seeds, which the intervals take into account.")
        hidden = f"{100 * share_of_trainings(0, min(several))[1]:.0f}%"
        out.append(f"That up to {hidden} of trainings fail altogether may not show in {min(several)} seeds.")
    if any(cell.unread for cell in grid.filled):
        out.append("Unread: replies from which no answer could be read; they count as wrong.")
    if any(cell.uncovered for cell in grid.filled):
        out.append("Not covered: items that the model knows nothing of; they do not count.")
    return out


def legend(grid: Grid) -> str:
    """How models were asked, what the signs mean, and where the published figures come from."""
    out = [grid.asked, *signs(grid)] if grid.asked else signs(grid)
    sources = dict.fromkeys(f"{f.model}: {f.source}" for cell in grid.published.values() for f in cell.values())
    if sources:
        out.append("Published figures: " + "; ".join(sources) + ".")
    return " ".join([*out, *notes(grid)])


def notes(grid: Grid) -> list[str]:
    """What the suite says of the table, and in what our lines differ from the published ones."""
    beside = any(grid.published.values())
    texts = [grid.table.note, grid.table.published_note if beside else ""]
    return [*filter(None, texts), *grid.footnotes]


# ---- a grid as a sheet -----------------------------------------------------------------------------------------------


Plain = str | float | int | None
COLUMNS = (
    *("kind", "model", "metric", "mean", "low", "high", "n", "clusters", "effective", "too_few"),
    *("chance", "runs", "sd", "from_seeds", "source", "differs", "unread", "skipped", "not_covered", "items"),
)


def as_sheet(grid: Grid) -> Sheet:
    """One line per row and model."""
    rows = []
    for line in lines(grid):
        first = [formatting.key(grid.table.rows, line.row)] if grid.table.rows else []
        name = line.label if line.run is not None else f"{line.label} (published)"
        rows.append((*first, name, *map(_printed, cell_words(grid, line))))
    title = f"{grid.table.title} ({unit(grid)})"
    return Sheet(name=grid.name, title=title, header=tuple(head(grid)), rows=tuple(rows), note=legend(grid))


def _printed(cell: CellWords) -> str:
    figure, sign, more = cell
    return " ".join([figure, *(more[:1] and [more[0] + sign]), *more[1:]])


def every_number(grid: Grid) -> Sheet:
    """One line per number: the tags, then COLUMNS. The empty tag stands for `all`."""
    body: list[tuple[Plain, ...]] = []
    for line in lines(grid):
        row = [""] * len(grid.table.rows) if line.row is None else list(line.row)
        for column, cell, value in zip(grid.columns, line.cells, line.figures):
            if value is not None:
                numbers: dict[str, Plain] = {"kind": "published", "metric": grid.metric.name, "mean": value}
                numbers |= {"source": line.source} if cell is None else _cell_columns(grid, line, cell)
                numbers["model"] = line.label
                body.append((*map(formatting.tag, (*row, *column)), *map(numbers.get, COLUMNS)))
    header = (*map(formatting.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS)
    return Sheet(name=grid.name, title=grid.table.title, header=header, rows=tuple(body))


def _cell_columns(grid: Grid, line: TableLine, cell: Cell) -> dict[str, Plain]:
    e = cell.estimate
    return {
        **{name: getattr(e, name) for name in ("metric", "mean", "n", "clusters", "from_seeds")},
        **{name: getattr(cell, name) for name in ("chance", "runs", "sd", "skipped")},
        **({} if e.few else {"low": e.low, "high": e.high}),
        "kind": "ours",
        "effective": round(e.effective, 2),
        "too_few": "yes" if e.few else "no",
        "differs": "; ".join(line.differs) or None,
        "unread": round(cell.unread, 6),
        "not_covered": cell.uncovered,
        "items": grid.scope or None,
    }


# ---- one writer per format -------------------------------------------------------------------------------------------


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


def latex(sheet: Sheet, name: str) -> str:
    """A booktabs table, ready for \\input."""
    shape = "".join("r" if number else "l" for number in numeric(sheet))
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(map(tex, sheet.header)) + r" \\", r"\midrule"]
    out += [" & ".join(tex(plain_cell(cell)) for cell in row) + r" \\" for row in sheet.rows]
    caption = f"{tex(sheet.title)}. {tex(sheet.note)}".strip()
    out += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}"]
    return "\n".join([*out, rf"\label{{tab:{name}}}", r"\end{table}"]) + "\n"


def comma_separated(sheet: Sheet) -> str:
    return "".join(csv_lines([sheet.header, *sheet.rows]))
