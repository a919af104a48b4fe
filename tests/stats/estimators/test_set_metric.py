"""Metrics over sets: the jackknife, and the bootstrap of those that jump."""

from __future__ import annotations

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.stats import Scores, estimator_of
from proband.stats.clusters import Floats
from proband.stats.planning import Pilot, required
from proband.stats.ranking import AUC, F1, YES_NO_ACCURACY


def decided(n: int, positive: int, error: float, rng: np.random.Generator) -> np.ndarray:
    truth = (np.arange(n) < positive).astype(float)
    return np.column_stack([np.where(rng.random(n) < error, 1 - truth, truth) * 2 - 1, truth])


@pytest.mark.parametrize(("n", "positive", "error"), [(200, 100, 0.02), (200, 40, 0.02)])
@pytest.mark.nightly
def test_f1_near_one(n: int, positive: int, error: float) -> None:
    """Intervals covered 0.85 and 0.13 of nulls were rejected."""
    rng = np.random.default_rng(n + positive)
    truth = float(np.mean([F1.of(decided(n, positive, error, rng), np.ones(n)) for _ in range(400)]))
    covered = false = 0
    for _ in range(80):
        a, b = (Scores.of(decided(n, positive, error, rng), estimator=estimator_of(F1)) for _ in range(2))
        band = a.interval()
        covered += band.low <= truth <= band.high
        false += (a.minus(b).p or 0.0) < 0.05
    assert covered / 80 >= 0.9
    assert false / 80 <= 0.12


def test_a_perfect_f1_of_few_positives_is_as_uncertain_as_they_are() -> None:
    few, many = (
        Scores.of(decided(400, k, 0.0, np.random.default_rng(0)), estimator=estimator_of(F1)) for k in (10, 200)
    )
    assert few.interval().low < 0.75 < many.interval().low


def test_clusters_make_the_interval_wider_and_jumps_have_one_too() -> None:
    rng = np.random.default_rng(1)
    truth = np.tile([1.0, 0.0], 60)
    score = truth + np.repeat(rng.normal(size=12), 10) + rng.normal(size=120)
    records, clusters = np.column_stack([score, truth]), np.repeat(np.arange(12), 10).tolist()
    alone, shared = (Scores.of(records, clusters=c, estimator=estimator_of(AUC)).interval() for c in (None, clusters))
    assert shared.clusters == 12
    assert alone.low < AUC.of(records, np.ones(120)) < alone.high

    def best(records: np.ndarray, weights: np.ndarray) -> float:
        return float(records[weights > 0, 0].max())

    jumping = estimator_of(Metric(name="best", of=best, over="set", unit="count", jumps=True))
    found = Scores.of(records, clusters=clusters, estimator=jumping).interval()
    assert found.low <= found.mean <= found.high


def test_accuracy_of_yes_and_no_is_a_mean() -> None:
    records = decided(200, 20, 0.1, np.random.default_rng(2))
    right = ((records[:, 0] > 0) == (records[:, 1] > 0.5)).astype(float)
    ours, plain = Scores.of(records, estimator=estimator_of(YES_NO_ACCURACY)).interval(), Scores.of(right).interval()
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=0.005)


@pytest.mark.parametrize("clusters", [["a"] * 60, ["a", "b"] * 30, [(i % 10, "one") for i in range(60)]])
def test_one_cluster_or_two_are_too_few(clusters: list[object]) -> None:
    """Nothing can be left out of one cluster: the jackknife has no variance, and nothing is tested."""
    rng = np.random.default_rng(0)
    for metric in (F1, AUC):
        a, b = (Scores.of(decided(60, 30, e, rng), clusters=clusters, estimator=estimator_of(metric)) for e in (0, 0.4))
        apart = a.minus(b)
        assert a.interval().few
        assert (a.against(0.5).p, apart.p, apart.detectable) == (None, None, None)


def test_equal_records_are_equal_within_a_margin_that_their_number_shows() -> None:
    for n, shown in ((60, False), (600, True)):
        one = Scores.of(decided(n, n // 2, 0.0, np.random.default_rng(0)), estimator=estimator_of(AUC))
        assert ((one.minus(one).equal_within(0.05) or 0.0) < 0.05) == shown
    selected = Scores.of(one.numbers, tags={"k": [1, 2] * 300}, estimator=estimator_of(AUC))
    with pytest.raises(ProbandError, match="by a mean, not by a metric over sets"):
        selected.where(k=1).minus_selection(selected.where(k=2))


@pytest.mark.parametrize("jumps", [False, True])
def test_a_plan_of_a_ranking_metric_with_few_positives(jumps: bool) -> None:
    """An item's part of the area is no discordant answer: half the difference needs four times the items."""
    rng = np.random.default_rng(0)
    truth = (np.arange(400) < 8).astype(float)
    area = estimator_of(Metric(name="area", of=AUC.of, over="set", unit="share", jumps=jumps))
    a, b = (Scores.of(np.column_stack([truth + rng.normal(size=400), truth]), estimator=area) for _ in range(2))
    pilot = Pilot.of([a, b], agreement=0.5)
    assert pilot.square > 2  # no discordance is as large
    assert Pilot.of([a], agreement=0.5).square > 0
    small, large = (required(pilot, each, power=0.8, by="clusters")[0] for each in (0.01, 0.02))
    assert small is not None
    assert large is not None
    assert small.clusters / large.clusters == pytest.approx(4, rel=0.02)


def test_a_metric_gets_the_same_records_in_every_draw() -> None:
    """So that it can remember what it has computed of them; only the weights are others."""
    seen: list[Floats] = []

    def first(records: Floats, weights: Floats) -> float:
        seen.append(records)
        return float(weights @ records[:, 0] / weights.sum())

    rng = np.random.default_rng(0)
    made = estimator_of(Metric(name="first", of=first, over="set", jumps=True))
    Scores.of(rng.random((30, 2)), estimator=made).interval()
    assert len(seen) > 2000
    assert len({id(each) for each in seen}) <= 3  # the draws, the value of the pieces and that of the scores
