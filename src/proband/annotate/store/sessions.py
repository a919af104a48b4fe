"""Who is signed in on the dashboard. A session is known by a random id that its signed cookie holds."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from proband.annotate.store.schema import sessions


def begin(connection: Connection, session_id: str, *, owner: str, until: float, now: float) -> None:
    """Remember a session; those whose time is over are forgotten."""
    connection.execute(delete(sessions).where(sessions.c.until < now))
    connection.execute(sessions.insert().values(id=session_id, owner=owner, until=until))


def owner_of(connection: Connection, session_id: str, now: float) -> str:
    """Whose session it is; empty if it is over."""
    there = (sessions.c.id == session_id) & (sessions.c.until > now)
    return connection.scalar(select(sessions.c.owner).where(there)) or ""


def end(connection: Connection, session_id: str | None = None) -> None:
    """One session, or all of them."""
    gone = delete(sessions)
    connection.execute(gone if session_id is None else gone.where(sessions.c.id == session_id))
