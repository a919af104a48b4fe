"""A run on a Ray cluster gives the bytes of a local one; what Ctrl-C does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import proband
from proband.core.progress import Verbosity
from proband.pipeline.asking.engines import on_interrupt

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
