"""Brings a database to the newest schema; done when a project is made or opened."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import OperationalError

from proband.annotate.store.database import Database
from proband.core.errors import ProbandError

NEWEST = "0003"  # the head of migrations/versions; a test compares
LOCK = 7043114  # PostgreSQL's advisory lock: two servers that start at once do not both migrate


def migrate(database: Database, to: str = "head") -> None:
    try:
        database.write(lambda connection: _migrate(connection, to))
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        shown = database.engine.url.render_as_string(hide_password=True)
        raise ProbandError(f"the database {shown} cannot be used: {reason}") from None


def _migrate(connection: Connection, to: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    if to == "head" and current(connection) == NEWEST:
        return
    from alembic import command

    logging.getLogger("alembic").setLevel(logging.WARNING)
    command.upgrade(configuration(connection), to)


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
    """The revision of a database; None if it has no tables. Asked without Alembic, whose import costs a start 0.2 s."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
