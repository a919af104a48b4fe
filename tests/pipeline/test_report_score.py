"""The score of a run is the one that its report gives."""

from __future__ import annotations

import json
from pathlib import Path

from proband.pipeline.build import build
from proband.pipeline.report import report, score
from proband.pipeline.run import run


def test_the_score_is_that_of_the_report(tmp_path: Path) -> None:
    build("kinship", out=tmp_path / "items", k="2,3", per_k=20)
    run(tmp_path / "items", model="baseline:random", out=tmp_path / "run", cache=False, limit=30)
    found = score(tmp_path / "run")
    report([tmp_path / "run"], out=tmp_path / "report")
    (told,) = json.loads((tmp_path / "report" / "report.json").read_text())["sets"]
    overall = next(each for each in told["tables"][0]["estimates"] if not each["group"])
    assert {name: overall[name] for name in ("mean", "low", "high", "n", "chance", "metric")}.items() <= found.items()
    assert found["answers"] == 30
