"""What the first screen says: nothing of guessers, nothing that unread replies explain."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def reports() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("calibration_reports")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.nightly
@pytest.mark.parametrize("models", [2, 8])
def test_of_guessers_nothing_is_said_to_stand_out(reports: Any, models: int) -> None:
    """In 8 % of reports at most: 5 % for the headline, the rest for what is chosen among cells."""
    assert reports.findings_about_guessers(models, 200) <= 0.08


def test_what_stands_out_is_said(reports: Any) -> None:
    right = np.random.default_rng(0).random((3, 240)) < 0.5
    right[0, np.arange(240) % 6 == 2] = True
    found = reports.said(right)
    assert any(each.startswith("m0 is furthest above chance on c: by 50.0 points") for each in found)
    assert any(each.startswith("m0 has its highest accuracy on c (100.0%), its lowest on") for each in found)


def test_unread_replies_are_no_finding(reports: Any) -> None:
    """Half of the replies of m1 on kind b could not be read: it is neither furthest below chance there nor is b its
    weakness, and m0 does not lead because of them."""
    rng = np.random.default_rng(0)
    right, unread = rng.random((2, 240)) < 0.5, np.zeros((2, 240), dtype=bool)
    unread[1, np.arange(240) % 6 == 1] = rng.random(40) < 0.9
    found = reports.said(right, unread)
    assert not any("furthest below" in each or "its lowest on b" in each for each in found)
    assert any("m1 left 15% of its replies unread" in each for each in found), found
