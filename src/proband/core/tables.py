"""Reading tables and texts of any common format: CSV as spreadsheet programs write it, TSV, JSON, JSON lines, Parquet,
Arrow, Excel and OpenDocument, plain or gzipped, a file or a folder.

A file may have a byte-order mark, commas, semicolons, tabs or bars between cells, a title (or `sep=;`) above the
header, line breaks within quotation marks, UTF-16 or Windows-1252 instead of UTF-8. Guesses are printed. Text is
read as a stream, one row at a time. An error names the file, the column and the row (numbered as in a spreadsheet
program, or by line where each row is a line).

    for row in read_table(Path("quiz.csv")):
        row.cells["question"]
        raise row.error("is empty", "question")    # quiz.csv row 3, column 'question': is empty
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast

from proband.core.errors import ProbandError
from proband.core.files import decode
from proband.core.progress import log

SEPARATORS = (",", ";", "\t", "|")
LINES = (".jsonl", ".ndjson")
FRAMES = (".parquet", ".arrow")
WORKBOOKS = (".xlsx", ".xls", ".xlsb", ".ods")
SUFFIXES = (".csv", ".tsv", ".txt", *LINES, ".json", *FRAMES, *WORKBOOKS)
TITLE_ROWS = 5  # above the header, at most
HEAD = 40  # number of lines used to guess the separator
SAMPLE = 1 << 20  # number of bytes used to guess the encoding
CHARACTER = re.compile("[^\x00-\x7f\ud800-\udfff\ufeff]")  # a valid character beyond ASCII
SURROGATE = re.compile("[\ud800-\udfff]")
LONGEST = 1 << 25  # characters of a line; a file with longer lines is not a table
csv.field_size_limit(LONGEST)
DESCRIPTIONS = ("dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json")  # of `datasets`
# names of the splits in the names of folders and files
SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev", "development"), "valid"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}
Names = Callable[[Sequence[str]], Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row with its place. `problem`: why it is invalid, if invalid rows are kept."""

    cells: Mapping[str, Any] = field(repr=False)
    file: Path
    number: int  # from 1, header included; if rows are lines, the line number
    line: int | None = None  # line of the file, if it has lines
    key: str = ""  # its key in a JSON object
    problem: str = ""
    split: str = ""  # from the name of its file or folder
    by_line: bool = False  # rows are lines

    def error(self, message: str, column: str = "") -> ProbandError:
        if self.by_line:
            return ProbandError(f"column {column!r}: {message}" if column else message, file=self.file, line=self.line)
        where = f"row {self.number}" + (f", column {column!r}" if column else "")
        return ProbandError(f"{where}: {message}", file=self.file)


def kind_of(file: Path) -> str:
    """The file name ending that determines the format.

    >>> kind_of(Path("a/b.JSONL.gz")), kind_of(Path("notes"))
    ('.jsonl', '')
    """
    return Path(file.name.lower().removesuffix(".gz")).suffix


def read_table(
    path: Path,
    *,
    kind: str = "",
    names: Names | None = None,
    separator: str = "",
    quotes: bool = True,
    exact: bool = False,
    keep_bad: bool = False,
    under_keys: bool = False,
) -> Iterator[TableRow]:
    """Yield the rows of a file. Its `kind` is the file name ending, unless given.

    `names(first row)` returns None if the first row names the columns; if it is a row of data, it returns the names of
    the columns. `separator` is guessed unless given. Without `quotes` a quotation mark is an ordinary character. A row
    may be shorter than the header, unless `exact`. An invalid row raises an error; with `keep_bad` it is a row with a
    `problem`. `under_keys`: the values of a JSON object may be lists of rows.
    """
    kind = kind or kind_of(path)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    rows: Iterator[TableRow]
    if kind in FRAMES:
        rows = (TableRow(cells, path, number) for number, cells in enumerate(_frame(path, kind), start=1))
    elif kind in LINES:
        rows = _json_lines(path, guess=not keep_bad)
    elif kind == ".json":
        rows = _json(path, under_keys=under_keys, guess=not keep_bad)
    elif kind in (".csv", ".tsv", ".txt"):
        naming = {"names": names, "exact": exact, "by_line": kind != ".csv"}
        rows = _text_rows(path, separator=separator, quotes=quotes, guess=not keep_bad, **naming)
    elif kind in WORKBOOKS:
        rows = _named_rows(_workbook(path), path, names=names, exact=exact)
    else:
        raise ProbandError(f"is neither a {', '.join(SUFFIXES)} file nor a folder of such files", file=path)
    for row in rows:
        bad = next((name for name, cell in row.cells.items() if isinstance(cell, str) and not is_unicode(cell)), None)
        if bad is not None:
            row = replace(row, problem=f"column {bad!r} is not UTF-8")
        if row.problem and not keep_bad:
            raise row.error(row.problem)
        yield row


def read_tables(path: Path, **options: Any) -> Iterator[TableRow]:
    """The rows of a file, or of the data files of a folder (as on the Hugging Face hub), with splits by file name."""
    if not path.is_dir():
        yield from read_table(path, **options)
        return
    data_files = [
        file
        for file in sorted(path.rglob("*"))
        if kind_of(file) in SUFFIXES and file.suffix != ".txt" and file.name not in DESCRIPTIONS
    ]
    kinds = {kind_of(file) for file in data_files}
    if len(kinds) > 1:
        raise ProbandError(f"contains files of several kinds ({', '.join(sorted(kinds))}): name one", file=path)
    if not data_files:
        raise ProbandError(f"contains no {', '.join(SUFFIXES)} file", file=path)
    for file in data_files:
        for row in read_table(file, **options):
            yield replace(row, split=_split_of(file.relative_to(path)))


def _split_of(file: Path) -> str:
    """The split in a file's name or folder: data/train-00000-of-00001.parquet, validation/data-00000.arrow."""
    parts = (part.lower().replace("_", "-") for part in (file.name, *reversed(file.parent.parts)))
    words = (part.partition(".")[0].partition("-")[0] for part in parts)
    return next((SPLITS[word] for word in words if word in SPLITS), "")


def guess_columns(names: Iterable[str], roles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Role -> its column, by usual names in order of preference; each column is used once.

    >>> guess_columns(["ID", "Sub_Label", "obj label"], {"head": ("head", "sublabel"), "tail": ("tail", "objlabel")})
    {'head': 'Sub_Label', 'tail': 'obj label'}
    """
    left = {plain_name(name): name for name in reversed(list(names))}
    found = ((role, next((name for name in known if name in left), None)) for role, known in roles.items())
    return {role: left.pop(name) for role, name in found if name is not None}


def plain_name(name: str) -> str:
    """
    >>> plain_name("Correct answer"), plain_name("sub_label")
    ('correctanswer', 'sublabel')
    """
    return re.sub(r"[\s_\-.]", "", name).casefold()


# ---- text, whatever its encoding -----------------------------------------------------------------------------------


def read_text(path: Path) -> str:
    """The text of a file."""
    with open_lines(path) as lines:
        return "".join(lines)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number, text) of each line that is not empty."""
    with open_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not is_unicode(line):
                raise ProbandError("is not UTF-8", file=path, line=number)
            if line.strip():
                yield number, line.rstrip("\r\n")


@contextmanager
def open_lines(path: Path, *, guess: bool = True) -> Iterator[Iterator[str]]:
    """The lines of a text, plain or gzipped; without `guess` as UTF-8 or by its byte-order mark. Invalid bytes become
    surrogates (see `is_unicode`)."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else open(path, "rb") as raw:
            encoding = _encoding(raw.read(SAMPLE), path, guess=guess)
            raw.seek(0)
            with io.TextIOWrapper(cast(IO[bytes], raw), encoding, errors="surrogateescape", newline="") as file:
                yield _lines(file, path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise ProbandError(f"cannot be read: {reason}", file=path) from None


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    for number, line in enumerate(iter(lambda: file.readline(LONGEST + 1), ""), start=1):
        if len(line) > LONGEST:
            raise ProbandError(f"longer than {LONGEST >> 20} MiB", file=path, line=number)
        yield line


def is_unicode(text: str) -> bool:
    """Whether a text that was read has no invalid bytes."""
    return text.isascii() or SURROGATE.search(text) is None


def _encoding(sample: bytes, path: Path, *, guess: bool) -> str:
    """UTF-16 by its mark, else UTF-8; Windows-1252 if no character beyond ASCII is valid UTF-8."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    text = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode(sample)
    if not guess or is_unicode(text) or CHARACTER.search(text):
        return "utf-8-sig"
    try:
        other = sample.decode("cp1252")
    except UnicodeDecodeError:
        return "utf-8-sig"
    line, shown = next((n, o) for n, (t, o) in enumerate(zip(text.split("\n"), other.split("\n")), 1) if t != o)
    log(f"{path} line {line}: is not UTF-8; read as Windows-1252 ({shown.strip()[:60]!r})")
    return "cp1252"


# ---- CSV and other text with separators ----------------------------------------------------------------------------


def _text_rows(path: Path, *, separator: str, quotes: bool, guess: bool, **naming: Any) -> Iterator[TableRow]:
    with open_lines(path, guess=guess) as lines:
        head = list(islice(lines, HEAD))
        separator = separator or _separator(head)
        dialect: dict[str, Any] = {"strict": separator != "\t"} if quotes else {"quoting": csv.QUOTE_NONE}
        reader = csv.reader(chain(head, lines), delimiter=separator, skipinitialspace=separator == " ", **dialect)
        yield from _named_rows(_csv_cells(reader), path, separator=separator, **naming)


def _csv_cells(reader: Any) -> Iterator[tuple[int, list[str] | str]]:
    """The line at which each row begins, and its cells or the error message."""
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"is not CSV: {error}"


def _named_rows(
    rows: Iterable[tuple[int, list[Any] | str]],
    path: Path,
    *,
    names: Names | None = None,
    exact: bool = False,
    separator: str = "",
    by_line: bool = False,
) -> Iterator[TableRow]:
    """Rows as mappings; the columns are named by the first row, or by `names`."""
    rows = iter(rows)
    first = list(islice(rows, TITLE_ROWS + 2))
    if first and isinstance(first[0][1], str):
        raise ProbandError(first[0][1], file=path, line=first[0][0])
    table = [cells if isinstance(cells, list) else [] for _, cells in first]
    given = names(list(map(str.strip, map(str, table[0])))) if names and table else None
    above = 0 if given is not None else _rows_above(table, path)
    header = list(given) if given is not None else _header(table[above] if table else [], above + 1, path)
    start = 0 if given is not None else above + 1
    wanted = f", not {len(header)}" if given is not None else f" but the header names {len(header)}"
    number = start + (first[0][0] if first and not by_line else 1) - 1
    for line, cells in chain(first[start:], rows):
        number += 1
        place: dict[str, Any] = {"file": path, "number": line if by_line else number, "line": line, "by_line": by_line}
        if isinstance(cells, str):
            yield TableRow({}, **place, problem=cells)
            continue
        if not any(str(cell).strip() for cell in cells):
            continue
        extra = any(str(cell).strip() for cell in cells[len(header) :])
        if len(cells) != len(header) and (exact or extra):
            apart = f" (separated by {separator!r})" if separator and extra else ""
            yield TableRow({}, **place, problem=f"has {len(cells)} cells{wanted}{apart}")
            continue
        values = dict.fromkeys(header, "") | dict(zip(header, cells))
        if not exact:
            values.pop("", None)
        yield TableRow(values, **place)


def _rows_above(rows: Sequence[Sequence[Any]], file: Path) -> int:
    """How many rows precede the header: empty ones, and a title of one cell, or several with an empty row below them.
    Titles need a row below the header that is as wide; otherwise the table has one column.

    >>> [_rows_above([["My quiz"], ["question", "answer"], *rows], Path("quiz.csv")) for rows in ([["It?", "no"]], [])]
    [1, 0]
    """
    filled = [[str(cell).strip() for cell in cells if str(cell).strip()] for cells in rows]
    above = next((place for place, cells in enumerate(filled) if len(cells) > 1), 0)
    titles = [cells[0] for cells in filled[:above] if cells and not cells[0].startswith("sep=")]
    below = next((len(row) for row, cells in zip(rows[above + 1 :], filled[above + 1 :]) if cells), 0)
    if titles and (below != len(rows[above]) or (len(titles) > 1 and filled[above - 1])):
        return 0
    if titles:
        log(f"{file}: row {above + 1} has the names of the columns, below the title {titles[0]!r}")
    return above


def _separator(head: Sequence[str]) -> str:
    """The separator that gives the header the most columns; the first row with several is the header.

    >>> _separator(['question;answer\\n', '"one; two, three";4']), _separator(["question\\n", "What?"])
    (';', ',')
    >>> _separator(["My quiz\\n", "\\n", "question;answer"])
    ';'
    """

    def columns(separator: str) -> tuple[int, int]:
        try:
            widths = [len(cells) for cells in islice(csv.reader(head, delimiter=separator), TITLE_ROWS + 1)]
        except csv.Error:
            return 0, 0
        return max(widths[:1], default=0), next((width for width in widths if width > 1), 0)

    return max(SEPARATORS, key=columns)


def _header(cells: Sequence[Any], row: int, file: Path) -> list[str]:
    names = [str(cell).strip() for cell in cells]
    if not any(names):
        wrong = f"row {row}: a table begins with the names of its columns" if cells else "is empty"
        raise ProbandError(wrong, file=file)
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise ProbandError(f"row {row}, column {twice!r}: occurs a second time", file=file)
    return names


# ---- JSON ----------------------------------------------------------------------------------------------------------


def _json_lines(path: Path, *, guess: bool) -> Iterator[TableRow]:
    with open_lines(path, guess=guess) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            cells, problem = {}, ""
            try:
                cells = decode(dict[str, Any], line.encode("utf-8", "surrogateescape"), file=None)
            except ProbandError as error:
                problem = str(error)
            yield TableRow(cells, path, number, line=number, key=str(number), problem=problem, by_line=True)


def _json(path: Path, *, under_keys: bool, guess: bool) -> Iterator[TableRow]:
    """The rows of a JSON file: an array of rows, an object of rows by name, or one row. With `under_keys`, values that
    are not rows ({"examples": [row, row], "about": "..."}) are ignored."""
    with open_lines(path, guess=guess) as lines:
        try:
            value = json.loads("".join(lines))
        except (ValueError, RecursionError) as error:
            raise ProbandError(f"not JSON: {error}", file=path) from None
    if isinstance(value, list):
        rows: Iterable[tuple[str, Any]] = ((str(place), each) for place, each in enumerate(value))
    elif isinstance(value, dict) and under_keys:
        rows = _rows_under_keys(value.items())
    elif isinstance(value, dict):
        by_name = value and all(isinstance(each, dict) for each in value.values())
        rows = value.items() if by_name else [("", value)]
    else:
        raise ProbandError("not JSON: neither an object nor an array of rows", file=path)
    for number, (key, cells) in enumerate(rows, start=1):
        if isinstance(cells, dict):
            yield TableRow(cells, path, number, key=key)
        else:
            yield TableRow({}, path, number, key=key, problem="not a JSON object")


def _rows_under_keys(entries: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for key, value in entries:
        if isinstance(value, dict):
            yield key, value
        elif isinstance(value, list):
            yield from ((str(place), each) for place, each in enumerate(value) if isinstance(each, dict))


# ---- formats that libraries read -----------------------------------------------------------------------------------


def _frame(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    import polars

    try:
        with open(path, "rb") as file:  # Arrow is a file, which begins with its name, or a stream
            arrow = polars.read_ipc if file.read(6) == b"ARROW1" else polars.read_ipc_stream
        table = polars.read_parquet(path) if kind == ".parquet" else arrow(path)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ProbandError(f"cannot be read: {' '.join(str(error).split())[:200]}", file=path) from None
    yield from table.iter_rows(named=True)


def _workbook(path: Path) -> Iterator[tuple[int, list[str] | str]]:
    """The rows of the first sheet that has any."""
    import python_calamine

    try:
        book = python_calamine.load_workbook(str(path))
        sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise ProbandError(f"cannot be read: {' '.join(str(error).split())[:200]}", file=path) from None
    filled = [name for name, rows in sheets.items() if rows]
    if len(filled) > 1:
        log(f"{path}: the sheet {filled[0]!r} is read, not {', '.join(map(repr, filled[1:]))}")
    for number, cells in enumerate(sheets[filled[0]] if filled else [], start=1):
        yield number, list(map(_cell_text, cells))


def _cell_text(cell: Any) -> str:
    """The text of a spreadsheet cell.

    >>> [_cell_text(cell) for cell in (3.0, 0.25, True, "Rome", "")]
    ['3', '0.25', 'true', 'Rome', '']
    """
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
