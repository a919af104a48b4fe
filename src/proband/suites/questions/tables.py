"""Rows of a table as people have them: CSV of a spreadsheet program, JSON, JSON lines, Parquet, a Hugging Face folder.

A spreadsheet may write a byte-order mark, semicolons or tabs between cells, a first line `sep=;`, a title above the
header, line breaks within quotation marks, UTF-16 and Windows-1252. A row is named as the program shows it: row 1 is
the first.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, file_errors, raw_lines
from proband.core.progress import say

SEPARATORS = (",", ";", "\t", "|")
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow")
TITLE_ROWS = 5  # above the header, at most
OF_PROGRAMS = (".xlsx", ".xls", ".ods", ".numbers")
# how folders and files name the splits
SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev", "development"), "valid"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}


@dataclass(frozen=True)
class Row:
    """One row, with its place for errors; `split` is that of its file, where a folder says it."""

    cells: Mapping[str, Any]
    file: Path
    number: int
    split: str = ""

    def error(self, message: str, column: str = "") -> ProbandError:
        where = f"row {self.number}" + (f", column {column!r}" if column else "")
        return ProbandError(f"{where}: {message}", file=self.file)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, or of all files of a folder."""
    if path.is_dir():
        return [row for file, split in files_of(path) for row in _rows(file, split)]
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    return list(_rows(path, ""))


def files_of(folder: Path) -> list[tuple[Path, str]]:
    """The data files of a Hugging Face folder (of the hub, or of `save_to_disk`), with the split that each is of."""
    data_files = [file for file in sorted(folder.rglob("*")) if file.suffix in SUFFIXES and not _describes(file)]
    kinds = {file.suffix for file in data_files}
    if len(kinds) > 1:
        names = ", ".join(sorted(kinds))
        raise ProbandError(f"contains files of several kinds ({names}): name one of them", file=folder)
    if not data_files:
        raise ProbandError(f"contains no {', '.join(SUFFIXES)} file", file=folder)
    return [(file, _split_of(file.relative_to(folder))) for file in data_files]


def _describes(file: Path) -> bool:
    """Files beside the data: what `datasets` says of it, readme and licence texts."""
    return file.suffix == ".txt" or file.name in (
        "dataset_info.json",
        "dataset_dict.json",
        "dataset_infos.json",
        "state.json",
    )


def _split_of(file: Path) -> str:
    """The split in a file's name or folder: data/train-00000-of-00001.parquet, validation/data-00000.arrow."""
    for part in (file.name, *reversed(file.parent.parts)):
        word = part.lower().replace("_", "-").partition(".")[0].partition("-")[0]
        if word in SPLITS:
            return SPLITS[word]
    return ""


def _rows(file: Path, split: str) -> Iterator[Row]:
    kind = file.suffix.lower()
    if kind in (".parquet", ".arrow"):
        yield from (Row(cells, file, number, split) for number, cells in enumerate(_frame(file), start=1))
    elif kind in (".jsonl", ".ndjson"):
        for number, raw in raw_lines(file):
            if raw.strip():
                yield Row(decode(dict[str, Any], raw, file=file, line=number), file, number, split)
    elif kind == ".json":
        with file_errors(file):
            listed = decode(list[dict[str, Any]], file.read_bytes().removeprefix(codecs.BOM_UTF8), file=file)
        yield from (Row(cells, file, number, split) for number, cells in enumerate(listed, start=1))
    elif kind in (".csv", ".tsv", ".txt"):
        yield from _csv_rows(file, split)
    elif kind in OF_PROGRAMS:
        raise ProbandError("is a spreadsheet program's own format: save it there as CSV (UTF-8)", file=file)
    else:
        raise ProbandError(f"is none of {', '.join(SUFFIXES)}, nor a folder of them", file=file)


def _frame(file: Path) -> Iterator[dict[str, Any]]:
    import polars

    try:
        table = polars.read_parquet(file) if file.suffix == ".parquet" else polars.read_ipc_stream(file)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ProbandError(f"cannot be read: {' '.join(str(error).split())[:200]}", file=file) from None
    yield from table.iter_rows(named=True)


# ---- CSV -----------------------------------------------------------------------------------------------------------


def _csv_rows(file: Path, split: str) -> Iterator[Row]:
    text = _text(file)
    first, _, rest = text.partition("\n")
    named = first.strip().strip('"')
    if named.lower().startswith("sep=") and len(named) == 5:  # how some programs say it
        text, separator, before = rest, named[4], 1
    else:
        separator, before = _separator(text), 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = list(reader)
        above = _rows_above(rows, file)
        header = _header([name.strip() for name in (rows or [[]])[above]], 1 + before + above, file)
        for number, cells in enumerate(rows[above + 1 :], start=2 + before + above):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
                raise ProbandError(
                    f"row {number}: has {len(cells)} cells, the header {len(header)} (separated by {separator!r})",
                    file=file,
                )
            filled = [*cells, *[""] * (len(header) - len(cells))]
            yield Row({name: cell for name, cell in zip(header, filled) if name}, file, number, split)
    except csv.Error as error:
        raise ProbandError(f"is not CSV: {error}", file=file, line=reader.line_num + before) from None


def _rows_above(rows: Sequence[Sequence[str]], file: Path) -> int:
    """How many rows stand above the names of the columns: empty ones, and titles (one cell alone in its row).

    >>> _rows_above([["question", "answer"], ["Is it?", "yes"]], Path("quiz.csv"))
    0
    """
    filled = [[cell.strip() for cell in cells if cell.strip()] for cells in rows[: TITLE_ROWS + 1]]
    above = next((place for place, cells in enumerate(filled) if len(cells) > 1), 0)
    if above:
        title = next((f", below the title {cells[0]!r}" for cells in filled[:above] if cells), "")
        say(f"{file}: row {above + 1} has the names of the columns{title}")
    return above


def _text(file: Path) -> str:
    with file_errors(file):
        raw = file.read_bytes()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        raise ProbandError(
            "is not UTF-8: save it as CSV UTF-8 in your spreadsheet program", file=file, line=line
        ) from None
    say(f"{file} line {line}: is not UTF-8; read as Windows-1252 ({text.splitlines()[line - 1].strip()[:60]!r})")
    return text


def _separator(text: str) -> str:
    """The separator that gives the header the most columns; the first row with several is the header.

    >>> _separator('question;answer\\n"one; two, three";4'), _separator("question\\nWhat?")
    (';', ',')
    >>> _separator("My quiz\\n\\nquestion;answer")
    ';'
    """

    def columns(separator: str) -> tuple[int, int]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            widths = [len(cells) for cells in islice(reader, TITLE_ROWS + 1)]
        except csv.Error:
            return 0, 0
        return max(widths[:1], default=0), next((width for width in widths if width > 1), 0)

    return max(SEPARATORS, key=columns)


def _header(names: Sequence[str], row: int, file: Path) -> Sequence[str]:
    if not any(names):
        raise ProbandError(f"row {row}: a table begins with the names of its columns", file=file)
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise ProbandError(f"row {row}, column {twice!r}: occurs a second time", file=file)
    return names
