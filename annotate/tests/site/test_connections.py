"""Many connections that send nothing, or half a request, lock nobody out."""

from __future__ import annotations

import resource
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from annotate.tests.servers import Process
    from annotate.tests.visitors import judge_study
else:
    from servers import Process
    from visitors import judge_study

IDLE = 1005


@pytest.mark.nightly
def test_idle_connections_lock_nobody_out() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    with judge_study(None, units=2, candidates=2, settings={}) as folder:
        process = Process(folder)
        process.start()
        idle: list[socket.socket] = []
        try:
            for number in range(IDLE):
                idle.append(socket.create_connection(("127.0.0.1", process.port)))
                if number % 2:  # half a request
                    idle[-1].sendall(b"POST /owner/login HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
            replies = [httpx.get(f"{process.url}/health", timeout=10) for _ in range(20)]
            assert [reply.status_code for reply in replies] == [200] * 20
        finally:
            for each in idle:
                each.close()
            process.stop()
    assert Path(folder).name == "study"
