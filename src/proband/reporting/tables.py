"""The files of a report: tables as Markdown, LaTeX and CSV (of scores, a line per number at full precision), and the
folder into which tables, figures, pages and data are written.

report.json lists the files of a report: what an earlier one wrote there and this one does not is removed. Nothing else
in the folder is ever touched: a file of that name that no report wrote is an error, except with `force`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import csv_lines, markdown_table, md, minus, read_json, write_json, write_text
from proband.core.suite import Sheet
from proband.reporting.charts import WIDE, Picture, figure_of, svg
from proband.reporting.numbers import formatting
from proband.reporting.numbers.score_tables import ScoreTable

Plain = str | float | int | None
COLUMNS = (
    *("kind", "model", "label", "metric", "mean", "low", "high", "n", "clusters", "effective", "few"),
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

    >>> plain_cell(0.123456), plain_cell(12), plain_cell(None), plain_cell("-1.5 [-3.0, 0.2]")
    ('0.1235', '12', '–', '−1.5 [−3.0, 0.2]')
    """
    return "–" if cell is None else minus(f"{cell:.4g}" if isinstance(cell, float) else str(cell))


NUMBER = re.compile(r"–?|[−+<]?\d[\d.,]*( [\[(±].*)?", re.DOTALL)  # a figure, with its interval or without


def rows_of(sheet: Sheet) -> list[tuple[Plain, ...]]:
    """Its cells as text and numbers; estimates in words."""
    return list(sheet.in_words() if isinstance(sheet, ScoreTable) else sheet.rows)


def numeric(sheet: Sheet) -> tuple[bool, ...]:
    """Which columns hold numbers, with their intervals or without."""
    columns = list(zip(*rows_of(sheet))) or [()] * len(sheet.header)
    return tuple(
        any(cell is not None for cell in column) and all(NUMBER.fullmatch(plain_cell(cell)) for cell in column)
        for column in columns
    )


def markdown(sheet: Sheet) -> str:
    """A pipe table between its title and its note; numbers in the last columns are right-aligned."""
    texts = [[plain_cell(cell) for cell in row] for row in rows_of(sheet)]
    # brackets of an interval need no backslash
    body = [[re.sub(r"\\([\[\]])", r"\1", md(t)) if NUMBER.fullmatch(t) else md(t) for t in row] for row in texts]
    right = len(list(takewhile(bool, reversed(numeric(sheet)))))
    table = markdown_table([md(cell) for cell in sheet.header], body, right=right)
    return "\n".join([f"**{md(sheet.title)}**", "", table, *(["", md(sheet.note)] if sheet.note else [])]) + "\n"


def latex(sheet: Sheet) -> str:
    """A booktabs table, ready for \\input."""
    shape = "".join("r" if number else "l" for number in numeric(sheet))
    out = [r"% needs \usepackage{booktabs,amssymb,textcomp}", r"\begin{table}", r"\centering\small"]
    out += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(map(tex, sheet.header)) + r" \\", r"\midrule"]
    lines = [" & ".join(tex(plain_cell(cell)) for cell in row) for row in rows_of(sheet)]
    out += ["{}" * line.startswith(("[", "*")) + line + r" \\" for line in lines]  # no argument of \\ before it
    caption = f"{tex(sheet.title)}. {tex(sheet.note)}".strip()
    out += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}"]
    return "\n".join([*out, rf"\label{{tab:{sheet.name}}}", r"\end{table}"]) + "\n"


def comma_separated(sheet: Sheet) -> str:
    """Of a table of scores a line per number: the tags (empty: all), then COLUMNS."""
    if not isinstance(sheet, ScoreTable):
        return "".join(csv_lines([sheet.header, *sheet.rows])).replace("−", "-")  # machines read hyphens
    tags = (*sheet.layout.rows, *sheet.layout.columns)
    names = [f"tag:{name}" if name in COLUMNS else name for name in map(formatting.name, tags)]
    rows: list[list[Plain]] = [[*names, *COLUMNS]]
    for record in sheet.records():
        few = {"low": None, "high": None} if record.get("few") else {}
        own = record | few | {"differs": "; ".join(record.get("differs", ()))}
        rows.append([*(formatting.tag(record["group"].get(tag, "")) for tag in tags), *map(own.get, COLUMNS)])
    return "".join(csv_lines(rows)).replace("−", "-")


# ---- the folder ------------------------------------------------------------------------------------------------------


SUMMARY = "report.json"
OURS = re.compile(r"[^/\\.][^/\\]*\.html|(claims|profile)\.json|(tables|figures|data)/[^/\\]+\.(md|tex|csv|svg|js)")


def check_folder(out: Path, *, force: bool = False) -> None:
    """Whether a report may be written into a folder, asked before there is anything to report."""
    for name, what in (("items.jsonl", "items"), ("run.json", "a run"), ("net.json", "a network")):
        if (out / name).exists():
            raise ProbandError(f"is a folder of {what}; choose another one for the report", file=out)
    if out.exists() and not out.is_dir():
        raise ProbandError("is a file; name a folder", file=out)
    if not force and not _files_of(out / SUMMARY):
        _check_free(out, (SUMMARY, "index.html"))


def _check_free(out: Path, names: Iterable[str]) -> None:
    for name in names:
        if (out / name).exists():
            raise ProbandError(
                "already exists and is not a report; choose another folder, or use --force", file=out / name
            )


class Folder:
    """Collects the files of one report and writes them together."""

    def __init__(self, out: Path, *, force: bool = False) -> None:
        self.out, self.force, self.contents = out, force, dict[str, Any]()
        check_folder(out, force=force)

    def add(self, name: str, content: Any) -> None:
        """A text, or what is written as JSON."""
        if name in self.contents:
            raise ProbandError(f"two parts of the report have the name {name!r}")
        self.contents[name] = content

    def sheet(self, sheet: Sheet, draw: Callable[[float], Picture] | None = None) -> None:
        """A table in three formats, and its figure (`draw`: another one than that which suits it)."""
        formats = {"md": markdown(sheet), "tex": latex(sheet), "csv": comma_separated(sheet)}
        for end, text in formats.items():
            self.add(f"tables/{sheet.name}.{end}", text)
        if draw := draw or figure_of(sheet):
            self.add(f"figures/{sheet.name}.svg", svg(draw(WIDE)))

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write report.json, which lists the files, and the files; remove what only an earlier report had."""
        before = _files_of(self.out / SUMMARY)
        if not self.force:
            _check_free(self.out, [name for name in self.contents if name not in before])
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            write_json(self.out / SUMMARY, {**summary, "files": sorted(self.contents)})
            for name in before - self.contents.keys():
                (self.out / name).unlink(missing_ok=True)
            for name, content in self.contents.items():
                (write_text if isinstance(content, str) else write_json)(self.out / name, content)
        except OSError as error:  # a full disk
            what = f"{Path(error.filename).name}: " if error.filename else ""
            reason = f"the report cannot be written: {what}{error.strerror or error}"
            raise ProbandError(reason, file=self.out) from None


def _files_of(summary: Path) -> set[str]:
    """The files that the report of a folder lists."""
    try:
        earlier = read_json(summary) if summary.exists() else {}
    except ProbandError:
        return set()
    return {name for name in earlier.get("files", ()) if isinstance(name, str) and OURS.fullmatch(name)}
