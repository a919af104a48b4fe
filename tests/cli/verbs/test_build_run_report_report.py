"""`proband report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_options_reach_the_report(proband: Any, stage: Any) -> None:
    made = stage("report", {"page": "out/index.html", "items": 2000, "sentences": ["A is best."]})
    words = ["report", "runs/a", "runs/b", "-o", "out", "--title", "Two models", "--items", "items", "--seed", 1]
    text = proband(*words)
    assert made.arguments == ([Path("runs/a"), Path("runs/b")],)
    assert made.given == {
        "out": Path("out"),
        "items": Path("items"),
        "title": "Two models",
        "seed": 1,
    }
    proband(*words, "--claims")
    assert made.given["claims"] is True
    assert text.splitlines() == ["A is best.", "items:  2,000", "open out/index.html"]
    assert proband.json("report", "-o", "out", "runs") == made.result


def test_the_page_is_written(proband: Any, items: Path) -> None:
    runs, out = items.parent / "runs", items.parent / "report"
    proband("run", items, "-m", "solver:adder", "-o", runs / "adder")
    assert proband("report", runs, "-o", out).splitlines()[-1] == f"open {out / 'index.html'}"
    assert "solver:adder" in (out / "index.html").read_text(encoding="utf-8")
    assert "no such folder" in proband.fails("report", "/no/such", "-o", out)
    assert "contains no run" in proband.fails("report", items, "-o", out)


def test_a_folder_of_items_or_of_a_run_is_no_place_for_a_report(proband: Any, items: Path) -> None:
    run = items.parent / "run"
    proband("run", items, "-m", "baseline:random", "-o", run)
    assert "is a folder of items; choose another one for the report" in proband.fails(
        "report", run, "-o", items, "--force"
    )
    assert "is a folder of a run; choose another one for the report" in proband.fails("report", run, "-o", run)
    assert sorted(path.name for path in items.iterdir()) == ["items.jsonl", "manifest.json"]
