"""`proband study`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

STAGES = [
    {"verb": "build", "name": "clean", "state": "done", "items": 1200, "calls": None},
    {"verb": "run", "name": "clean · solver:symbolic", "state": "to do", "items": 1200, "calls": 1200},
]


def test_a_dry_run_prints_the_stages(proband: Any, stage: Any) -> None:
    made = stage("study", {"title": "Noise", "stages": STAGES})
    lines = proband("study", "noise.toml", "-o", "out", "--dry-run", "--set", "per-k=5", "--workers", 2).splitlines()
    assert made.arguments == (Path("noise.toml"),)
    assert made.given == {"out": Path("out"), "dry_run": True, "parameters": {"per-k": "5"}, "workers": 2}
    assert lines == [
        "Noise",
        "verb   name                     state",
        "build  clean                    done",
        "run    clean · solver:symbolic  to do",
    ]


def test_a_study_says_where_its_page_is(proband: Any, stage: Any) -> None:
    stage("study", {"title": "Noise", "stages": STAGES, "page": "out/index.html", "claims": {"open": 1, "holds": 2}})
    text = proband("study", "noise.toml", "-o", "out")
    assert text.splitlines()[-1] == "open out/index.html"
    assert [line.split() for line in text.splitlines() if line.startswith("holds")] == [["holds", "2"]]
    assert proband.json("study", "noise.toml", "-o", "out")["stages"] == STAGES
