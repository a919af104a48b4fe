"""Rows of other people's files: JSON lines, CSV, or JSON (an object or an array of rows), plain or gzipped.

Files are streams: a row is read, judged and forgotten. Which columns hold the text, the question and the answer is
guessed from their names, or said. What is wrong with one row is that row's; what is wrong with a file ends the audit in
one line.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

from proband.core.errors import ProbandError

NAMES: Final = {
    "text": ("story", "text", "context", "passage", "premise", "paragraph", "facts", "description"),
    "question": ("question", "query", "text_query", "q", "problem"),
    "answer": ("answer", "label", "target", "gold", "target_text", "relation", "output"),
}
ITEM: Final = frozenset(("suite", "prompt", "choices", "gold"))  # the fields by which our items are known
SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".csv")
LONGEST_TEXT: Final = 100_000  # characters of a story
LONGEST_CELL: Final = 1 << 24
BLOCK: Final = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column holds what; `text` is "" where the question holds both."""

    text: str
    question: str
    answer: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row as it stands. `bad`: why it is no row. `facts` and `asked`: where the source tells them beside the text."""

    file: str
    number: int  # 1 is the first row
    line: int | None  # of the file, where rows have lines
    key: str  # what the file calls it
    cells: Mapping[str, Any] = field(repr=False)
    text: str = ""
    question: str = ""
    answer: str = ""
    genders: Mapping[str, str | None] = field(default_factory=dict)
    item: bool = False  # one of our own items
    facts: tuple[tuple[str, str, str], ...] = ()  # (a, word, b): a is the word of b
    asked: tuple[str, str] | None = None
    bad: str = ""

    @property
    def place(self) -> str:
        return f"{self.file} line {self.line}" if self.line else f"{self.file} row {self.key}"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of rows: where it is and what it is called."""

    path: Path
    name: str

    @property
    def kind(self) -> str:
        """
        >>> Source(path=Path("a/b.jsonl.gz"), name="b.jsonl.gz").kind
        '.jsonl'
        """
        suffix = Path(self.path.name.removesuffix(".gz")).suffix
        return ".jsonl" if suffix == ".ndjson" else suffix


def sources(path: Path) -> list[Source]:
    """The files of rows at `path`: itself, or those in the folder."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        if not path.name.removesuffix(".gz").endswith(SUFFIXES):
            raise ProbandError(
                f"not a file of rows: its name ends in none of {', '.join(SUFFIXES)} (or .gz)", file=path
            )
        return [Source(path=path, name=path.name)]
    if (path / "items.jsonl").is_file():  # a folder that `proband build` wrote
        return [Source(path=path / "items.jsonl", name="items.jsonl")]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.removesuffix(".gz").endswith(SUFFIXES))
    if not files:
        raise ProbandError(f"holds no file of rows ({', '.join(SUFFIXES)})", file=path)
    return [Source(path=p, name=p.relative_to(path).as_posix()) for p in files]


def columns_of(cells: Mapping[str, Any], said: Mapping[str, str], *, file: object) -> Columns:
    """The columns of a file, guessed from the first row's names unless said.

    >>> columns_of({"story": "", "question": "", "label": ""}, {}, file="a.json")
    Columns(text='story', question='question', answer='label')
    """
    there = ", ".join(map(str, cells)) or "none"
    for what, name in said.items():
        if name not in cells:
            raise ProbandError(f"no column {name!r} (--{what}-column); there are: {there}", file=file)
    guessed = {
        what: said.get(what) or next((name for name in names if name in cells), "") for what, names in NAMES.items()
    }
    for what in ("question", "answer"):
        if not guessed[what]:
            names = ", ".join(NAMES[what])
            raise ProbandError(
                f"no column for the {what} (known names: {names}); there are: {there}; say which with --{what}-column",
                file=file,
            )
    return Columns(**guessed)


# ---- reading -------------------------------------------------------------------------------------------------------


def read_rows(source: Source, said: Mapping[str, str]) -> Iterator[Row]:
    """Every row of a file, those that are none included."""
    columns: Columns | None = None
    number = 0
    for number, (line, key, cells) in enumerate(_cells(source), start=1):
        place: dict[str, Any] = {"file": source.name, "number": number, "line": line, "key": key}
        if isinstance(cells, str):
            yield Row(**place, cells={}, bad=cells)
            continue
        if cells.keys() >= ITEM:
            yield _item_row(place, cells)
            continue
        if columns is None:
            columns = columns_of(cells, said, file=source.name)
        yield _row(place, cells, columns)
    if not number:
        raise ProbandError("contains no rows", file=source.path)


def _row(place: Mapping[str, Any], cells: Mapping[str, Any], columns: Columns) -> Row:
    values: dict[str, Any] = {}
    for what, column in (("text", columns.text), ("question", columns.question), ("answer", columns.answer)):
        value = cells.get(column) if column else ""
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if not isinstance(value, str) or (column and not value.strip()):
            state = "missing" if value is None else "empty" if value == "" else f"not text: {str(value)[:40]!r}"
            return Row(**place, cells=cells, bad=f"column {column!r} is {state}")
        if any("\ud800" <= c <= "\udfff" for c in value if c > "\ud7ff"):
            return Row(**place, cells=cells, bad=f"column {column!r} is not UTF-8")
        if len(value) > LONGEST_TEXT:
            return Row(
                **place,
                cells=cells,
                bad=f"column {column!r} has {len(value):,} characters; at most {LONGEST_TEXT:,} are read",
            )
        values[what] = value
    return Row(**place, **values, cells=cells)


def _item_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> Row:
    """One of our items: its prompt and its gold choice; its facts, where it tells them as names, edges and query."""
    choices, gold, facts = cells["choices"], cells["gold"], cells.get("facts") or {}
    if not isinstance(gold, int) or not isinstance(choices, list) or not 0 <= gold < len(choices):
        return Row(**place, cells=cells, item=True, bad="'gold' is not the place of a choice")
    made = Row(**place, cells=cells, item=True, question=str(cells["prompt"]), answer=str(choices[gold]))
    if not {"names", "edges", "query"} <= facts.keys():
        return made
    names, (i, j) = facts["names"], facts["query"]
    told = tuple((names[b], str(word), names[a]) for a, word, b in facts["edges"])
    return replace(made, facts=told, asked=(names[j], names[i]))


Cells = tuple[int | None, str, Mapping[str, Any] | str]  # line, key, the cells or why there are none


def _cells(source: Source) -> Iterator[Cells]:
    read = {".jsonl": _json_lines, ".csv": _csv, ".json": _json}[source.kind]
    try:
        with _opened(source.path) as file:
            yield from read(file, source)
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=source.path) from None


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as raw:
        if raw.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            raise ProbandError("not UTF-8: it begins with the mark of UTF-16", file=path)
    # surrogateescape: bytes that are not UTF-8 spoil their row, not the file
    with opened(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _json_lines(file: IO[str], source: Source) -> Iterator[Cells]:
    number = 0
    while line := file.readline(LONGEST_CELL + 1):
        number += 1
        if len(line) > LONGEST_CELL:
            raise ProbandError(f"longer than {LONGEST_CELL >> 20} MiB", file=source.path, line=number)
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, str(number), f"not JSON: {str(error)[:80]}"
            continue
        yield number, str(number), value if isinstance(value, dict) else "not a JSON object"


def _csv(file: IO[str], source: Source) -> Iterator[Cells]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        reader = csv.reader(file, strict=True)
        try:
            header = [name.strip() for name in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise ProbandError(f"not CSV: {error}", file=source.path, line=1) from None
        while True:
            line = reader.line_num + 1
            try:
                values = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, str(line), f"not CSV: {error}"
                continue
            if not values:
                continue
            if len(values) != len(header):
                yield line, str(line), f"has {len(values)} cells but the header names {len(header)}"
            else:
                yield line, str(line), dict(zip(header, values))
    finally:
        csv.field_size_limit(before)


def _json(file: IO[str], source: Source) -> Iterator[Cells]:
    """The entries of one JSON object or array, a block at a time."""
    decoder, buffer, at = json.JSONDecoder(), file.read(BLOCK).lstrip(), 0
    if not buffer:
        return
    if buffer[0] not in "{[":
        raise ProbandError("not JSON: neither an object nor an array of rows", file=source.path)
    keyed, at, number = buffer[0] == "{", 1, 0

    def value_at(start: int) -> tuple[Any, int]:
        """The next value, reading on while it is cut off."""
        nonlocal buffer
        while True:
            try:
                value, end = decoder.raw_decode(buffer, start)
                if end < len(buffer):
                    return value, end
            except (ValueError, RecursionError) as error:
                reason: Exception = error
            else:
                reason = ValueError("it ends too early")
            more = file.read(BLOCK)
            if not more or len(buffer) - start > LONGEST_CELL:
                raise ProbandError(f"not JSON in row {number + 1}: {reason}", file=source.path)
            buffer += more

    def skip(start: int) -> int:
        """The place of the next character that is neither space nor a comma or colon."""
        nonlocal buffer
        while True:
            while start < len(buffer) and buffer[start] in " \t\r\n,:":
                start += 1
            if start < len(buffer):
                return start
            more = file.read(BLOCK)
            if not more:
                raise ProbandError(f"not JSON after row {number}: it ends too early", file=source.path)
            buffer += more

    while True:
        at = skip(at)
        if buffer[at] in "}]":
            return
        key = str(number)
        if keyed:
            key, at = value_at(at)
            at = skip(at)
        value, at = value_at(at)
        number += 1
        yield None, str(key), value if isinstance(value, dict) else "not a JSON object"
        buffer, at = buffer[at:], 0


def first_rows(found: Sequence[Source], said: Mapping[str, str], count: int) -> list[Row]:
    """Some rows of each file, to guess a domain by."""
    rows: list[Row] = []
    for source in found:
        rows += islice(read_rows(source, said), count)
    return rows


def all_rows(found: Iterable[Source], said: Mapping[str, str]) -> Iterator[Row]:
    for source in found:
        yield from read_rows(source, said)
