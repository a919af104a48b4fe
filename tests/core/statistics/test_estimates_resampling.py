"""Metrics over sets that jump: the bootstrap by cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from proband.core.statistics.clusters import Clusters, Floats
from proband.core.statistics.estimates import MANY, Percentiles, difference_ends, draws_of
from proband.core.statistics.scores import Scores
from proband.suites.inference.curves.measures import NORMALISED, RECALL_AT_80


def shared_by(clusters: int, items: int) -> Clusters:
    return Clusters.of([(str(i % clusters),) for i in range(items)])


def records(rng: np.random.Generator, items: int, lift: float) -> Floats:
    truth = np.arange(items) % 5 < 2
    return np.column_stack([rng.standard_normal(items) + lift * truth, truth])


def test_interval_and_test_agree() -> None:
    """Of a difference and of a value beside constants; and at a level that Student's t gives."""
    rng, shared, seen = np.random.default_rng(0), shared_by(20, 120), set()
    for _ in range(6):
        a, b = (Scores.of(records(rng, 120, lift), clusters=shared, metric=RECALL_AT_80) for lift in (1.6, 0.8))
        found = a.minus(b)
        assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
        assert found.low <= found.value <= found.high
        seen.add(found.p < 0.05)
        band = a.interval()
        for constant in (band.low - 1e-9, band.low, band.high, band.high + 1e-9, 0.02, 0.5, 0.98):
            outside = not band.low <= constant <= band.high
            assert outside == (a.p_against(constant) < 0.05)
    assert seen == {True, False}


def test_draws_of_a_mean_are_students_interval() -> None:
    x = np.random.default_rng(1).normal(size=60)
    shared = shared_by(60, 60).neighbours()
    (draws,) = draws_of([lambda w: float(w @ x / w.sum())], shared)
    found = Percentiles(float(x.mean()), draws, shared.effective)
    apart = difference_ends(x.mean(), x - x.mean(), shared, share=False)
    low, high = found.ends()
    assert high - low == pytest.approx(float(apart.high - apart.low), rel=0.15)
    assert found.p_against(0.0) == pytest.approx(float(apart.p), abs=0.1)
    assert found.p_against(5.0) < 1e-12


def test_one_stray_draw_does_not_decide_a_small_p_value() -> None:
    """Seven standard errors from zero: one draw of 400 beyond it gave .005."""
    normal = [ndtri((np.arange(draws) + 0.5) / draws) + 7 for draws in (400, MANY)]
    few, many = (Percentiles(7.0, np.r_[draws[1:], -0.1], 200.0).p_against(0.0) for draws in normal)
    assert few == pytest.approx(0.005, abs=0.002)
    assert many < 0.001


def test_a_normalised_area_near_zero_has_a_short_interval() -> None:
    """Weak scores of 300 pairs on 30 questions: the upper end follows the draws, not a variance at the middle."""
    rng, shared = np.random.default_rng(3), shared_by(30, 300)
    widths = []
    for _ in range(5):
        band = Scores.of(records(rng, 300, 0.2), clusters=shared, metric=NORMALISED).interval()
        assert band.low <= band.mean <= band.high
        widths.append(band.high - band.low)
    assert max(widths) < 0.4
