"""Rates of an audit: unread rows are in none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.proof.conftest import ROWS


def test_unread_rows_are_in_no_rate(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS)
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["read"] == 6
    assert summary["readings"]["cautious"] == pytest.approx(100 * 2 / 6, abs=0.1)
    assert summary["readings"]["lenient"] == pytest.approx(100 * 3 / 6, abs=0.1)
    assert 33.3 < summary["readings"]["guess"] < 50
    assert [each["rows"] for each in summary["unread"]] == [1, 1]
    assert summary["second prover"] == {"rows": 6, "agree": 6, "weaker": 0, "against": 0}


def test_one_row_is_not_one_rows(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS[:1])
    assert "<p>1 row, 1 of them read" in (tmp_path / "audit" / "index.html").read_text()
