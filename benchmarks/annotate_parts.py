"""What the benchmarks of the web app share: a server in a process of its own, its database, clients, a floor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "annotate"))

from visitors import Postgres, free_port, questionnaires, write_lines  # noqa: E402


class Process:
    """`proband annotate serve` on a project, to be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.log = open(folder.parent / f"{folder.name}.log", "ab")  # noqa: SIM115
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Seconds until the first answer."""
        begin = time.monotonic()
        command = [sys.executable, "-m", "proband", "annotate", "serve", str(self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=dict(os.environ))
        self.wait_healthy()
        return time.monotonic() - begin

    def wait_healthy(self) -> None:
        """Until the server and its database answer."""
        deadline = time.monotonic() + 60
        with httpx.Client(timeout=2) as client:
            while time.monotonic() < deadline:
                try:
                    if client.get(f"{self.url}/health").status_code == 200:
                        return
                except httpx.HTTPError:
                    pass
                time.sleep(0.02)
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

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


@contextmanager
def study(server: Postgres | None, *, units: int, candidates: int, settings: dict[str, Any]) -> Iterator[Path]:
    """A project of the kind judge in a temporary folder, in SQLite or in a database of the server."""
    from proband.annotate.create import init

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items = write_lines(folder / "q.jsonl", questionnaires(units, candidates))
        url = server.database() if server else ""
        init(folder / "study", kind="judge", items=items, database=url, settings_given=settings)
        yield folder / "study"


def load_average() -> str:
    return f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
