"""SQLite's log stays while other processes come and go; what nobody else could read is not acknowledged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import Connection

from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.store.database import Database, create
from proband_annotate.store.migrate import migrate
from proband_annotate.store.people import note
from proband_annotate.store.schema import count_rows, events
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres
    from annotate.tests.visitors import Person, judged, questionnaires, write_lines
else:
    from visitors import Person, judged, questionnaires, write_lines

READS = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(*c.execute('SELECT count(*) FROM events').fetchone())"
)


def study_in(folder: Path) -> Path:
    init(folder / "study", kind="judge", items=write_lines(folder / "q.jsonl", questionnaires(4, 4)))
    return folder / "study"


def count_elsewhere(file: Path) -> int:
    """Events, as another process reads them, which then closes the file."""
    return int(subprocess.run([sys.executable, "-c", READS, str(file)], capture_output=True, check=True).stdout)


def read_at_once(database: Database, connections: int) -> None:
    """So many reads that each needs a connection of its own."""
    together = threading.Barrier(connections)
    reads = [database.submit_read(lambda _: together.wait(20)) for _ in range(connections)]
    for each in reads:
        each.result(20)


def test_another_process_that_closes_the_file_leaves_the_log_of_several_connections(tmp_path: Path) -> None:
    """The process that reads finds the locks of this one, whose connections came one after the other."""
    file = tmp_path / "own.db"
    with closing(create(f"sqlite:///{file}")) as database:
        migrate(database)
        log = os.stat(f"{file}-wal").st_ino
        for turn in range(1, 4):
            read_at_once(database, 2 * turn)
            database.write(lambda c: note(c, "check"))
            assert count_elsewhere(file) == turn
            assert os.stat(f"{file}-wal").st_ino == log
    assert count_elsewhere(file) == 3
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_exists_is_not_made_anew_and_a_missing_one_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("a file of somebody else")
    with pytest.raises(ProbandError, match="File exists"):
        create(f"sqlite:///{tmp_path / 'there.db'}")
    with closing(Database(f"sqlite:///{tmp_path / 'missing.db'}")) as database, pytest.raises(Exception, match="open"):
        database.read(lambda c: c.exec_driver_sql("SELECT 1").scalar())
    assert [path.name for path in tmp_path.iterdir()] == ["there.db"]


def delete_log(file: Path) -> None:
    Path(f"{file}-wal").unlink()


def replace_file(file: Path) -> None:
    """As an owner may who copies a backup over the file of a running server."""
    shutil.copyfile(file, file.with_suffix(".copy"))
    os.replace(file.with_suffix(".copy"), file)


@pytest.mark.parametrize("harm", [delete_log, replace_file])
def test_nothing_is_acknowledged_when_the_log_or_the_file_is_gone(
    harm: Callable[[Path], None], tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = study_in(tmp_path)
    base = served(folder).url
    someone = person(base, new_link(secret_of(folder), "crowd"), participant="a")
    someone.begin()
    before = someone.hidden()
    assert httpx.get(f"{base}/health").text == "ok"
    harm(folder / "answers.db")
    reply = someone.client.post(f"{someone.home}/answer", data={**before, **judged()})
    assert reply.status_code == 503
    health = httpx.get(f"{base}/health")
    assert health.status_code == 503
    assert "its file or its log was moved, replaced or deleted" in health.text


def test_health_fails_when_another_connection_does_not_read_what_was_written(tmp_path: Path) -> None:
    with closing(create(f"sqlite:///{tmp_path / 'own.db'}")) as database:
        migrate(database)
        database.probe()
        with closing(sqlite3.connect(tmp_path / "own.db")) as other:
            other.execute("CREATE TRIGGER lose AFTER INSERT ON settings BEGIN DELETE FROM settings; END")
        database.probe()  # so soon after the last it asks nothing
        database._probed -= 10
        with pytest.raises(sqlite3.DatabaseError, match="another connection does not read"):
            database.probe()


@pytest.mark.nightly
def test_a_log_that_others_empty_at_the_same_time_is_emptied(tmp_path: Path) -> None:
    """SQLite refuses a second checkpoint at once, without waiting."""
    file, stop = study_in(tmp_path) / "answers.db", threading.Event()

    def empty_the_log() -> None:
        with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as own:
            while not stop.is_set():
                own.execute("CREATE TABLE IF NOT EXISTS noise (x)")
                own.execute("INSERT INTO noise VALUES (1)")
                own.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    others = [threading.Thread(target=empty_the_log) for _ in range(3)]
    for each in others:
        each.start()
    try:
        with closing(Database(f"sqlite:///{file}")) as database:
            for _ in range(100):
                database.purge_deleted()
    finally:
        stop.set()
        for each in others:
            each.join()


def test_writes_go_on_while_a_long_read_keeps_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband_annotate.store.database.PATIENCE", 3.0)
    file = tmp_path / "own.db"
    with closing(create(f"sqlite:///{file}")) as database, closing(Database(f"sqlite:///{file}")) as other:
        migrate(database)
        other.write(lambda c: note(c, "first"))
        with closing(sqlite3.connect(file)) as reader, ThreadPoolExecutor(1) as thread:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events").fetchone()
            other.write(lambda c: note(c, "second"))
            forgetting = thread.submit(database.purge_deleted)
            for _ in range(3):
                other.write(lambda c: note(c, "meanwhile"))
            assert not forgetting.done()
            with pytest.raises(ProbandError, match="may still be in the database's files"):
                forgetting.result(30)
        database.purge_deleted()
        assert (file.parent / f"{file.name}-wal").stat().st_size == 0


@pytest.mark.nightly
def test_a_long_read_of_postgresql_stops_nobody(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband_annotate.store.database.PATIENCE", 3.0)
    url = postgres.database()
    with closing(create(url)) as database, closing(Database(url)) as other, ThreadPoolExecutor(1) as thread:
        migrate(database)

        def long(connection: Connection) -> list[int]:
            """Two statements at one moment; meanwhile others write, and what they deleted is to be purged."""
            counts = [count_rows(connection, events)]
            other.write(lambda c: note(c, "meanwhile"))
            purging = thread.submit(database.purge_deleted)
            while not purging.done():
                other.write(lambda c: note(c, "meanwhile"))
            assert "may still be in the database's files" in str(purging.exception())
            return [*counts, count_rows(connection, events)]

        assert other.read(long) == [0, 0]
        database.purge_deleted()
