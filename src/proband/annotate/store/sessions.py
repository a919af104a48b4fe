"""Who is signed in at the desk. A session is known by a random id that its signed cookie holds."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from proband.annotate.store.schema import sessions


def begin(connection: Connection, session_id: str, *, until: float, now: float) -> None:
    """Remember a session; those whose time is over are forgotten."""
    connection.execute(delete(sessions).where(sessions.c.until < now))
    connection.execute(sessions.insert().values(id=session_id, until=until))


def lasts(connection: Connection, session_id: str, now: float) -> bool:
    there = (sessions.c.id == session_id) & (sessions.c.until > now)
    return connection.execute(select(sessions.c.id).where(there)).first() is not None


def end(connection: Connection, session_id: str | None = None) -> None:
    """One session, or all of them."""
    gone = delete(sessions)
    connection.execute(gone if session_id is None else gone.where(sessions.c.id == session_id))
