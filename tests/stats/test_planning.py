"""Plans from pilot answers, and from clusters alone as `proband plan` makes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proband import stats
from proband.pipeline.build import build
from proband.pipeline.plan import plan

RNG = np.random.default_rng(28)
TEXTS = [f"text {i // 3}" for i in range(120)]
A, B = ((RNG.random(120) < share).astype(float) for share in (0.7, 0.55))


def test_plans_are_those_of_the_pipeline(tmp_path: Path) -> None:
    build("analogy", out=tmp_path / "items", per_relation=2)
    expected = plan(tmp_path / "items", difference=0.05)
    rows = [json.loads(line) for line in (tmp_path / "items" / "items.jsonl").read_text().splitlines()]
    tested = [frozenset(row["facts"]["clusters"]) for row in rows if row["split"] == "test"]
    found = stats.plan(0.05, clusters=tested)
    assert expected["more_clusters"] is not None
    assert found.items == expected["more_clusters"]["items"]
    assert found.power == pytest.approx(expected["now"]["power"])
    assert found.detectable == pytest.approx(expected["now"]["detectable"])
    one = stats.plan(0.1, a=A, clusters=TEXTS)
    assert 0 < (one.detectable or 0.0) < 1
    pilot = stats.plan(0.1, a=A, b=B, clusters=TEXTS)
    assert pilot.items is not None
    assert pilot.items > 60
