"""Rows of other people's files: JSON lines, CSV, or JSON (an object or an array of rows), plain or gzipped; or of a
data set that an installed package generates (`reasoning-gym:NAME?size=N`).

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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import parse_qsl

from proband.auditing.grammar import CAPITAL
from proband.core.errors import ProbandError

NAMES: Final = {
    "text": ("story", "text", "context", "passage", "premise", "paragraph", "facts", "description"),
    "question": ("question", "query", "text_query", "q", "problem"),
    "answer": ("answer", "label", "target", "gold", "target_text", "relation", "output"),
}
ITEM: Final = frozenset(("suite", "prompt", "choices", "gold"))  # the fields by which our items are known
SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".csv")
ENDINGS: Final = (*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES))
LONGEST_TEXT: Final = 100_000  # characters of a story
LONGEST_CELL: Final = 1 << 24
BLOCK: Final = 1 << 20
VALUE: Final = re.compile(r"[^ \t\r\n,:]")  # how a value of JSON begins, or its container ends
GYM: Final = "reasoning-gym:"
GYM_SETS: Final = ("family_relationships",)
GYM_OPTIONS: Final = {"size": 2000, "seed": 0}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row as it stands. `bad`: why it is no row. `facts` and `query`: where the source gives them beside the text."""

    file: str
    line: int | None  # of the file, where rows have lines
    key: str  # what the file calls it
    cells: Mapping[str, Any] = field(repr=False)
    text: str = ""
    question: str = ""
    answer: str = ""
    genders: Mapping[str, str | None] = field(default_factory=dict)
    item: bool = False  # one of our own items
    facts: tuple[tuple[str, str, str], ...] = ()  # (a, word, b): a is the word of b
    query: tuple[str, str] | None = None
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

    @cached_property
    def release(self) -> str:
        """The folder it stands in, as releases of a data set do."""
        return self.path.parent.resolve().name


def files_at(path: Path, endings: tuple[str, ...]) -> list[Source]:
    """The file at `path`, or those in the folder whose names end so."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        return [Source(path=path, name=path.name)]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(endings))
    return [Source(path=p, name=p.relative_to(path).as_posix()) for p in files]


def sources(path: Path) -> list[Source]:
    """The files of rows at `path`: itself, or those in the folder."""
    files = files_at(path, ENDINGS)
    if not files:
        raise ProbandError(f"holds no file of rows ({', '.join(SUFFIXES)})", file=path)
    if not files[0].name.endswith(ENDINGS):
        raise ProbandError(f"not a file of rows: its name ends in none of {', '.join(SUFFIXES)} (or .gz)", file=path)
    built = [each for each in files if each.name == "items.jsonl"]  # of a folder that `proband build` wrote
    return built or files


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


def read_rows(source: Source, given: Mapping[str, str]) -> Iterator[Row]:
    """Every row of a file, those that are none included."""
    columns: dict[str, str] = {}
    place: dict[str, Any] = {}
    for line, key, cells in _cells(source):
        place = {"file": source.name, "line": line, "key": key}
        if isinstance(cells, str):
            yield Row(**place, cells={}, bad=cells)
        elif cells.keys() >= ITEM:
            yield _item_row(place, cells)
        else:
            columns = columns or columns_of(cells, given, file=source.name)
            yield _row(place, cells, columns)
    if not place:
        raise ProbandError("contains no rows", file=source.path)


def _row(place: Mapping[str, Any], cells: Mapping[str, Any], columns: Mapping[str, str]) -> Row:
    values: dict[str, Any] = {}
    for what, column in columns.items():
        value = cells.get(column) if column else ""
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if problem := _problem(value, empty=not column):
            return Row(**place, cells=cells, bad=f"column {column!r} {problem}")
        values[what] = value
    return Row(**place, **values, cells=cells)


def _problem(value: Any, *, empty: bool) -> str:
    """What is wrong with a cell, which may be `empty` or not."""
    if not isinstance(value, str) or not (empty or value.strip()):
        return "is missing" if value is None else "is empty" if value == "" else f"is not text: {str(value)[:40]!r}"
    if not is_utf8(value):
        return "is not UTF-8"
    too_long = f"has {len(value):,} characters; at most {LONGEST_TEXT:,} are read"
    return too_long if len(value) > LONGEST_TEXT else ""


def _item_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> Row:
    """One of our items: its prompt and its gold choice; its facts, where it has names, edges and query."""
    choices, gold, facts = cells["choices"], cells["gold"], cells.get("facts") or {}
    if not isinstance(gold, int) or not isinstance(choices, list) or not 0 <= gold < len(choices):
        return Row(**place, cells=cells, item=True, bad="'gold' is not the place of a choice")
    made = Row(**place, cells=cells, item=True, question=str(cells["prompt"]), answer=str(choices[gold]))
    if not {"names", "edges", "query"} <= facts.keys():
        return made
    names, (i, j) = facts["names"], facts["query"]
    edges = tuple((names[b], str(word), names[a]) for a, word, b in facts["edges"])
    return replace(made, facts=edges, query=(names[j], names[i]))


Cells = tuple[int | None, str, Mapping[str, Any] | str]  # line, key, the cells or why there are none


def _cells(source: Source) -> Iterator[Cells]:
    read = {".jsonl": _json_lines, ".csv": _csv, ".json": _json}[source.kind]
    with open_text(source.path) as file:
        if file.read(2) in ("\udcff\udcfe", "\udcfe\udcff"):
            raise ProbandError("not UTF-8: it begins with the mark of UTF-16", file=source.path)
    with open_text(source.path, encoding="utf-8-sig") as file:
        yield from read(file, source)


@contextmanager
def open_text(path: Path, *, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """A file, plain or gzipped. Bytes that are not UTF-8 become surrogates: they spoil their row, not the file."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding=encoding, errors="surrogateescape", newline="") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None


def _json_lines(file: IO[str], source: Source) -> Iterator[Cells]:
    number = 0
    while line := file.readline(LONGEST_CELL + 1):
        number += 1
        if len(line) > LONGEST_CELL:
            raise ProbandError(f"longer than {LONGEST_CELL >> 20} MiB", file=source.path, line=number)
        if line.strip():
            try:
                yield number, str(number), _object(json.loads(line))
            except (ValueError, RecursionError) as error:
                yield number, str(number), f"not JSON: {str(error)[:80]}"


def _object(value: Any) -> Mapping[str, Any] | str:
    return value if isinstance(value, dict) else "not a JSON object"


def _csv(file: IO[str], source: Source) -> Iterator[Cells]:
    rows = csv_rows(file, longest=LONGEST_CELL)
    _, header = next(rows, (1, None))
    if header is None:
        return
    if isinstance(header, str):
        raise ProbandError(header, file=source.path, line=1)
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


def _json(file: IO[str], source: Source) -> Iterator[Cells]:
    """The entries of one JSON object or array, a block at a time."""
    stream = _JsonStream(file, source.path)
    if not stream.text:
        return
    if stream.text[0] not in "{[":
        raise ProbandError("not JSON: neither an object nor an array of rows", file=source.path)
    keyed, stream.at = stream.text[0] == "{", 1
    while stream.next() not in "}]":
        key = str(stream.rows)
        if keyed:
            key = str(stream.value())
            stream.next()
        cells = _object(stream.value())
        stream.rows += 1
        yield None, key, cells
        stream.text, stream.at = stream.text[stream.at :], 0


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


# ---- a data set, whatever it comes from ----------------------------------------------------------------------------


class Rows:
    """The rows of a source, as often as they are asked for."""

    def __init__(self, source: str, columns: Mapping[str, str]) -> None:
        self.columns, self.generated = columns, source.startswith(GYM)
        self.name = source if self.generated else Path(source).name
        self.options = gym_options(source) if self.generated else {}
        self.files = [] if self.generated else sources(Path(source))

    def __iter__(self) -> Iterator[Row]:
        if self.generated:
            return gym_rows(self.options)
        return chain.from_iterable(read_rows(source, self.columns) for source in self.files)

    def first(self, count: int) -> list[Row]:
        """Some rows of each file, to guess a domain by."""
        if self.generated:
            return list(gym_rows({**self.options, "size": min(count, self.options["size"])}))
        each = max(1, count // len(self.files))
        return [row for source in self.files for row in islice(read_rows(source, self.columns), each)]


def gym_options(source: str) -> dict[str, Any]:
    """
    >>> gym_options("reasoning-gym:family_relationships?size=20&seed=3")
    {'name': 'family_relationships', 'size': 20, 'seed': 3}
    """
    name, _, query = source.removeprefix(GYM).partition("?")
    if name not in GYM_SETS:
        raise ProbandError(f"{source}: of reasoning-gym, {', '.join(GYM_SETS)} can be audited, not {name!r}")
    options: dict[str, Any] = {"name": name, **GYM_OPTIONS}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in GYM_OPTIONS or not value.isdigit():
            raise ProbandError(f"{source}: {key}={value} is not one of size=N and seed=N")
        options[key] = int(value)
    return options


def gym_rows(options: Mapping[str, Any]) -> Iterator[Row]:
    """The rows that the installed package generates; genders are those its name lists give."""
    import reasoning_gym

    data = reasoning_gym.create_dataset(options["name"], size=options["size"], seed=options["seed"])
    genders = dict.fromkeys(data.config.male_names, "male")
    genders |= dict.fromkeys(data.config.female_names, "female")
    for number in range(options["size"]):
        text = {name: data[number][name] for name in ("question", "answer")}
        names = CAPITAL.findall(text["question"])
        yield Row(
            file=f"{options['name']}.jsonl",
            line=None,
            key=str(number),
            cells=text,
            **text,
            genders={name: genders[name] for name in names if name in genders},
        )
