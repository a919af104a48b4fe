"""Migrates a database to the newest schema when a project is made or opened."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from proband.core.errors import ProbandError
from proband_annotate.project import database_url, read_project
from proband_annotate.store.database import Database, reason_of

NEWEST = "0001"  # the head of migrations/versions; a test compares
LOCK = 7043114  # PostgreSQL's advisory lock, so that two starting servers do not both migrate


def open_study(folder: Path) -> Database:
    """The database that project.toml of a folder names, as `open_existing` gives it."""
    return open_existing(database_url(folder, read_project(folder)))


def open_existing(url: str) -> Database:
    """The database of an existing study, at the newest schema. A missing, empty, damaged or newer one is an error: an
    empty study must never take its place."""
    database = Database(url)
    file = database.engine.url.database if database.sqlite else None
    try:
        if file is not None and not Path(file).is_file():
            raise ProbandError("no such database; is this the whole project? Restore it from a backup", file=Path(file))
        with usable(database):
            database.read(_check)
        migrate(database)
    except ProbandError:
        database.close()
        raise
    return database


def _check(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        damage = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if damage != "ok":
            raise ProbandError(f"the database {connection.engine.url.database} is damaged: {damage}; restore a backup")
    if current(connection) is None or not connection.scalar(text("SELECT count(*) FROM settings WHERE name = 'owner'")):
        shown = connection.engine.url.render_as_string(hide_password=True)
        raise ProbandError(f"the database {shown} contains no study; `proband annotate init` makes one")


def migrate(database: Database, to: str = "head") -> None:
    with usable(database):
        database.write(lambda connection: _migrate(connection, to))


@contextmanager
def usable(database: Database) -> Iterator[None]:
    """Turn errors of an unusable database into one line."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        shown = database.engine.url.render_as_string(hide_password=True)
        raise ProbandError(f"the database {shown} cannot be used: {reason_of(error)}") from None


def _migrate(connection: Connection, to: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    before = current(connection)
    if to == "head" and before == NEWEST:
        return
    if before is not None and before > NEWEST:
        raise ProbandError(f"the database was made by a newer Proband (schema {before}; this one knows {NEWEST})")
    from alembic import command

    logging.getLogger("alembic").setLevel(logging.WARNING)
    command.upgrade(configuration(connection), to)


def configuration(connection: Connection) -> Any:
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    return settings


def current(connection: Connection) -> str | None:
    """The revision of a database; None if it has no tables. Works without Alembic, whose import takes 0.2 s."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision
