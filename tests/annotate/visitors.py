"""What tests and benchmarks of the web app share: a PostgreSQL, a server, units, and people who fill in forms."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from proband.core.files import dumps


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def programs() -> Path | None:
    """The newest PostgreSQL of Debian, or the one on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


class Postgres:
    """A PostgreSQL of our own, in a temporary folder, on a free port, run by an ordinary user."""

    def __init__(self, folder: Path) -> None:
        bin_folder = programs()
        assert bin_folder is not None
        self.bin, self.folder, self.port = bin_folder, folder, free_port()
        self.user = "nobody" if os.geteuid() == 0 else None
        folder.mkdir()
        if self.user:
            shutil.chown(folder, self.user)
            for parent in folder.parents:
                if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
                    parent.chmod(parent.stat().st_mode | 0o001)
        self._do("initdb", "-D", str(folder / "data"), "-U", "proband", "-A", "trust", "--locale=C", "-E", "UTF8")
        self.start()

    def _do(self, program: str, *words: str) -> None:
        before = ["setpriv", f"--reuid={self.user}", "--regid=nogroup", "--clear-groups"] if self.user else []
        command = [*before, str(self.bin / program), *words]
        log = self.folder.parent / f"{self.folder.name}.{program}.log"
        with open(log, "ab") as out:
            subprocess.run(command, cwd="/", stdout=out, stderr=out, check=True, timeout=60)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40"
        self._do(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-o", options, "-l", str(self.folder / "log"), "start"
        )

    def stop(self, mode: str = "fast") -> None:
        self._do("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "stop")

    def database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        name = f"p{uuid.uuid4().hex[:12]}"
        with psycopg.connect(f"postgresql://proband@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://proband@127.0.0.1:{self.port}/{name}"


def questionnaires(count: int = 3, candidates: int = 4) -> list[dict[str, Any]]:
    relations = ("invaded", "shares a frontier with", "trades with", "is next to", "purple of the")
    names = ("Eritrea", "Kenya", "Sudan", "Somalia", "Djibouti")
    return [
        {
            "id": f"q{number}",
            "question": f"Which country borders land {number}?",
            "q_type": "country",
            "candidates": [
                {
                    "id": f"q{number}-{names[place % 5]}-{place}",
                    "text": f"[COUNTRY] {relations[place % 5]} land {number}.",
                    "answer": names[place % 5],
                }
                for place in range(candidates)
            ],
        }
        for number in range(count)
    ]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class Server:
    """The app behind uvicorn, in a thread."""

    def __init__(self, app: Any) -> None:
        import uvicorn

        self.port = free_port()
        settings = uvicorn.Config(app, host="127.0.0.1", port=self.port, log_level="error", lifespan="on")
        self.server = uvicorn.Server(settings)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


class Person:
    """Somebody who follows a link and fills in forms."""

    def __init__(self, base: str, link: str, **query: str) -> None:
        self.client = httpx.Client(timeout=30, base_url=base, follow_redirects=True)
        self.page = self.client.get(f"/join/{link}", params=query)
        self.home = str(self.page.url)

    def begin(self) -> None:
        """Up to the first unit."""
        self.send("consent", agree="yes", signals="yes")
        self.send("understood")

    @property
    def html(self) -> str:
        return self.page.text

    def hidden(self) -> dict[str, str]:
        form = re.search(r"<form id=\"task\".*?</form>|<form.*?</form>", self.html, re.DOTALL)
        assert form, self.html
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))

    def send(self, where: str, **fields: str) -> httpx.Response:
        self.page = self.client.post(f"{self.home}/{where}", data={**self.hidden(), **fields})
        return self.page


def judged(label: str = "yes", count: int = 4) -> dict[str, str]:
    return {f"c{place}": label for place in range(count)}
