"""Progress in a log: a line a minute, and no more."""

from __future__ import annotations

import pytest

from proband.core.progress import Progress, Verbosity, one_bar


def test_a_log_has_a_line_now_and_then_and_short_work_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    with one_bar("all", total=300), Progress("scoring", total=300) as bar:
        for _ in range(300):
            clock[0] += 1.0
            bar.advance()
    assert capsys.readouterr().err.splitlines() == [f"all: {n} of 300" for n in (61, 122, 183, 244)]
    with Progress("scoring", total=3) as bar:
        bar.advance(3)
    monkeypatch.setattr(Verbosity, "quiet", True)
    clock[0] += 100
    with Progress("scoring") as bar:
        clock[0] += 100
        bar.advance()
    assert capsys.readouterr().err == ""
