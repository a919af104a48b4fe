"""Plans from pilot answers, and from clusters alone as `proband plan` makes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proband import stats
from proband.pipeline.build import build
from proband.pipeline.plan import plan
from proband.stats.planning import Pilot

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


def test_numbers_that_are_no_shares_correlate_within_clusters_too() -> None:
    """40 clusters of 50 items that are nearly alike: more items in the same clusters do not help."""
    rng, member = np.random.default_rng(0), np.repeat(np.arange(40), 50)
    numbers = 5 + rng.normal(size=40)[member] + 0.1 * rng.normal(size=2000)
    pair = [stats.Scores.of(x, clusters=member) for x in (numbers, np.full(2000, 5.0))]
    for pilot, square in (
        (Pilot.of(pair, agreement=0.5), numbers.var()),
        (Pilot.of(pair[:1], agreement=0), 2 * numbers.var()),
    ):
        assert pilot.correlation == pytest.approx(0.99, abs=0.03)
        assert pilot.square == pytest.approx(square, rel=0.01)
    in_clusters, alone = (stats.plan(0.3, a=numbers, b=np.full(2000, 5.0), clusters=c) for c in (member, None))
    assert in_clusters.items_in_same_clusters is None
    assert in_clusters.power < 0.8 < alone.power


def test_clusters_of_several_kinds_are_counted_by_item() -> None:
    kinds = {"doc": [i // 10 for i in range(400)], "page": [i // 5 for i in range(400)]}
    assert stats.plan(0.05, clusters=kinds) == stats.plan(0.05, clusters=list(zip(*kinds.values(), strict=True)))
