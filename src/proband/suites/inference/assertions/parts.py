"""Filling a store: each unit of work becomes Parquet files, here or on any machine that can write to the folder.

    STORE/parts/UNIT.NNN.parquet   subject, relation, object, count; the key and the bucket of both arguments
    STORE/parts/UNIT.done          written last: the contents of the unit's parts, with their checksums

So an interrupted unit starts again from its beginning, and a finished unit is never repeated. The bucket of a key is
the same on every machine. The rows of a part are sorted by their subject's bucket, so the index reads only the rows
that it needs.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, read_json, sha256_files, write_json
from proband.english.extraction import rules
from proband.english.extraction.plain_text import parser_version
from proband.english.extraction.tally import AssertionTally, Columns
from proband.lexicon.inflection import key
from proband.suites.inference.assertions.sources import ExtractionOptions, SourceUnit, reader

SENTENCES = frozenset(("text", "conllu", "ngrams"))  # formats that the rules of extraction read
BUCKETS = 256
ROW_GROUP = 20_000  # rows that a look-up decodes


class FileRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The size and checksum of a file, compared before it is read."""

    name: str
    rows: int
    crc32: int


class Done(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """UNIT.done."""

    unit: str
    file: str
    total: int  # assertions with their repetitions, before counts are added up
    parts: list[FileRecord]


def bucket(key: str) -> int:
    """
    >>> bucket("headache"), bucket("")
    (48, 0)
    """
    return zlib.crc32(key.encode()) % BUCKETS


def extractor(options: ExtractionOptions) -> Callable[[SourceUnit], Iterator[tuple[Columns, int]]]:
    """Called once in every process. Returns the function that reads a unit in batches: columns of assertions and the
    number found. It avoids polars, which does not survive the fork that starts worker processes."""
    read = reader(options)

    def work(unit: SourceUnit) -> Iterator[tuple[Columns, int]]:
        tally, read_so_far = AssertionTally(), 0
        for assertion, count in read(unit):
            tally.add(assertion, count)
            read_so_far += 1
            if tally.full:
                yield tally.empty(), read_so_far
                read_so_far = 0
        if tally.counts:
            yield tally.empty(), read_so_far

    return work


def write_unit(folder: Path, unit: SourceUnit, pieces: Iterable[tuple[Columns, int]]) -> Done:
    """Write the parts of a unit, then the file that marks it as finished."""
    parts = folder / "parts"
    for old in parts.glob(f"{unit.name}.*.parquet"):
        old.unlink()
    written, total = [], 0
    for number, (columns, size) in enumerate(pieces, start=1):
        written.append(write_rows(parts / f"{unit.name}.{number:03}.parquet", with_keys(frame(*columns))))
        total += size
    done = Done(unit=unit.name, file=unit.path.name, total=total, parts=written)
    write_json(parts / f"{unit.name}.done", done)
    return done


def frame(subjects: Sequence[str], relations: Sequence[str], objects: Sequence[str], counts: Sequence[int]) -> Any:
    import polars as pl

    texts = {"subject": subjects, "relation": relations, "object": objects}
    schema = {**dict.fromkeys(texts, pl.String), "count": pl.UInt64}
    return pl.DataFrame({**texts, "count": counts}, schema=schema)


def with_keys(rows: Any) -> Any:
    """Add the key and the bucket of each argument; every distinct argument is normalised once."""
    import polars as pl

    arguments = pl.concat([rows["subject"], rows["object"]]).unique()
    keys = [key(text) for text in arguments.to_list()]
    buckets = pl.Series(list(map(bucket, keys)), dtype=pl.UInt8)
    known = pl.DataFrame({"argument": arguments, "key": pl.Series(keys, dtype=pl.String), "bucket": buckets})
    for side in ("subject", "object"):
        named = known.rename({"argument": side, "key": f"{side}_key", "bucket": f"{side}_bucket"})
        rows = rows.join(named, on=side, how="left", maintain_order="left")
    return rows.sort("subject_bucket", maintain_order=True)


def write_rows(path: Path, rows: Any) -> FileRecord:
    """Write a Parquet file under a temporary name, then rename it."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    rows.write_parquet(scratch, compression="zstd", compression_level=1, row_group_size=ROW_GROUP, statistics=True)
    record = FileRecord(name=path.name, rows=len(rows), crc32=checksum(scratch))
    os.replace(scratch, path)
    return record


def checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            value = zlib.crc32(piece, value)
    return value


def check(folder: Path, record: FileRecord, *, mend: str) -> Path:
    """The path of a file; an error if it is missing or its checksum differs."""
    path = folder / record.name
    if not path.is_file():
        raise ProbandError(f"is missing; {mend}", file=path)
    if checksum(path) != record.crc32:
        raise ProbandError(f"is damaged (its checksum differs); {mend}", file=path)
    return path


def prepare(folder: Path, options: ExtractionOptions, formats: Collection[str]) -> None:
    """Prepare the folder of a new store, or of one with the same options, the same parser version (for plain text) and
    the same extraction rules (for sentences). A store never mixes parts of two parsers."""
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    path, settings = folder / "settings.json", msgspec.to_builtins(options)
    versions = {"parser": parser_version(options.pipeline)} if "text" in formats else {}
    if not SENTENCES.isdisjoint(formats):
        folder_of_rules = Path(rules.__file__).parent
        versions["rules"] = sha256_files(folder_of_rules, folder_of_rules.glob("*.py"))[:12]
    known = read_json(path) if path.is_file() else {"parser": None, "rules": None}
    changed = [name for name in settings if settings[name] != known.get(name, settings[name])]
    changed += [name for name, version in versions.items() if known.get(name, "unknown") not in (None, version)]
    if changed:
        raise ProbandError(f"was begun with another {', '.join(changed)}; choose another folder", file=folder)
    write_json(path, {**known, **settings, **versions})


def finished(folder: Path) -> dict[str, Done]:
    """The units that are done, by name."""
    by_unit: dict[str, Done] = {}
    for path in sorted((folder / "parts").glob("*.done")):
        done: Done = decode(Done, path.read_bytes(), file=path)
        by_unit[done.unit] = done
    return by_unit


def checked_parts(folder: Path) -> tuple[list[Path], int]:
    """The parts of finished units, sorted by name and verified by checksum, and their total number of rows."""
    units, parts = finished(folder), folder / "parts"
    records = [(name, record) for name, done in units.items() for record in done.parts]
    if not records:
        reason = "no assertion was found in the sources" if units else "contains no finished part"
        raise ProbandError(reason, file=folder)
    paths = [
        check(parts, record, mend=f"delete {name}.done and rerun the command: the unit is then extracted again")
        for name, record in records
    ]
    return paths, sum(record.rows for _, record in records)
