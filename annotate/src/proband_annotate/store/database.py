"""A database behind two calls: `read(work)` and `write(work)`, where `work` takes a connection.

Each is a transaction of its own; a write returns when it is on the disk. SQLite (WAL, synchronous=FULL) has one writer:
a thread that takes one piece of work after the other. If the database goes away, work is tried again until `PATIENCE`
is over; all work is written so that a second try after a commit of unknown fate changes nothing.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, IntegrityError, InterfaceError, OperationalError

from proband.core.errors import ProbandError
from proband_annotate.store.schema import metadata

T = TypeVar("T")
Work = Callable[[Connection], T]
PATIENCE = 20.0  # seconds to wait for a database that went away
THREADS = 8
WRITER = "writer"  # the name that SQLite's one writing thread begins with
EVERY = 60.0  # seconds between two lines of the log about the same trouble
LOG = logging.getLogger("proband_annotate")


class Database:
    """`Database("sqlite:///answers.db")` or `Database("postgresql+psycopg://...")`."""

    def __init__(self, url: str) -> None:
        self.engine = engine(url)
        self.sqlite = self.engine.dialect.name == "sqlite"
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
        self.trouble = Trouble()
        self.writers = ThreadPoolExecutor(1, thread_name_prefix=WRITER) if self.sqlite else self.pool

    def submit_read(self, work: Work[T]) -> Future[T]:
        return self.pool.submit(self._again, work)

    def submit_write(self, work: Work[T]) -> Future[T]:
        return self.writers.submit(self._written, work)

    def read(self, work: Work[T]) -> T:
        return self._again(work)

    def write(self, work: Work[T]) -> T:
        return self.submit_write(work).result()

    def forget(self) -> None:
        """What was deleted is gone from the disk: SQLite overwrites it (secure_delete), and its log is emptied here;
        PostgreSQL writes its tables anew (dead rows would stay in them). Its own log and backups keep it for a time."""
        if self.sqlite:
            connection = self.engine.raw_connection()
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            return
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as vacuum:
            vacuum.exec_driver_sql(f"VACUUM (FULL) {', '.join(metadata.tables)}")

    def close(self) -> None:
        self.writers.shutdown()
        self.pool.shutdown()
        self.engine.dispose()

    def _written(self, work: Work[T]) -> T:
        made = self._again(work)
        self.trouble.ends()
        return made

    def _again(self, work: Work[T]) -> T:
        """One transaction, tried again while the database is away or asks for it (deadlock, serialisation)."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with self.engine.begin() as connection:
                    return work(connection)
            except (OperationalError, InterfaceError) as error:
                if not passing(error) or time.monotonic() > deadline:
                    self.trouble.begins(error)
                    raise
                time.sleep(0.2)
            except (DatabaseError, sqlite3.Error) as error:
                if not isinstance(error, IntegrityError):
                    self.trouble.begins(error)
                raise


class Trouble:
    """What is wrong with a database, if something is: `reason` for /health, one line a minute for the log."""

    def __init__(self) -> None:
        self.reason, self._times, self._said = "", 0, -math.inf

    def begins(self, error: BaseException) -> None:
        self.reason, self._times = reason_of(error), self._times + 1
        if time.monotonic() - self._said >= EVERY:
            LOG.error("%s  the database fails: %s (%d times)", time.strftime("%F %T"), self.reason, self._times)
            self._said, self._times = time.monotonic(), 0

    def ends(self) -> None:
        if self.reason:
            self.reason = ""
            LOG.error("%s  the database works again", time.strftime("%F %T"))


def reason_of(error: BaseException) -> str:
    """The database's own words, in one line."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def passing(error: DBAPIError) -> bool:
    """Whether a second try may succeed."""
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(error.orig, sqlite3.OperationalError):
        return "locked" in str(error.orig) or "busy" in str(error.orig)
    return state is None or state[:2] in ("08", "40", "57", "55")  # connection, rollback, shutdown, lock


def engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() == "sqlite":
            made = create_engine(parsed, connect_args={"timeout": 30, "check_same_thread": False})
            _prepare_sqlite(made)
            return made
        if parsed.get_backend_name() == "postgresql":
            return create_engine(parsed, pool_size=THREADS + 2, max_overflow=0, pool_pre_ping=True)
    except ArgumentError:
        parsed = None
    shown = parsed.render_as_string(hide_password=True) if parsed is not None else url
    raise ProbandError(f"{shown!r} is not a database URL: write sqlite:///FILE or postgresql://USER@HOST/NAME")


def _prepare_sqlite(made: Engine) -> None:
    """Transactions begin when they begin, not at the first change; every commit is on the disk; the file, and with it
    its log, can be read by its owner only."""
    file = made.url.database

    @event.listens_for(made, "do_connect")
    def connecting(*_: Any) -> None:
        if file and file != ":memory:":
            with contextlib.suppress(OSError):  # which SQLite tells in its own words
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
                os.chmod(file, 0o600)

    @event.listens_for(made, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for line in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
            "busy_timeout=30000",
        ):
            connection.execute(f"PRAGMA {line}")

    @event.listens_for(made, "begin")
    def begun(connection: Connection) -> None:
        writing = threading.current_thread().name.startswith(WRITER)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
