"""A run on a Ray cluster gives the bytes of a local one; what a failure and Ctrl-C do."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import proband
from proband.core.errors import ModelFailed
from proband.core.progress import Verbosity
from proband.core.types import Answer, Item
from proband.pipeline.asking.engines import Executor, on_interrupt, run_chunks

PROGRAM = """
import sys
import proband
proband.run(sys.argv[1], model="solver:symbolic", out=sys.argv[2], cache=False, engine="ray", workers=2)
"""


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_ray_gives_the_same_answers(tmp_path: Path) -> None:
    """In a process of its own: Ray changes signal handlers and leaves threads behind."""
    proband.build("kinship", out=tmp_path / "items", k="2,3", per_k=300)
    proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "local", cache=False)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "items"), str(tmp_path / "ray")],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "ray" / "answers.jsonl").read_bytes() == (tmp_path / "local" / "answers.jsonl").read_bytes()


def test_answers_to_what_was_sent_before_a_failure_are_kept_and_no_more_is_sent() -> None:
    """A server may bill a request that is abandoned, and the command that resumes would send it again."""
    sent, drained, cancelled = threading.Event(), threading.Event(), threading.Event()
    kept: list[str] = []

    def answer(items: Sequence[Item]) -> list[Answer]:
        if items[0].id == "fails":
            sent.wait(10)
            raise ModelFailed("500")
        sent.set()
        while not (drained.is_set() or cancelled.is_set()):
            drained.wait(0.01)
        if cancelled.is_set():
            raise asyncio.CancelledError
        return [Answer(item_id=item.id) for item in items]

    chunks = [[Item(id=name, suite="toy", prompt="", choices=(), gold=None)] for name in ("sent", "fails", "later")]
    with ThreadPoolExecutor(2) as pool, pytest.raises(ModelFailed, match="500"):
        run_chunks(
            Executor(lambda items: pool.submit(answer, items), 2, drained.set, cancelled.set),
            chunks,
            put=lambda answers: kept.extend(each.item_id for each in answers),
            tick=lambda: None,
            interruptible=False,
        )
    assert kept == ["sent"]


def test_a_second_ctrl_c_does_not_leave_a_lock_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raised inside `wait` it could: the run then hung."""
    monkeypatch.setattr(Verbosity, "quiet", True)
    before, reached = signal.signal(signal.SIGINT, signal.default_int_handler), False
    try:
        with on_interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            with interrupt.deferred():
                signal.raise_signal(signal.SIGINT)
                reached = True
        assert reached
        with on_interrupt(), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
