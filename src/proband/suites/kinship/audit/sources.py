"""Which files an audit reads, and their rows as they stand there.

A release is the folder a file stands in; train and test rows of one release are compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from proband.core.errors import ProbandError
from proband.core.files import parse, raw_lines
from proband.core.types import Item
from proband.suites.kinship.clutrr.csv_files import scan_cells
from proband.suites.kinship.clutrr.items import to_cells
from proband.suites.kinship.clutrr.rows import Row, Unreadable, row_of
from proband.suites.kinship.world.rules import of_item

CHUNK: Final = 400
Cells = dict[str, str]
Raw = tuple[int, bytes | Cells] | Unreadable  # a line of items.jsonl, or the cells of a CSV row


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file to audit: where it is, what to call it, and the release it belongs to."""

    path: Path
    name: str
    release: str


def sources(path: Path) -> list[Source]:
    """The CLUTRR files (or our items) at `path`: a file, a folder, or a folder of releases."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        return [Source(path=path, name=path.name, release=path.resolve().parent.name)]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith((".csv", ".csv.gz", "items.jsonl")))
    kept = [p for p in files if p.name.endswith("items.jsonl") or _is_clutrr(p)]
    if not kept:
        raise ProbandError("contains neither CLUTRR's CSV files nor an items.jsonl", file=path)
    return [
        Source(
            path=p, name=p.relative_to(path).as_posix(), release=(path.resolve() if p.parent == path else p.parent).name
        )
        for p in kept
    ]


def is_source(path: Path) -> bool:
    """Whether a file has CLUTRR's columns, or a folder such files or items below it."""
    files = path.rglob("*") if path.is_dir() else [path]
    tables = (each for each in files if each.is_file() and each.name.endswith((".csv", ".csv.gz", "items.jsonl")))
    return any(_are_families(each) if each.name.endswith("items.jsonl") else _is_clutrr(each) for each in tables)


def _are_families(path: Path) -> bool:
    """Items about families; those of another rule base (places on a grid) are for `proband.auditing`."""
    for line, raw in raw_lines(path):
        item = parse(Item, raw, file=path, line=line)
        return item.suite == "kinship" and of_item(item).world == "family"
    return False


def _is_clutrr(path: Path) -> bool:
    """Other CSV files may stand beside the data (templates, names): their headers tell."""
    try:
        next(scan_cells(path), None)
    except ProbandError as error:
        if "not a CLUTRR file" in str(error) or "is empty" in str(error):
            return False
        raise
    return True


def chunks(files: Iterable[Source]) -> Iterator[tuple[Source, list[Raw]]]:
    """The rows of all sources, a few hundred at a time."""
    for source in files:
        ours = source.path.name.endswith(".jsonl")
        rows: Iterator[Raw] = raw_lines(source.path) if ours else scan_cells(source.path)
        while part := list(islice(rows, CHUNK)):
            yield source, part


def checked_row(source: Source, raw: Raw) -> Row | Unreadable:
    """A checked row of the cells of CLUTRR's columns; our items are put into them first."""
    if isinstance(raw, Unreadable):
        return raw
    line, content = raw
    if isinstance(content, bytes):
        item = parse(Item, content, file=source.path, line=line)
        if item.suite != "kinship":
            raise ProbandError(f"'suite' is {item.suite!r}, not 'kinship'", file=source.path, line=line)
        try:
            content = to_cells(item, index=line - 1)
        except ProbandError as error:
            return Unreadable(file=source.name, line=line, column="facts", reason=str(error))
    return row_of(content, file=source.name, line=line)
