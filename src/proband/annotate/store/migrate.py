"""Brings a database to the newest schema; done when a project is made or opened."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from proband.annotate.store.database import Database

LOCK = 7043114  # PostgreSQL's advisory lock: two servers that start at once do not both migrate


def migrate(database: Database, to: str = "head") -> None:
    database.write(lambda connection: _migrate(connection, to))


def _migrate(connection: Connection, to: str) -> None:
    from alembic import command

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    quiet = logging.getLogger("alembic")
    quiet.setLevel(logging.WARNING)
    settings = configuration(connection)
    if to == "head" and current(connection) == head():
        return
    command.upgrade(settings, to)


def configuration(connection: Connection | None = None) -> Any:
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    return settings


def head() -> str | None:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(configuration()).get_current_head()


def current(connection: Connection) -> str | None:
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()
