"""Servers of our own: a PostgreSQL, the app in a thread, and the app in a process that can be killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx


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
        options += " -c recovery_init_sync_method=syncfs"  # one call in place of a thousand files after a crash
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


class Server:
    """The app behind uvicorn, in a thread."""

    def __init__(self, app: Any, **more: Any) -> None:
        import uvicorn

        self.port = free_port()
        settings = uvicorn.Config(app, host="127.0.0.1", port=self.port, log_level="error", lifespan="on", **more)
        self.server = uvicorn.Server(settings)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 60
        while not self.server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


class Process:
    """`proband annotate serve` on a project, to be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.log = open(folder.parent / f"{folder.name}.log", "ab")  # noqa: SIM115
        self.process: subprocess.Popen[bytes] | None = None
        self.options: list[str] = []  # further ones of `serve`

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Seconds until the first answer."""
        begin = time.monotonic()
        command = [sys.executable, "-m", "proband", "annotate", "serve", str(self.folder), "--port", str(self.port)]
        command += self.options
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=dict(os.environ))
        self.wait_healthy()
        return time.monotonic() - begin

    def wait_healthy(self) -> None:
        """Until the server and its database answer."""
        deadline = time.monotonic() + 60
        with httpx.Client(verify=False, timeout=2) as client:
            while time.monotonic() < deadline:
                try:
                    if client.get(f"{self.url}/health").status_code == 200:
                        return
                except httpx.HTTPError:
                    pass
                time.sleep(0.02)
        raise AssertionError("the server did not start")

    def strike(self, by: signal.Signals = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(by)
        self.process.wait(60)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def memory(self) -> float:
        """MB of memory that is really used."""
        import psutil

        assert self.process is not None
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6

    def peak(self) -> float:
        """The most MB it has used so far."""
        assert self.process is not None
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise AssertionError("no VmHWM")

    def cpu_seconds(self) -> float:
        import psutil

        assert self.process is not None
        used = psutil.Process(self.process.pid).cpu_times()
        return float(used.user + used.system)


@contextmanager
def database_server(database: str) -> Iterator[Postgres | None]:
    """A PostgreSQL of its own, or none for SQLite."""
    if database == "sqlite":
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        server = Postgres(Path(name) / "postgres")
        try:
            yield server
        finally:
            server.stop("immediate")
