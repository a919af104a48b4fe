"""Who may sign in on the owner's dashboard: passwords and further owners, by command."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, update

from proband.annotate.project import database_url, read_project
from proband.annotate.store import owners
from proband.annotate.store.database import Work
from proband.annotate.store.migrate import open_existing
from proband.annotate.store.schema import settings
from proband.core.errors import ProbandError

T = TypeVar("T")
NAME = re.compile(r"[\w.@+-]{1,100}")


def new_password(folder: Path) -> str:
    """A new password of the owner, in place of the one that was lost; whoever is signed in must sign in again."""
    password = secrets.token_urlsafe(12)
    owner = update(settings).where(settings.c.name == "owner").values(value=owners.hash_of(password))

    def work(connection: Connection) -> None:
        connection.execute(owner)
        owners.end_session(connection)

    _in_database(folder, work)
    return password


def add_owner(folder: Path, name: str, role: str) -> dict[str, Any]:
    """Somebody else who may sign in; the password is shown once. Doing it again makes a new password."""
    if not NAME.fullmatch(name) or name == owners.FIRST:
        raise ProbandError(f"{name!r} cannot be added: a name has letters, digits and . @ + - _, and is not 'owner'")
    password = secrets.token_urlsafe(12)
    hashed = owners.hash_of(password)
    _in_database(folder, lambda connection: owners.add(connection, name, hashed, role))
    return {"name": name, "role": role, "password": password}


def remove_owner(folder: Path, name: str) -> dict[str, Any]:
    if not _in_database(folder, lambda connection: owners.remove(connection, name)):
        raise ProbandError(f"there is no further owner {name!r}", file=folder)
    return {"removed": name}


def list_owners(folder: Path) -> list[dict[str, str]]:
    return _in_database(folder, owners.listed)


def _in_database(folder: Path, work: Work[T]) -> T:
    database = open_existing(database_url(folder, read_project(folder)))
    try:
        return database.write(work)
    finally:
        database.close()
