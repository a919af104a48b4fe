"""CLUTRR's CSV, read: the eighteen columns of its six releases.

    (index), id, story, query, text_query, target, text_target, clean_story, proof_state, f_comb, task_name,
    story_edges, edge_types, query_edge, genders, syn_story, node_mapping, task_split

People are numbered by their place in `genders`. `story_edges` lists the k facts of the chain and then the noise;
`edge_types` types the first k. (What we write types the noise too, which any reader that pairs the two columns takes.)
`task_name` is task_T.k with T = 1 clean, 2 supporting, 3 irrelevant, 4 disconnected, 5 all, 6 memory, 7 mixed.
The copy on the Hugging Face hub numbers its targets and has the word in `target_text`; it is read just the same.

Rows come from strangers: cells are parsed by a bounded literal parser, never evaluated, and whatever does not fit is
reported with file, line and column.
"""

from __future__ import annotations

import ast
import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

from proband.core.errors import ProbandError
from proband.suites.kinship.kernel import Edge
from proband.suites.kinship.relations import FEMALE, MALE, NEUTRAL

COLUMNS: Final = (
    "",
    "id",
    "story",
    "query",
    "text_query",
    "target",
    "text_target",
    "clean_story",
    "proof_state",
    "f_comb",
    "task_name",
    "story_edges",
    "edge_types",
    "query_edge",
    "genders",
    "syn_story",
    "node_mapping",
    "task_split",
)
NEEDED: Final = ("target", "story_edges", "edge_types", "query_edge", "genders")  # enough for a verdict
TASKS: Final = {1: "clean", 2: "supporting", 3: "irrelevant", 4: "disconnected", 5: "all", 6: "memory", 7: "mixed"}
LONGEST_CELL: Final = 1 << 20
LONGEST_LINE: Final = 1 << 23
MOST_PEOPLE: Final = 64
DEEPEST: Final = 6
Step = tuple[tuple[str, str, str], tuple[tuple[str, str, str], ...]]  # (head, body) over names


@dataclass(frozen=True, kw_only=True)
class Row:
    """One checked row. The label is said to follow from `chain`; `noise` has types where the file gives them."""

    file: str
    line: int
    id: str
    names: tuple[str, ...]
    genders: tuple[str, ...]
    chain: tuple[Edge, ...]
    noise: tuple[tuple[int, str | None, int], ...]
    query: tuple[int, int]
    target: str
    task: str
    k: int
    split: str
    story: str
    clean_story: str
    proof: tuple[Step, ...]
    cells: Mapping[str, str] = field(default_factory=dict, repr=False)  # as they stood in the file


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A row that is not one, and why."""

    file: str
    line: int
    column: str
    reason: str
    cells: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        where = f"column {self.column!r} " if self.column else ""
        return f"{self.file} line {self.line}: {where}{self.reason}"


class _Wrong(Exception):
    def __init__(self, column: str, reason: str) -> None:
        self.column, self.reason = column, reason


# ---- the file ------------------------------------------------------------------------------------------------------


def scan(path: Path) -> Iterator[Row | Unreadable]:
    """Every row of a file, plain or gzipped, in order; a row that cannot be read is told, not skipped."""
    for cells in scan_cells(path):
        yield cells if isinstance(cells, Unreadable) else row_of(cells[1], file=path.name, line=cells[0])


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file; the first that cannot be read ends it with an error."""
    for row in scan(path):
        if isinstance(row, Unreadable):
            column = f"column {row.column!r} " if row.column else ""
            raise ProbandError(f"{column}{row.reason}", file=path, line=row.line)
        yield row


def scan_cells(path: Path) -> Iterator[tuple[int, dict[str, str]] | Unreadable]:
    """(line, cells by column) of each row, unparsed."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with _open(path) as file:
            yield from _cells(_lines(file, path), path)
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None
    finally:
        csv.field_size_limit(before)


def _open(path: Path) -> TextIO:
    # surrogateescape: bytes that are not UTF-8 spoil their row, not the file
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape", newline="")
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ProbandError(f"longer than {LONGEST_LINE >> 20} MiB", file=path, line=number)
        yield line


def _cells(lines: Iterator[str], path: Path) -> Iterator[tuple[int, dict[str, str]] | Unreadable]:
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise ProbandError(f"not CSV: {error}", file=path, line=1) from None
    if header is None:
        raise ProbandError("is empty", file=path)
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise ProbandError(f"not a CLUTRR file: it has no column {missing[0]!r}", file=path, line=1)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Unreadable(file=path.name, line=line, column="", reason=f"not CSV: {error}")
            continue
        cells = dict(zip(header, values))
        if "target_text" in cells:
            cells["target"] = cells.pop("target_text")
        if len(values) != len(header):
            reason = f"has {len(values)} cells but the header names {len(header)}"
            yield Unreadable(file=path.name, line=line, column="", reason=reason, cells=cells)
        elif bad := next((name for name, value in cells.items() if not value.isascii() and _escaped(value)), None):
            yield Unreadable(file=path.name, line=line, column=bad, reason="is not UTF-8")
        else:
            yield line, cells


def _escaped(value: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in value)


# ---- the cells -----------------------------------------------------------------------------------------------------


def literal(text: str) -> Any:
    """The value of a Python literal of bounded length and depth; ValueError for anything else.

    >>> literal("[(0, 1), (1, 2)]")
    [(0, 1), (1, 2)]
    >>> literal("[" * 100)
    Traceback (most recent call last):
    ValueError: nested more than 6 deep
    """
    if len(text) > LONGEST_CELL >> 4:
        raise ValueError(f"longer than {LONGEST_CELL >> 14} KiB")
    depth = 0
    for bracket in re.findall(r"[\[({\])}]", text):
        depth += 1 if bracket in "[({" else -1
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise ValueError(f"is not a list or a tuple: {text[:40]!r}") from None


def _pair(value: Any, *, people: int) -> tuple[int, int]:
    if not (isinstance(value, tuple) and len(value) == 2 and all(type(x) is int for x in value)):
        raise ValueError(f"holds {str(value)[:40]!r} where a pair of people should stand")
    for x in value:
        if not 0 <= x < people:
            raise ValueError(f"names person {x} but 'genders' lists {people}")
    return value


def _genders(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    >>> _genders("Ann:female,Ben:male")
    (('Ann', 'Ben'), ('female', 'male'))
    """
    pairs = [part.rsplit(":", 1) for part in text.split(",")]
    for part in pairs:
        if len(part) != 2 or part[1] not in (MALE, FEMALE) or not part[0].strip():
            raise ValueError(f"holds {':'.join(part)[:40]!r} where NAME:male or NAME:female should stand")
    names = tuple(name.strip() for name, _ in pairs)
    if len(set(names)) != len(names):
        raise ValueError("names one person twice")
    if len(names) > MOST_PEOPLE:
        raise ValueError(f"lists {len(names)} people; at most {MOST_PEOPLE} are read")
    return names, tuple(gender for _, gender in pairs)


def _relation(value: Any) -> str:
    if not isinstance(value, str) or value not in NEUTRAL:
        raise ValueError(f"{str(value)[:40]!r} is not one of the 22 relations")
    return value


def _proof(text: str) -> tuple[Step, ...]:
    if not text.strip():
        return ()
    value = literal(text)
    if not isinstance(value, list) or not all(isinstance(step, dict) for step in value):
        raise ValueError("is not a list of steps")
    steps = []
    for head, body in (pair for step in value for pair in step.items()):
        if not (_fact(head) and isinstance(body, (list, tuple)) and all(_fact(each) for each in body)):
            raise ValueError("holds a step that is not {fact: [fact, fact]}")
        steps.append((head, tuple(body)))
    return tuple(steps)


def _fact(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(isinstance(x, str) for x in value)


def _task(text: str, types: int) -> tuple[str, int]:
    """
    >>> _task("task_2.3", 3), _task("", 4)
    (('supporting', 3), ('', 4))
    """
    if not text:
        return "", types
    found = re.fullmatch(r"task_(\d{1,2})\.(\d{1,3})", text)
    if not found:
        raise ValueError(f"is {text[:40]!r}, not task_T.k")
    k = int(found[2])
    if k > types:
        raise ValueError(f"says k={k} but 'edge_types' has {types}")
    return TASKS.get(int(found[1]), found[1]), k


def row_of(cells: Mapping[str, str], *, file: str, line: int) -> Row | Unreadable:
    """A checked row of a row's cells."""

    def parse(column: str, parser: Any, *rest: Any, **more: Any) -> Any:
        try:
            return parser(cells.get(column, ""), *rest, **more)
        except ValueError as error:
            raise _Wrong(column, str(error)) from None

    try:
        names, genders = parse("genders", _genders)
        people = len(names)
        pairs = parse("story_edges", lambda text: [_pair(each, people=people) for each in _list(text)])
        types = parse("edge_types", lambda text: [_relation(each) for each in _list(text)])
        if not types or len(types) > len(pairs):
            raise _Wrong("edge_types", f"types {len(types)} edges but 'story_edges' has {len(pairs)}")
        task, k = parse("task_name", _task, len(types))
        padded = [*types, *[None] * (len(pairs) - len(types))]
        edges = [(i, relation, j) for (i, j), relation in zip(pairs, padded)]
        query = parse("query_edge", lambda text: _pair(literal(text), people=people))
        if query[0] == query[1]:
            raise _Wrong("query_edge", "asks what a person is to themselves")
        if cells.get("query") and parse("query", literal) != (names[query[0]], names[query[1]]):
            raise _Wrong("query", "names other people than 'query_edge'")
        return Row(
            file=file,
            line=line,
            id=cells.get("id") or f"{file}:{line}",
            names=names,
            genders=genders,
            chain=tuple(edges[:k]),
            noise=tuple(edges[k:]),
            query=query,
            target=parse("target", _relation),
            task=task,
            k=k,
            split=cells.get("task_split", ""),
            story=cells.get("story", ""),
            clean_story=cells.get("clean_story", ""),
            proof=parse("proof_state", _proof),
            cells=cells,
        )
    except _Wrong as wrong:
        return Unreadable(file=file, line=line, column=wrong.column, reason=wrong.reason, cells=cells)


def _list(text: str) -> list[Any]:
    value = literal(text)
    if not isinstance(value, list):
        raise ValueError(f"is not a list: {text[:40]!r}")
    return value
