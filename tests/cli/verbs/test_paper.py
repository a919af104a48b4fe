"""`proband paper`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

RESULT = {"title": "Paper", "stages": [{"verb": "build", "name": "bats", "state": "ran"}], "page": "out/index.html"}


def test_options_reach_the_study(proband: Any, stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage("paper", RESULT, "cli.verbs.paper")
    words = shlex.split("-m vec:x -m hf:y --set k=2 --dry-run --jobs 2 --part rmc --engine ray --workers 3 -o out")
    proband("paper", "analogy", "--data", "BATS", *words)
    assert made.arguments == ("analogy",)
    assert made.given == {
        "data": Path("BATS"),
        "out": Path("out"),
        "models": ["vec:x", "hf:y"],
        "parameters": {"k": "2"},
        "dry_run": True,
        "jobs": 2,
        "part": "rmc",
        "engine": "ray",
        "workers": 3,
    }
    monkeypatch.setenv("PROBAND_DATA", "elsewhere")
    assert proband("paper", "analogy", "-o", "out").splitlines()[-1] == "open out/index.html"
    assert made.given["data"] == Path("elsewhere")
