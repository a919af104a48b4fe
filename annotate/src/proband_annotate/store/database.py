"""A database behind two calls: `read(work)` and `write(work)`, where `work` takes a connection.

Each is its own transaction; a write returns when it is on the disk. SQLite (WAL, synchronous=FULL) has one writer:
a thread that takes one piece of work after the other. If the database goes away, work is tried again until `PATIENCE`
is over; all work is written so that a second try after a commit of unknown fate changes nothing.

Only SQLite opens SQLite's file. POSIX locks belong to a process, and closing any descriptor of a file drops all locks
of the process on it: another process then takes itself for the last user and deletes the write-ahead log, and this one
writes on to a deleted file (sqlite.org/howtocorrupt.html, 2.2). So `create` makes the file, with its rights, before
there is a connection; one connection is open as long as the database, so that the log keeps its inode; and the inode is
compared before and after every write, so that nothing is acknowledged that nobody else can read.
"""

from __future__ import annotations

import logging
import math
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, delete, event, insert, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.pool import NullPool

from proband.core.errors import ProbandError
from proband_annotate.store.schema import metadata, settings

T = TypeVar("T")
Work = Callable[[Connection], T]
PATIENCE = 20.0  # seconds to wait for a database that went away
BUSY = 30_000  # milliseconds that SQLite waits for a lock
THREADS = 8
WRITER = "writer"  # prefix of the name of SQLite's one writing thread
EVERY = 60.0  # seconds between two log lines about the same problem
PROBED = 5.0  # seconds for which a successful probe is valid
LARGE = 65_536  # characters of a large answer
PROBE = "probe"  # name of the row that a probe writes
LOG = logging.getLogger("proband_annotate")


class Unreadable(sqlite3.DatabaseError):
    """A write now would be lost."""


class Database:
    """`Database("sqlite:///answers.db")` or `Database("postgresql+psycopg://...")`. An SQLite file must exist."""

    def __init__(self, url: str) -> None:
        self.url, self.engine = url, engine(url)
        self.sqlite = self.engine.dialect.name == "sqlite"
        at_one_moment = self.engine.execution_options(isolation_level="REPEATABLE READ")
        self.reading = self.engine if self.sqlite else at_one_moment  # SQLite reads so anyway
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
        self.trouble = DatabaseProblem()
        self.writers = ThreadPoolExecutor(1, thread_name_prefix=WRITER) if self.sqlite else self.pool
        self._held: Connection | None = None  # SQLite: idle, but open to the end
        self._inodes: list[int] = []
        self._holding, self._probing, self._probed = threading.Lock(), threading.Lock(), -math.inf

    def submit_read(self, work: Work[T]) -> Future[T]:
        return self.pool.submit(self.read, work)

    def submit_write(self, work: Work[T]) -> Future[T]:
        return self.writers.submit(self._written, work)

    def read(self, work: Work[T]) -> T:
        return self._again(work, self.reading)

    def write(self, work: Work[T]) -> T:
        return self.submit_write(work).result()

    def purge_deleted(self) -> None:
        """Remove deleted data from the disk: SQLite overwrites it (secure_delete) and its log is emptied; PostgreSQL
        rewrites its tables, because dead rows would stay (its log and backups keep them for a time). Tried again while
        others are in the way."""
        deadline = time.monotonic() + PATIENCE
        for table in ("",) if self.sqlite else metadata.tables:
            while self._log_is_busy() if self.sqlite else self._table_is_busy(table):
                if time.monotonic() > deadline:
                    raise ProbandError("erased text may still be in the database's files: a long read; erase again")
                time.sleep(0.5)

    def _log_is_busy(self) -> bool:
        """Empty SQLite's log; whether that was impossible now. Nobody can write meanwhile, so it gives up soon."""
        with closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout=500")
            try:
                return bool(cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
            except sqlite3.OperationalError:  # locked
                return True
            finally:
                cursor.execute(f"PRAGMA busy_timeout={BUSY}")

    def _table_is_busy(self, table: str) -> bool:
        """The same for a table of PostgreSQL, which is rewritten: every query waits behind one for the whole table."""
        try:
            with engine(self.url, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect() as connection:
                connection.exec_driver_sql("SET lock_timeout = 500")
                connection.exec_driver_sql(f"VACUUM (FULL) {table}")
        except (OperationalError, InterfaceError) as error:
            if not passing(error):
                raise
            return True
        return False

    def close(self) -> None:
        self.writers.shutdown()
        self.pool.shutdown()
        if self._held is not None:
            self._held.close()
        self.engine.dispose()

    def probe(self) -> None:
        """Raise the problem of the database, for /health: a row is written (after a problem, as long as a large answer)
        and read by a new connection. If all is well, at most once in `PROBED` seconds, because anybody may call it."""
        with self._probing:
            if not self.trouble.reason and time.monotonic() < self._probed + PROBED:
                return
            value = secrets.token_hex(8).ljust(LARGE if self.trouble.reason else 0, "x")
            self.write(lambda connection: _write_probe(connection, value))
            other = engine(self.url, poolclass=NullPool)
            with other.connect() as connection:
                read = connection.scalar(select(settings.c.value).where(settings.c.name == PROBE))
            if read != value:
                raise Unreadable("another connection does not read what was written; restart the server")
            self._probed = time.monotonic()

    def _written(self, work: Work[T]) -> T:
        def guarded(connection: Connection) -> T:
            self._compare_inodes()
            return work(connection)

        made = self._again(guarded, self.engine)
        self._compare_inodes()
        self.trouble.ends()
        return made

    def _hold(self) -> None:
        """SQLite: the connection that keeps the log in place."""
        with self._holding:
            if self.sqlite and self._held is None:
                held = self.engine.connect()
                held.exec_driver_sql("SELECT count(*) FROM sqlite_master")  # opens the log
                held.rollback()
                self._held, self._inodes = held, inodes(self.engine)

    def _compare_inodes(self) -> None:
        if self.sqlite and self._inodes != inodes(self.engine):
            error = Unreadable("its file or its log was moved, replaced or deleted; nothing is stored until a restart")
            self.trouble.begins(error)
            raise error

    def _again(self, work: Work[T], using: Engine) -> T:
        """One transaction, retried while the database is unavailable or asks for it (deadlock, serialisation)."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._hold()
                with using.begin() as connection:
                    return work(connection)
            except (OperationalError, InterfaceError) as error:
                if not passing(error) or time.monotonic() > deadline:
                    self.trouble.begins(error)
                    raise
                time.sleep(0.2)
            except (DatabaseError, sqlite3.Error) as error:
                if not isinstance(error, (IntegrityError, Unreadable)):
                    self.trouble.begins(error)
                raise


class DatabaseProblem:
    """The problem of a database, if any: `reason` for /health, one line a minute for the log."""

    def __init__(self) -> None:
        self.reason, self._times, self._logged = "", 0, -math.inf

    def begins(self, error: BaseException) -> None:
        self.reason, self._times = reason_of(error), self._times + 1
        if time.monotonic() - self._logged >= EVERY:
            LOG.error("%s  the database fails: %s (%d times)", time.strftime("%F %T"), self.reason, self._times)
            self._logged, self._times = time.monotonic(), 0

    def ends(self) -> None:
        if self.reason:
            self.reason = ""
            LOG.error("%s  the database works again", time.strftime("%F %T"))


def reason_of(error: BaseException) -> str:
    """The database's own message, in one line."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def passing(error: DBAPIError) -> bool:
    """May a second try succeed?"""
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(error.orig, sqlite3.OperationalError):
        return "locked" in str(error.orig) or "busy" in str(error.orig)
    return state is None or state[:2] in ("08", "40", "57", "55")  # connection, rollback, shutdown, lock


def create(url: str) -> Database:
    """Create a database. Only its owner can read SQLite's file and log."""
    made = Database(url)
    if made.sqlite:
        try:
            os.close(os.open(made.engine.url.database or "", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            made.close()
            raise ProbandError(
                f"the database cannot be made: {error.strerror}", file=made.engine.url.database
            ) from None
    return made


def engine(url: str, **more: Any) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            more = more or {"pool_size": THREADS + 4}
            return _with_pragmas(create_engine(parsed, creator=partial(_open_sqlite, parsed.database), **more))
        if parsed.get_backend_name() == "postgresql":
            more = more or {"pool_size": THREADS + 2, "max_overflow": 0, "pool_pre_ping": True}
            return create_engine(parsed, **more)
    except ArgumentError:
        parsed = None
    shown = parsed.render_as_string(hide_password=True) if parsed is not None else url
    raise ProbandError(f"{shown!r} is not a database URL: write sqlite:///FILE or postgresql://USER@HOST/NAME")


def _open_sqlite(file: str) -> sqlite3.Connection:
    """Open an existing file; SQLite would create an empty one."""
    return sqlite3.connect(f"file:{quote(file)}?mode=rw", uri=True, timeout=30, check_same_thread=False)


def _with_pragmas(made: Engine) -> Engine:
    """Transactions begin explicitly, not at the first change; every commit is on disk."""

    @event.listens_for(made, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for line in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
            f"busy_timeout={BUSY}",
        ):
            connection.execute(f"PRAGMA {line}")

    @event.listens_for(made, "begin")
    def begun(connection: Connection) -> None:
        writing = threading.current_thread().name.startswith(WRITER)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return made


def inodes(made: Engine) -> list[int]:
    """The inodes of SQLite's file and its log, or 0 if missing. `stat` opens nothing."""
    found = []
    for name in (f"{made.url.database}", f"{made.url.database}-wal"):
        try:
            found.append(os.stat(name).st_ino)
        except FileNotFoundError:
            found.append(0)
    return found


def _write_probe(connection: Connection, value: str) -> None:
    connection.execute(delete(settings).where(settings.c.name == PROBE))
    connection.execute(insert(settings).values(name=PROBE, value=value))
