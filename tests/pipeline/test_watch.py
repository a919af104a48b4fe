"""The live view: a running job by HTTP, read as it grows, for this machine alone."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.pipeline.watch import watch


@pytest.fixture
def run(tmp_path: Path) -> Path:
    proband.build("questions", out=tmp_path / "items")
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def port(run: Path) -> int:
    address: Queue[str] = Queue()
    threading.Thread(target=watch, args=[run], kwargs={"port": 0, "ready": address.put}, daemon=True).start()
    return int(address.get(timeout=30).rstrip("/").rpartition(":")[2])


def get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": f"{host}:{port}"})
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_a_run_is_shown_as_it_grows(run: Path, port: int) -> None:
    lines = (run / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (run / "answers.jsonl").write_bytes(b"".join(lines[:8]) + lines[8][:20])  # in the middle of the ninth
    state: dict[str, Any] = json.loads(get(port, "/state")[1])
    assert (state["answered"], state["total"], state["unfinished"]) == (8, 24, "8 of 24 answers")
    assert state["score"]["n"] == 8
    assert state["score"]["low"] <= state["score"]["mean"] <= state["score"]["high"]
    assert state["replies"][0]["id"] == json.loads(lines[7])["item_id"]
    (run / "answers.jsonl").write_bytes(b"".join(lines))
    state = json.loads(get(port, "/state")[1])
    assert (state["answered"], state["unfinished"]) == (24, "")
    expected = proband.read(run).scores().to_dicts()[0]
    assert (state["score"]["mean"], state["score"]["low"]) == (expected["mean"], expected["low"])


def test_nothing_but_the_page_and_its_state(run: Path, port: int) -> None:
    status, text = get(port, "/")
    assert status == 200
    assert "Latest replies" in text
    assert "http://" not in text
    assert get(port, "/../run.json")[0] == 404
    assert get(port, "/state", host="example.org")[0] == 403  # another name for this address
    before = sorted(path.name for path in run.iterdir())
    get(port, "/state")
    assert sorted(path.name for path in run.iterdir()) == before


def test_a_run_that_has_not_begun(tmp_path: Path) -> None:
    from proband.pipeline.watch import state

    (tmp_path / "soon").mkdir()
    assert state(tmp_path / "soon") == {"waiting": "the run has not begun"}
    with pytest.raises(ProbandError, match="no such folder"):
        watch(tmp_path / "nowhere")
