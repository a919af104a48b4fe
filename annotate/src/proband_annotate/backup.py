"""Backup and restore: one archive with a whole project, made while its server runs.

The database in it is an SQLite file with every table as it was at one moment, whichever database the project has:
SQLite is copied page by page with what is in its log (a copy of `answers.db` alone would lack that), PostgreSQL is read
in one snapshot. So a backup is restored into either, and moves a study from one to the other.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from sqlalchemy import Connection, Integer, MetaData, Table, func, select, text

from proband import __version__
from proband.core.errors import ProbandError
from proband.core.files import encode, file_errors, sha256_file
from proband_annotate.create import whole_or_nothing
from proband_annotate.project import database_url, read_project
from proband_annotate.store.database import Database, create
from proband_annotate.store.migrate import NEWEST, current, migrate
from proband_annotate.store.schema import transfers

DATABASE, CONTENTS = "answers.db", "backup.json"
NAME = re.compile(r"-\d{8}T\d{6}Z\.tar\.gz$")
ROWS = 1000  # rows copied at a time


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """backup.json: what the archive must contain."""

    made: str
    proband: str
    schema: str
    rows: dict[str, int]  # table -> rows
    sha256: dict[str, str]  # file -> hash


def backup(folder: Path, out: Path, *, keep: int = 0) -> dict[str, Any]:
    """Write the archive to a file, or into a folder under a name with the time. There, all but the newest `keep`
    archives of this project are deleted (0: none)."""
    project = read_project(folder)
    into = out if out.is_dir() else out.parent
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    target = out / f"{folder.resolve().name}-{stamp}.tar.gz" if out.is_dir() else out
    if target.exists():
        raise ProbandError("exists already", file=target)
    if not into.is_dir():
        raise ProbandError("no such folder", file=into)
    if into.resolve().is_relative_to(folder.resolve()):
        raise ProbandError("is inside the project: each archive would contain the earlier ones", file=out)
    with (
        closing(Database(database_url(folder, project))) as database,
        tempfile.TemporaryDirectory(dir=into, prefix=".backup-") as name,
    ):
        copy, archive = Path(name) / DATABASE, Path(name) / "archive"
        schema = _snapshot(database, copy)
        own = database.engine.url.database if database.sqlite else None
        files = {DATABASE: copy, **{str(path.relative_to(folder)): path for path in _files(folder, own)}}
        contents = Contents(made=stamp, proband=__version__, schema=schema, rows=_counts(copy), sha256={})
        _pack(archive, files, contents)
        os.replace(archive, target)
    deleted = _delete_old(folder, out, keep) if keep > 0 and out.is_dir() else 0
    counts = {name: contents.rows.get(name, 0) for name in ("units", "people", "answers")}
    return {"file": str(target), "bytes": target.stat().st_size, "schema": schema, **counts, "deleted": deleted}


def _snapshot(database: Database, copy: Path) -> str:
    """A copy of every table as an SQLite file; returns the schema's revision."""
    if database.sqlite:
        source = Path(database.engine.url.database or "")
        if not source.is_file():
            raise ProbandError("no such database", file=source)
        with closing(database.engine.raw_connection()) as live, closing(sqlite3.connect(copy)) as made:
            assert live.driver_connection is not None
            live.driver_connection.backup(made)
            made.execute("PRAGMA journal_mode=DELETE")  # one file
            schema = made.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        return str(schema)
    at_one_moment = database.engine.connect().execution_options(isolation_level="REPEATABLE READ")
    with at_one_moment as source_connection, source_connection.begin():
        schema = current(source_connection)
        if schema is None:
            raise ProbandError("the database contains no study")
        with closing(create(f"sqlite:///{copy}")) as target:
            migrate(target, to=schema)
            target.write(lambda connection: _copy(source_connection, connection))
    with closing(sqlite3.connect(copy)) as made:
        made.execute("PRAGMA journal_mode=DELETE")
    return schema


def _copy(source: Connection, target: Connection) -> None:
    """Copy all rows of all tables of a study, in an order that foreign keys allow."""
    tables = MetaData()
    tables.reflect(bind=target)
    for table in tables.sorted_tables:
        if table.name == "alembic_version":
            continue
        rows = source.execution_options(yield_per=ROWS).execute(select(table))
        for some in rows.partitions():
            target.execute(table.insert(), [dict(row._mapping) for row in some])
        if "id" in table.c and isinstance(table.c.id.type, Integer) and table.name != "units":
            _count_on(source, target, table)


def _count_on(source: Connection, target: Connection, table: Table) -> None:
    """The next row gets a number that no earlier row had, also none of an erased person, whose transfers stay."""
    about: dict[str, Any] = {"table": table.name}
    if source.dialect.name == "postgresql":
        name = source.scalar(text("SELECT pg_get_serial_sequence(:table, 'id')"), about)
        before = source.scalar(text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {name}"))
    else:
        before = source.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), about)
    paid = source.scalar(select(func.max(transfers.c.person_id))) if table.name == "people" else 0
    about["last"] = max(before or 0, target.scalar(select(func.max(table.c.id))) or 0, paid or 0)
    if target.dialect.name == "postgresql":
        sequence = text("SELECT setval(pg_get_serial_sequence(:table, 'id'), greatest(1, :last), :last > 0)")
        target.execute(sequence, about)
    elif table.name == "people":  # other numbers of SQLite may be used again
        target.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), about)
        target.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"), about)


def _files(folder: Path, database: str | None) -> Iterator[Path]:
    """The files of a project's folder (settings, secret, units, media, items, keys), without its database."""
    left_out = {folder.resolve() / DATABASE, *([Path(database)] if database else [])}
    names = {f"{path.resolve()}{end}" for path in left_out for end in ("", "-wal", "-shm", "-journal")}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and str(path.resolve()) not in names:
            yield path


def _counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as opened:
        names = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {n: opened.execute(f'SELECT count(*) FROM "{n}"').fetchone()[0] for n in names if n != "alembic_version"}


class HashedFile:
    """A file with the hash of what was read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.sha256 = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        raw = self.file.read(size)
        self.sha256.update(raw)
        return raw


def _pack(archive: Path, files: dict[str, Path], contents: Contents) -> None:
    """Write an archive that only its owner can read, because it has the project's secret. The hashes are those of the
    bytes in it, also of a file that changes meanwhile."""
    handle = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as raw:
        with tarfile.open(fileobj=raw, mode="w:gz") as tar:
            for name, path in files.items():
                with file_errors(path), open(path, "rb") as file:
                    hashed = HashedFile(file)
                    tar.addfile(tar.gettarinfo(fileobj=file, arcname=name), hashed)
                contents.sha256[name] = hashed.sha256.hexdigest()
            made = encode(contents)
            entry = tarfile.TarInfo(CONTENTS)
            entry.size, entry.mode, entry.mtime = len(made), 0o600, int(time.time())
            tar.addfile(entry, io.BytesIO(made))
        raw.flush()
        os.fsync(raw.fileno())


def _delete_old(folder: Path, out: Path, keep: int) -> int:
    name = folder.resolve().name
    mine = sorted(path for path in out.glob(f"{name}-*.tar.gz") if NAME.fullmatch(path.name.removeprefix(name)))
    for old in mine[:-keep]:
        old.unlink()
    return len(mine[:-keep])


# ---- restore --------------------------------------------------------------------------------------------------------


def restore(archive: Path, folder: Path, *, database: str = "") -> dict[str, Any]:
    """Restore a project into an empty folder; `database` is another, empty database."""
    if folder.exists() and any(folder.iterdir()):
        raise ProbandError("is not empty; restore a backup into an empty folder", file=folder)
    with whole_or_nothing(folder):
        contents = _unpack(archive, folder)
        schema = contents.schema
        if schema > NEWEST:
            raise ProbandError(f"was made by a newer Proband ({contents.proband}, schema {schema})", file=archive)
        if database:
            _name_database(folder / "project.toml", database)
        _fill(folder / DATABASE, database_url(folder, read_project(folder)), schema)
    counts = {name: contents.rows.get(name, 0) for name in ("units", "people", "answers")}
    return {"project": str(folder), "made": contents.made, "schema": f"{schema} to {NEWEST}", **counts}


def _unpack(archive: Path, folder: Path) -> Contents:
    """Extract the files and check them against backup.json."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            tar.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError, OSError) as error:
        raise ProbandError(f"cannot be read as a backup: {error}", file=archive) from None
    path = folder / CONTENTS
    if not path.is_file():
        raise ProbandError("is not a backup of a study", file=archive)
    try:
        contents = msgspec.json.decode(path.read_bytes(), type=Contents)
    except msgspec.DecodeError as error:
        raise ProbandError(f"{CONTENTS} cannot be read: {error}", file=archive) from None
    path.unlink()
    there = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}
    for name, right in contents.sha256.items():
        if name not in there or sha256_file(folder / name) != right:
            raise ProbandError(f"{name!r} is missing or damaged", file=archive)
    if extra := sorted(there - contents.sha256.keys()):
        raise ProbandError(f"{extra[0]!r} is not a part of the backup", file=archive)
    return contents


def _name_database(path: Path, url: str) -> None:
    """Set another database in project.toml and leave the rest unchanged."""
    line = f"database = {encode(url).decode()}"
    changed, count = re.subn(r"(?m)^database\s*=.*$", lambda _: line, path.read_text("utf-8"), count=1)
    path.write_text(changed if count else f"{line}\n{changed}", "utf-8")


def _fill(copy: Path, url: str, schema: str) -> None:
    """Insert the rows at the schema they had, then migrate to the newest."""
    copy.chmod(0o600)
    with closing(Database(url)) as database:
        if database.sqlite:
            target = Path(database.engine.url.database or "")
            if target.resolve() != copy.resolve():
                if target.exists():
                    raise ProbandError("exists; a backup never replaces a database", file=target)
                os.replace(copy, target)
        else:
            if database.read(current) is not None:
                raise ProbandError("the database is not empty; a backup never replaces a study")
            migrate(database, to=schema)
            with closing(Database(f"sqlite:///{copy}")) as source:
                source.read(lambda old: database.write(lambda new: _copy(old, new)))
            for path in (copy, *copy.parent.glob(f"{copy.name}-*")):
                path.unlink()
        migrate(database)
