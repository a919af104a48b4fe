"""Rows of other people's files: JSON lines, CSV, or JSON (an object or an array of rows), plain or gzipped.

Files are streams: a row is read, judged and forgotten. Which columns hold the text, the question and the answer is
guessed from their names, or given. What is wrong with one row is that row's; what is wrong with a file ends the audit
in one line.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from proband.core.errors import ProbandError

NAMES: Final = {
    "text": ("story", "text", "context", "passage", "premise", "paragraph", "facts", "description"),
    "question": ("question", "query", "text_query", "q", "problem", "input"),
    "answer": ("answer", "label", "target", "gold", "target_text", "relation", "output"),
}
ITEM: Final = frozenset(("suite", "prompt", "choices", "gold"))  # the fields by which our items are known
SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".csv")
ENDINGS: Final = (*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES))
BABI: Final = re.compile(r"qa(\d+)[_-].*\.txt(?:\.gz)?")  # how bAbI's files are called
LONGEST_TEXT: Final = 100_000  # characters of a story
LONGEST_CELL: Final = 1 << 24
PAIR: Final = re.compile(r"""\(\s*['"](.{1,80}?)['"]\s*,\s*['"](.{1,80}?)['"]\s*\)""")
BLOCK: Final = 1 << 20
VALUE: Final = re.compile(r"[^ \t\r\n,:]")  # how a value of JSON begins, or its container ends


@dataclass(frozen=True, kw_only=True)
class AuditRow:
    """A row as it stands. `bad`: why it is no row. `facts` and `pair`: where the source gives them beside the text."""

    file: str
    line: int | None  # of the file, where rows have lines
    key: str  # what the file calls it
    cells: Mapping[str, Any] = field(repr=False)
    text: str = ""
    question: str = ""
    answer: str = ""
    answer_column: str = ""
    genders: Mapping[str, str | None] = field(default_factory=dict)
    item: bool = False  # one of our own items
    facts: tuple[tuple[str, str, str], ...] = ()  # (a, word, b): a is the word of b
    pair: tuple[str, str] | None = None  # what is the first to the second?
    record: Any = None  # what the reader of a known set makes of it, for figures of its own
    folder: str = ""  # where its file stands, as releases of a data set do
    bad: str = ""

    @property
    def place(self) -> str:
        return f"{self.file} line {self.line}" if self.line else f"{self.file} row {self.key}"

    def relabelled(self, right: str) -> dict[str, Any]:
        """The cells with another label. What the old one was drawn from (a proof, a text) goes."""
        if self.item:
            choices = list(self.cells["choices"])
            return {**self.cells, "gold": choices.index(right) if right in choices else None}
        emptied = {name: "[]" for name in ("text_target", "proof_state") if name in self.cells}
        return {**self.cells, **emptied, self.answer_column: right}


@dataclass(frozen=True, kw_only=True)
class RowFile:
    """A file of rows: where it is and what it is called."""

    path: Path
    name: str

    @property
    def kind(self) -> str:
        """
        >>> RowFile(path=Path("a/b.jsonl.gz"), name="b.jsonl.gz").kind
        '.jsonl'
        """
        suffix = Path(self.path.name.removesuffix(".gz")).suffix
        return ".jsonl" if suffix == ".ndjson" else suffix


def files_at(path: Path, endings: tuple[str, ...]) -> list[RowFile]:
    """The file at `path`, or those in the folder whose names end so."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        return [RowFile(path=path, name=path.name)]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(endings))
    return [RowFile(path=p, name=p.relative_to(path).as_posix()) for p in files]


def row_files(path: Path) -> list[RowFile]:
    """The files of rows at `path`: itself, or those in the folder."""
    files = [each for each in files_at(path, (*ENDINGS, ".txt", ".txt.gz")) if path.is_file() or _has_rows(each)]
    if not files:
        raise ProbandError(f"holds no file of rows ({', '.join(SUFFIXES)})", file=path)
    if not _has_rows(files[0]):
        raise ProbandError(f"not a file of rows: its name ends in none of {', '.join(SUFFIXES)} (or .gz)", file=path)
    built = [each for each in files if each.name == "items.jsonl"]  # of a folder that `proband build` wrote
    return built or files


def _has_rows(file: RowFile) -> bool:
    return file.name.endswith(ENDINGS) or BABI.fullmatch(file.path.name) is not None


def columns_of(cells: Mapping[str, Any], given: Mapping[str, str], *, file: object) -> dict[str, str]:
    """The columns of a file, guessed from the first row's names unless given; the text is "" where the question holds
    both.

    >>> columns_of({"story": "", "question": "", "label": ""}, {}, file="a.json")
    {'text': 'story', 'question': 'question', 'answer': 'label'}
    """
    there = ", ".join(map(str, cells)) or "none"
    for what, name in given.items():
        if name not in cells:
            raise ProbandError(f"no column {name!r} (--{what}-column); there are: {there}", file=file)
    columns = {
        what: given.get(what) or next((name for name in names if name in cells), "") for what, names in NAMES.items()
    }
    for what in ("question", "answer"):
        if not columns[what]:
            known = f"no column for the {what} (known names: {', '.join(NAMES[what])})"
            raise ProbandError(f"{known}; there are: {there}; say which with --{what}-column", file=file)
    return columns


# ---- reading -------------------------------------------------------------------------------------------------------


class RowFormat(NamedTuple):
    """A form that rows of a known data set have. `fits(cells)`: whether a file's first row is such a row. `read(place,
    cells)`: the row. `domain` and `world`: what its labels are about, where it is known. `figures`: makes what counts
    figures of its own (`Figures`)."""

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], Mapping[str, Any]], AuditRow]
    domain: str = ""
    world: str = ""
    templates: bool = False  # its sentences are made from known templates: one reader is enough
    figures: Callable[[], Any] | None = None


def first_cells(file: RowFile) -> Mapping[str, Any]:
    """The cells of the first row; none where the file has no rows or cannot be read."""
    try:
        cells = next(_cells(file), (None, "", ""))[2]
    except ProbandError:
        return {}
    return {} if isinstance(cells, str) else cells


def read_rows(file: RowFile, given: Mapping[str, str], row_format: RowFormat | None = None) -> Iterator[AuditRow]:
    """Every row of a file, those that are none included."""
    columns: dict[str, str] = {}
    place: dict[str, Any] = {}
    folder = file.path.parent.resolve().name
    for line, key, cells in _cells(file):
        place = {"file": file.name, "line": line, "key": key, "folder": folder}
        if isinstance(cells, str):
            yield AuditRow(**place, cells={}, bad=cells)
        elif row_format:
            yield row_format.read(place, cells)
        elif cells.keys() >= ITEM:
            yield item_row(place, cells)
        else:
            columns = columns or columns_of(cells, given, file=file.name)
            yield table_row(place, cells, columns)
    if not place:
        raise ProbandError("contains no rows", file=file.path)


def table_row(place: Mapping[str, Any], cells: Mapping[str, Any], columns: Mapping[str, str]) -> AuditRow:
    values: dict[str, Any] = {}
    for what, column in columns.items():
        value = cells.get(column) if column else ""
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if problem := _problem(value, empty=not column):
            return AuditRow(**place, cells=cells, bad=f"column {column!r} {problem}")
        values[what] = value
    if pair := PAIR.fullmatch(values["question"].strip()):  # CLUTRR's way to ask what the second is to the first
        values["question"] = f"What is {pair[2]} to {pair[1]}?"
    return AuditRow(**place, **values, answer_column=columns["answer"], cells=cells)


def _problem(value: Any, *, empty: bool) -> str:
    """What is wrong with a cell, which may be `empty` or not."""
    if not isinstance(value, str) or not (empty or value.strip()):
        return "is missing" if value is None else "is empty" if value == "" else f"is not text: {str(value)[:40]!r}"
    if not is_utf8(value):
        return "is not UTF-8"
    too_long = f"has {len(value):,} characters; at most {LONGEST_TEXT:,} are read"
    return too_long if len(value) > LONGEST_TEXT else ""


def item_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """One of our items: its prompt and its gold choice; its facts, where it has names, edges and query."""
    choices, gold, facts = cells["choices"], cells["gold"], cells.get("facts") or {}
    if not isinstance(gold, int) or not isinstance(choices, list) or not 0 <= gold < len(choices):
        return AuditRow(**place, cells=cells, item=True, bad="'gold' is not the place of a choice")
    made = AuditRow(**place, cells=cells, item=True, question=str(cells["prompt"]), answer=str(choices[gold]))
    if not {"names", "edges", "query"} <= facts.keys():
        return made
    names, (i, j) = facts["names"], facts["query"]
    edges = tuple((names[b], str(word), names[a]) for a, word, b in facts["edges"])
    genders = dict(zip(names, facts.get("genders") or ()))
    return replace(made, facts=edges, pair=(names[j], names[i]), genders=genders)


Cells = tuple[int | None, str, Mapping[str, Any] | str]  # line, key, the cells or why there are none


def _cells(file: RowFile) -> Iterator[Cells]:
    read = {".jsonl": _json_lines, ".csv": _csv, ".json": _json, ".txt": _babi}[file.kind]
    with open_text(file.path) as text:
        if text.read(2) in ("\udcff\udcfe", "\udcfe\udcff"):
            raise ProbandError("not UTF-8: it begins with the mark of UTF-16", file=file.path)
    with open_text(file.path, encoding="utf-8-sig") as text:
        yield from read(text, file.path)


@contextmanager
def open_text(path: Path, *, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """A file, plain or gzipped. Bytes that are not UTF-8 become surrogates: they spoil their row, not the file."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding=encoding, errors="surrogateescape", newline="") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None


def _json_lines(file: IO[str], path: Path) -> Iterator[Cells]:
    number = 0
    while line := file.readline(LONGEST_CELL + 1):
        number += 1
        if len(line) > LONGEST_CELL:
            raise ProbandError(f"longer than {LONGEST_CELL >> 20} MiB", file=path, line=number)
        if line.strip():
            try:
                yield number, str(number), _object(json.loads(line))
            except (ValueError, RecursionError) as error:
                yield number, str(number), f"not JSON: {str(error)[:80]}"


def _object(value: Any) -> Mapping[str, Any] | str:
    return value if isinstance(value, dict) else "not a JSON object"


def _csv(file: IO[str], path: Path) -> Iterator[Cells]:
    rows = csv_rows(file, longest=LONGEST_CELL)
    _, header = next(rows, (1, None))
    if header is None:
        return
    if isinstance(header, str):
        raise ProbandError(header, file=path, line=1)
    names = [name.strip() for name in header]
    for line, values in rows:
        if isinstance(values, str):
            yield line, str(line), values
        elif len(values) != len(names):
            if values:
                yield line, str(line), f"has {len(values)} cells but the header names {len(names)}"
        else:
            yield line, str(line), dict(zip(names, values))


def csv_rows(lines: Iterable[str], *, longest: int) -> Iterator[tuple[int, list[str] | str]]:
    """The line and the cells of every row, the header among them; or what is wrong with it. `longest`: of a cell."""
    before = csv.field_size_limit(longest)
    try:
        reader = csv.reader(lines, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                yield line, next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, f"not CSV: {error}"
    finally:
        csv.field_size_limit(before)


def is_utf8(text: str) -> bool:
    """Whether no byte of a text that was read with `surrogateescape` was anything else."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def _json(file: IO[str], path: Path) -> Iterator[Cells]:
    """The entries of one JSON object or array, a block at a time."""
    stream = _JsonStream(file, path)
    if not stream.text:
        return
    if stream.text[0] not in "{[":
        raise ProbandError("not JSON: neither an object nor an array of rows", file=path)
    keyed, stream.at = stream.text[0] == "{", 1
    while stream.next() not in "}]":
        key = str(stream.rows)
        if keyed:
            key = str(stream.value())
            stream.next()
        value = stream.value()
        rows = value if keyed and isinstance(value, list) else [value]  # {"examples": [row, row]}
        for place, each in enumerate(rows):
            if not keyed or isinstance(each, dict):  # what else an object holds beside its rows is about them
                stream.rows += 1
                yield None, str(place) if len(rows) > 1 or rows is value else key, _object(each)
        stream.text, stream.at = stream.text[stream.at :], 0


def _babi(file: IO[str], path: Path) -> Iterator[Cells]:
    """bAbI's files: numbered sentences, a question with its answer behind a tab; a story begins where numbers do."""
    name = BABI.fullmatch(path.name)
    story: list[str] = []
    for line, text in enumerate(file, start=1):
        number, _, said = text.strip().partition(" ")
        if number == "1":
            story = []
        question, tab, rest = said.partition("\t")
        if not tab:
            story.append(said)
            continue
        cells = {"story": list(story), "question": question.strip(), "answer": rest.partition("\t")[0].strip()}
        yield line, str(line), {**cells, "task": name[1] if name else ""}


class _JsonStream:
    """The part of a JSON text that is in memory, and the place in it."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self.file, self.path, self.decoder = file, path, json.JSONDecoder()
        self.text, self.at, self.rows = file.read(BLOCK).lstrip(), 0, 0

    def next(self) -> str:
        """The next character that is neither space nor a comma or colon."""
        while not (match := VALUE.search(self.text, self.at)):
            self.at = len(self.text)
            self._read_on(f"not JSON after row {self.rows}: it ends too early")
        self.at = match.start()
        return match[0]

    def value(self) -> Any:
        """The next value, reading on while it is cut off."""
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text):
                    self.at = end
                    return value
                reason = "it ends too early"
            except (ValueError, RecursionError) as error:
                reason = str(error)
            self._read_on(f"not JSON in row {self.rows + 1}: {reason}")

    def _read_on(self, problem: str) -> None:
        block = self.file.read(BLOCK)
        if not block or len(self.text) - self.at > LONGEST_CELL:
            raise ProbandError(problem, file=self.path)
        self.text += block
