"""The tables of kinship reports: what they count, and what their notes say."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import proband
from proband.stats.estimators.mean import detectable
from proband.suites.kinship.paper.tables import POWER


def test_what_the_releases_can_tell_apart() -> None:
    """The numbers of the note: two systems at 97 and 99 % whose errors are independent, tested in pairs."""
    differ = 0.97 * 0.01 + 0.03 * 0.99

    def seen(stories: int) -> float:
        error = math.sqrt((stories * differ + 0.5) / (stories + 0.5) ** 2)
        return detectable(error, stories - 1.0)

    assert round(100 * seen(120), 1) == 5.4
    assert seen(790) < 0.02 < seen(780)
    assert "5.4 points" in POWER
    assert "790 stories" in POWER


def test_training_stories_do_not_count(tmp_path: Path) -> None:
    """Tables are over test stories; where nothing is held out, over all."""
    held: dict[str, Any] = {"hold_out": "paraphrases", "test_per_k": 5}
    for name, options in (("held", held), ("plain", {})):
        items, run = tmp_path / name, tmp_path / f"{name}-run"
        proband.build("kinship", out=items, seed=0, k="2", per_k=20, **options)
        proband.run(items, model="solver:symbolic", out=run)
        proband.report([run], out=tmp_path / f"{name}-report")
        cell = (tmp_path / f"{name}-report" / "tables" / "kinship-by_task.csv").read_text()
        counts = {row["n"] for row in csv.DictReader(cell.splitlines())}
        assert counts == {"5" if name == "held" else "20"}
