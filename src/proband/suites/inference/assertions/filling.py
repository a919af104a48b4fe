"""Filling a store: units of work become parts, in this process or in any other that can write to the folder.

A unit's parts come first and its `UNIT.done` last, so that a unit that was interrupted is done again from its
beginning and a finished one never. `store.json` appears when the index is made.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, read_json, write_json
from proband.suites.inference.assertions.encoded import Encoded, encode, encode_columns
from proband.suites.inference.assertions.extraction.tally import Tally
from proband.suites.inference.assertions.sources import How, Unit, reader, table


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """UNIT.done."""

    unit: str
    file: str
    found: int  # assertions with their repetitions, before counts are added up
    parts: int


def worker(how: How, folder: Path) -> Callable[[Unit], Iterator[Done]]:
    """Called once in every process; works on units."""
    read = reader(how)

    def work(unit: Unit) -> Iterator[Done]:
        parts = folder / "parts"
        for old in parts.glob(f"{unit.name}.part*"):
            shutil.rmtree(old)
        found = number = 0
        for number, (piece, size) in enumerate(pieces(unit, read), start=1):
            piece.save(parts / f"{unit.name}.part{number:03}")
            found += size
        done = Done(unit=unit.name, file=unit.path.name, found=found, parts=number)
        write_json(parts / f"{unit.name}.done", done)
        yield done

    return work


def pieces(unit: Unit, read: Any) -> Iterator[tuple[Encoded, int]]:
    """The assertions of a unit with their number, as parts of limited size."""
    columns = table(unit) if unit.format == "tsv" else None
    if columns and (piece := encode_columns(*columns)):
        yield piece, len(columns[0])
        return  # else the reader of lines says which does not fit
    tally, found = Tally(), 0
    for assertion, count in read(unit):
        tally.add(assertion, count)
        found += 1
        if tally.full:
            yield encode(*tally.empty()), found
            found = 0
    if tally.counts:
        yield encode(*tally.empty()), found


def prepare(folder: Path, how: How) -> None:
    """The folder of a new store, or of one that was begun in the same way."""
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    path, settings = folder / "settings.json", msgspec.to_builtins(how)
    if path.is_file():
        known = read_json(path)
        if known != settings:
            changed = ", ".join(name for name in settings if settings[name] != known.get(name))
            raise ProbandError(f"was begun with another {changed}; take another folder", file=folder)
    else:
        write_json(path, settings)


def finished(folder: Path) -> dict[str, Done]:
    """The units that are done, by name."""
    found = {}
    for path in sorted((folder / "parts").glob("*.done")):
        done: Done = decode(Done, path.read_bytes(), file=path)
        found[done.unit] = done
    return found
