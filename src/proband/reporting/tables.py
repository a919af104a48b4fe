"""Tables as files: Markdown and LaTeX with a mean and its interval per cell, published figures in italics with their
source beneath; CSV, long, one line per number at full precision, for whoever computes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from proband.core.files import csv_lines, markdown_table, md
from proband.core.suite import Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell
from proband.reporting.numbers.grids import SIGNS, Grid, Key
from proband.reporting.numbers.words import MINUS
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
    mark: str = ""  # signs of the footnotes that say in what it differs from the published lines
    differs: tuple[str, ...] = ()  # the same in words

    @property
    def name(self) -> str:
        return self.label + self.mark


def lines(grid: Grid) -> Iterator[TableLine]:
    """All lines, ours first within each row; lines without a number are left out."""
    for row in grid.rows:
        for run, label in enumerate(grid.labels):
            cells = tuple(grid.cells[row, column][run] for column in grid.columns)
            if any(cells):
                figures = tuple(cell.estimate.mean if cell else None for cell in cells)
                differs = tuple(grid.differs.get((row, run), ()))
                yield TableLine(row, label, run, cells, figures, mark=grid.mark(row, run), differs=differs)
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
            e, spread = cell.estimate, words.spread(cell.sd, cell.runs, grid.metric)
            unread = f"unread {100 * cell.unread:.0f}%" if cell.unread >= 0.005 else ""
            uncovered = f"{cell.uncovered:,} not covered" if cell.uncovered else ""
            more = tuple(part for part in (words.span(e, grid.metric), spread, unread, uncovered, e.note) if part)
            out.append((words.figure(e.mean, grid.metric), SIGN[cell.against_level], more))
        else:
            out.append(EMPTY if value is None else (words.figure(value, grid.metric), "", ()))
    return out


def best(grid: Grid, row: Key | None) -> tuple[float | None, ...]:
    """The best of our figures in each column of a row."""
    pick = max if grid.metric.better == "high" else min
    return tuple(
        pick((cell.estimate.mean for cell in grid.cells[row, column] if cell), default=None) for column in grid.columns
    )


def head(grid: Grid) -> list[str]:
    """The words above the columns: the tags of the rows if there are any, the model, then what holds numbers."""
    rows = [" · ".join(map(words.name, grid.table.rows))] if grid.table.rows else []
    return [*rows, "model", *map(grid.heading, grid.columns)]


def unit(grid: Grid) -> str:
    """Metric, direction, unit, and what holds for the whole table."""
    first = grid.columns[0] if grid.columns else ()
    fixed = [
        f"{words.name(n)}: {words.tag(v)}" for n, v in zip(grid.table.columns, first) if n not in grid.differing_tags
    ]
    macro = [f"mean over the values of {words.name(grid.table.macro)}"] if grid.table.macro else []
    parts = [words.with_arrow(grid.metric), words.unit(grid.metric), grid.scope, *macro, "95% intervals", *fixed]
    return ", ".join(part for part in parts if part)


def signs(grid: Grid) -> list[str]:
    """What the signs in a table mean: those that it has."""
    out = ["Intervals account for items that share material."]
    if grid.has_few:
        out.append(f"{words.TOO_FEW.capitalize()}: fewer than {LEAST_FREEDOM:g} degrees of freedom (of clusters).")

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
        out.append("In italics, published figures (" + "; ".join(sources) + ").")
    return " ".join([*out, *notes(grid)])


def notes(grid: Grid) -> list[str]:
    """What the suite says of the table, and in what our lines differ from the published ones."""
    beside = any(grid.published.values())
    texts = [grid.table.note, grid.table.published_note if beside else ""]
    return [*filter(None, texts), *(f"{sign} {note}." for note, sign in grid.footnotes.items())]


# ---- formats -----------------------------------------------------------------------------------------------------


def markdown(grid: Grid) -> str:
    body = []
    for line in lines(grid):
        mark = "" if line.run is not None else "*"
        first = [md(words.key(grid.table.rows, line.row))] if grid.table.rows else []
        body.append(
            [*first, f"{mark}{md(line.name)}{mark}", *(_markdown_cell(each, mark) for each in cell_words(grid, line))]
        )
    title = f"{grid.table.title} ({unit(grid)})"
    return titled_table(title, head(grid), body, numbers=len(grid.columns), note=legend(grid))


def _markdown_cell(cell: CellWords, mark: str) -> str:
    figure, sign, more = cell
    if cell == EMPTY:
        return figure
    return " ".join([f"{mark}{figure}{mark}", *(more[:1] and [more[0] + sign]), *more[1:]])


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


def _line(grid: Grid, line: TableLine, *, first: bool) -> list[str]:
    """Published figures and their models are in italics; a row is named in its first line."""
    shape = "{}" if line.run is not None else r"\textit{{{}}}"
    out = [shape.format(tex(line.name))]
    if grid.table.rows:
        out.insert(0, tex(words.key(grid.table.rows, line.row)) if first else "")
    for cell in cell_words(grid, line):
        figure, sign, parts = cell
        more = rf"{tex(sign)} {{\scriptsize {tex(' '.join(parts))}}}" if parts else ""
        out.append("--" if cell == EMPTY else shape.format(tex(figure)) + more)
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
            if value is not None:
                numbers: dict[str, Plain] = {"kind": "published", "metric": grid.metric.name, "mean": value}
                numbers |= {"source": line.source} if cell is None else _cell_columns(grid, line, cell)
                numbers["model"] = line.label
                body.append([*map(words.tag, (*row, *column)), *map(numbers.get, COLUMNS)])
    head = [*map(words.name, (*grid.table.rows, *grid.table.columns)), *COLUMNS]
    return "".join(csv_lines([head, *body]))


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
