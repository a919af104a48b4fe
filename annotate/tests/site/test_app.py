"""Starts that must not happen, each with one line; a disk that is full while the server runs; proxies in front."""

from __future__ import annotations

import logging
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import event, func, select, text

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import database_url, read_project, secret_of
from proband_annotate.site.app import Forwarded, application
from proband_annotate.site.context import OpenProject, open_project
from proband_annotate.store import people as people_store
from proband_annotate.store.database import Database
from proband_annotate.store.schema import events
from proband_annotate.tokens import form_token, new_link

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres, Server
    from annotate.tests.visitors import Person, judged, questionnaires, write_lines
else:
    from servers import Postgres, Server
    from visitors import Person, judged, questionnaires, write_lines


@pytest.fixture
def study(tmp_path: Path) -> Path:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(3, 4))
    init(tmp_path / "study", kind="judge", items=items)
    return tmp_path / "study"


def newer_schema(folder: Path) -> None:
    database = Database(database_url(folder, read_project(folder)))
    database.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '0999'")))
    database.close()


def damage(folder: Path) -> None:
    """A page in the middle is overwritten."""
    path = folder / "answers.db"
    raw = bytearray(path.read_bytes())
    raw[4096 : 4096 * 4] = b"\xff" * (4096 * 3)
    path.write_bytes(bytes(raw))


BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no database": (lambda f: (f / "answers.db").unlink(), "answers.db: no such database"),
    "empty database": (lambda f: (f / "answers.db").write_bytes(b""), "contains no study"),
    "not a database": (lambda f: (f / "answers.db").write_bytes(b"x" * 9000), "file is not a database"),
    "damaged": (damage, "answers.db"),
    "newer schema": (newer_schema, "made by a newer Proband (schema 0999"),
    "no secret": (lambda f: (f / "secret").unlink(), "secret: no such file"),
    "short secret": (lambda f: (f / "secret").write_text("abcd\n"), "secret: is not a secret of 32 bytes"),
    "odd secret": (lambda f: (f / "secret").write_text("Zoë\n" * 20), "secret: is not a secret of 32 bytes"),
}


@pytest.mark.parametrize(
    ("step", "what"), [(s, w) for s in ("serve", "status") for w in BROKEN if s == "serve" or "secret" not in w]
)
def test_a_broken_project_stops_with_one_line(
    step: str, what: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, words = BROKEN[what]
    spoil(study)
    before = sorted(path.name for path in study.iterdir())
    assert main(["annotate", step, str(study), *(["--port", "1"] if step == "serve" else [])]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert len(said.splitlines()) == 1
    assert "nternal error" not in said
    new = {path.name for path in study.iterdir()} - set(before) - {"answers.db-wal", "answers.db-shm"}
    assert not new, "nothing is made in place of what is missing"


@pytest.mark.nightly
def test_an_empty_postgresql_is_not_served(
    tmp_path: Path, postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(2, 4))
    init(tmp_path / "study", kind="judge", items=items, settings_given={"database": postgres.database()})
    path = tmp_path / "study" / "project.toml"
    path.write_text(path.read_text().replace(read_project(tmp_path / "study").database, postgres.database()))
    assert main(["annotate", "serve", str(tmp_path / "study"), "--port", "1"]) == 2
    assert "contains no study" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["80000", "0", "-3"])
def test_a_port_that_does_not_exist(port: str, study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "serve", str(study), "--port", port]) == 2
    said = capsys.readouterr().err
    assert "port" in said.lower()
    assert "nternal error" not in said


def test_a_port_that_is_taken(study: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = [sys.executable, "-m", "proband", "annotate", "serve", str(study), "--port", port]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert f"port {port} of 127.0.0.1: it is in use; --port N chooses another" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


# ---- a full disk -----------------------------------------------------------------------------------------------------


class Full:
    """A disk that takes nothing more, until it does again."""

    def __init__(self, study: OpenProject) -> None:
        self.engine, self.full = study.database.engine, False

        @event.listens_for(self.engine, "begin")
        def begun(connection: Any) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages if self.full else 1_000_000}")


@pytest.fixture
def filled(study: Path) -> Iterator[tuple[Path, Server, Full]]:
    opened = open_project(study)
    full, server = Full(opened), Server(application(opened))
    yield study, server, full
    server.stop()


def test_what_a_full_disk_does_not_keep_is_not_acknowledged(study: Path) -> None:
    """Two pieces of work that wait for their turn: where the second fills the disk, the first is said to be stored if
    and only if it is."""
    opened = open_project(study)
    full = Full(opened)
    full.full = True
    hold = threading.Event()
    opened.database.submit_write(lambda c: hold.wait(20))  # what follows waits behind it
    small = opened.database.submit_write(lambda c: people_store.note(c, "check", None, "small"))
    large = opened.database.submit_write(lambda c: people_store.note(c, "check", None, "x" * 100_000))
    hold.set()
    outcomes = [future.exception(20) for future in (small, large)]
    kept = opened.database.read(lambda c: c.scalar(select(func.count()).where(events.c.detail == "small")))
    opened.database.close()
    assert outcomes[1] is not None
    assert (outcomes[0] is None) == (kept == 1)


def test_a_full_disk_is_said_once_a_minute_and_by_health(
    filled: tuple[Path, Server, Full], person: Callable[..., Person], caplog: pytest.LogCaptureFixture
) -> None:
    folder, server, full = filled
    someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="p")
    someone.begin()
    assert httpx.get(f"{server.url}/health").status_code == 200
    full.full = True
    caplog.set_level(logging.ERROR)
    long = {"form": someone.hidden()["form"], "unit": someone.hidden()["unit"], "c0": "no", "c1": "x" * 20_000}
    replies = [someone.client.post(f"{someone.home}/draft", data=long) for _ in range(6)]
    assert {reply.status_code for reply in replies} == {503}
    assert "Something went wrong on our side" in replies[0].text
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1, said
    assert "database or disk is full" in said[0]
    assert all(record.exc_info is None for record in caplog.records)
    health = httpx.get(f"{server.url}/health")
    assert (health.status_code, health.text) == (503, "the database fails: database or disk is full\n")
    full.full = False
    someone.send("answer", **judged())
    assert httpx.get(f"{server.url}/health").text == "ok"
    assert "works again" in caplog.records[-1].getMessage()


# ---- proxies ---------------------------------------------------------------------------------------------------------


def test_a_visit_behind_a_proxy_below_a_path(tmp_path: Path, person: Callable[..., Person]) -> None:
    """https://example.org/study/ is passed on without the path; forms and links have it."""
    from proband_annotate.site.app import application
    from proband_annotate.site.context import open_project

    items = write_lines(tmp_path / "q.jsonl", questionnaires(1, 4))
    folder = tmp_path / "study"
    platform = {"public-url": "https://example.org/study", "return-url": "https://pay.example/?c={code}"}
    init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 1}, "platform": platform})
    server = Server(application(open_project(folder)), root_path="/study", proxy_headers=True)
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9", "Host": "example.org"}
    with httpx.Client(verify=False, base_url=server.url, headers=headers, timeout=30) as client:
        link = new_link(secret_of(folder), "crowd")
        there = client.get(f"/join/{link}", params={"participant": "p"}).headers["location"]
        assert there.startswith("/study/v/")
        home = there.removeprefix("/study")
        token = form_token(secret_of(folder), home.rpartition("/")[2])
        page = client.get(home).text
        assert f'action="{there}/consent"' in page
        assert 'href="/study/static/page.css"' in page
        for where, fields in (("consent", {"agree": "yes", "terms": "1"}), ("understood", {})):
            reply = client.post(f"{home}/{where}", data={"form": token, **fields})
            assert reply.headers["location"] == there
        unit = re.search(r'name="unit" value="(\d+)"', client.get(home).text)
        assert unit is not None
        client.post(f"{home}/answer", data={"form": token, "unit": unit[1], "id": "a" * 12, **judged()})
        code = read_project(folder).codes.done
        assert f'href="https://pay.example/?c={code}"' in client.get(home).text
    server.stop()


@pytest.mark.parametrize("hops", [1, 2])
def test_a_made_up_address_does_not_get_around_the_limit(hops: int, tmp_path: Path) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(1, 4))
    folder = tmp_path / "study"
    init(folder, kind="judge", items=items)
    server = Server(Forwarded(application(open_project(folder)), hops=hops))
    form = {"form": form_token(secret_of(folder), "login"), "password": "guess"}

    def guess(made_up: str, address: str) -> int:
        behind = ", ".join([made_up, address, *["10.0.0.1"] * (hops - 1)])
        headers = {"X-Forwarded-For": behind, "X-Forwarded-Proto": "https"}
        return httpx.post(f"{server.url}/owner/login", data=form, headers=headers, timeout=30).status_code

    assert [guess(f"6.6.6.{n}", "203.0.113.9") for n in range(8)][-1] == 429
    assert guess("6.6.6.1", "203.0.113.10") == 403, "somebody else may still try"
    server.stop()
