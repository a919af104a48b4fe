"""Owners: who may sign in to the dashboard, and what they may do.

A viewer reads every page and export; an assistant also decides on people, disputes and remarks; an owner does all.
The first owner is called `owner`; the password of that name is among the settings.
"""

from __future__ import annotations

import re
import secrets
import time
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, select, update

from proband.core.errors import ProbandError
from proband_annotate.store.database import Work
from proband_annotate.store.migrate import open_study
from proband_annotate.store.schema import owners, sessions, settings

T = TypeVar("T")
NAME = re.compile(r"[\w.@+-]{1,100}")
FIRST = "owner"
ROLES = ("viewer", "assistant", "owner")  # each includes the rights of those before it


def hash_of(password: str) -> str:
    """Argon2id with 19 MiB, two passes, one lane (OWASP's setting); the default of 64 MiB would be half of the server's
    memory per login. Passwords are random, with 96 bits."""
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1).hash(password)


@cache
def nobodys_hash() -> str:
    """The hash of an unknown random password."""
    return hash_of(secrets.token_urlsafe(12))


def password_of(connection: Connection, name: str) -> str:
    """The hash of an owner's password; empty if there is no such owner."""
    if name == FIRST:
        return connection.scalar(select(settings.c.value).where(settings.c.name == "owner")) or ""
    return connection.scalar(select(owners.c.password).where(owners.c.name == name)) or ""


def role_of(connection: Connection, name: str) -> str:
    if name == FIRST:
        return "owner"
    return connection.scalar(select(owners.c.role).where(owners.c.name == name)) or ""


def add(connection: Connection, name: str, password: str, role: str) -> None:
    """Add an owner, or change their password and role; their sessions end."""
    remove(connection, name)
    connection.execute(owners.insert().values(name=name, password=password, role=role, created=time.time()))


def remove(connection: Connection, name: str) -> bool:
    connection.execute(delete(sessions).where(sessions.c.owner == name))
    return bool(connection.execute(delete(owners).where(owners.c.name == name)).rowcount)


def listed(connection: Connection) -> list[dict[str, str]]:
    rows = connection.execute(select(owners.c.name, owners.c.role).order_by(owners.c.name))
    return [{"name": FIRST, "role": "owner"}, *({"name": row.name, "role": row.role} for row in rows)]


# ---- sessions: each is known by a random id in its signed cookie ---------------------------------------------------


def begin_session(connection: Connection, session_id: str, *, owner: str, until: float, now: float) -> None:
    """Store a session, and delete expired ones."""
    connection.execute(delete(sessions).where(sessions.c.until < now))
    connection.execute(sessions.insert().values(id=session_id, owner=owner, until=until))


def session_owner(connection: Connection, session_id: str, now: float) -> str:
    """The owner of a session; empty if it has expired."""
    there = (sessions.c.id == session_id) & (sessions.c.until > now)
    return connection.scalar(select(sessions.c.owner).where(there)) or ""


def end_session(connection: Connection, session_id: str | None = None) -> None:
    """End one session, or all of them."""
    gone = delete(sessions)
    connection.execute(gone if session_id is None else gone.where(sessions.c.id == session_id))


# ---- by command: passwords and further owners ----------------------------------------------------------------------


def new_password(folder: Path) -> str:
    """A new password for the owner; everybody must sign in again."""
    password = secrets.token_urlsafe(12)
    owner = update(settings).where(settings.c.name == "owner").values(value=hash_of(password))

    def work(connection: Connection) -> None:
        connection.execute(owner)
        end_session(connection)

    _in_database(folder, work)
    return password


def add_owner(folder: Path, name: str, role: str) -> dict[str, Any]:
    """Add a person who may sign in; the password is shown once. Repeating this makes a new password."""
    if not NAME.fullmatch(name) or name == FIRST:
        raise ProbandError(f"{name!r} cannot be added: a name has letters, digits and . @ + - _, and is not 'owner'")
    password = secrets.token_urlsafe(12)
    hashed = hash_of(password)
    _in_database(folder, lambda connection: add(connection, name, hashed, role))
    return {"name": name, "role": role, "password": password}


def remove_owner(folder: Path, name: str) -> dict[str, Any]:
    if not _in_database(folder, lambda connection: remove(connection, name)):
        raise ProbandError(f"there is no further owner {name!r}", file=folder)
    return {"removed": name}


def list_owners(folder: Path) -> list[dict[str, str]]:
    return _in_database(folder, listed)


def _in_database(folder: Path, work: Work[T]) -> T:
    with closing(open_study(folder)) as database:
        return database.write(work)
