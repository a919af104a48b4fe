"""Metrics over sets that jump: the bootstrap by cluster."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from proband.core.statistics import estimates as stats
from proband.core.statistics.clusters import Clusters, Floats, Neighbours
from proband.core.statistics.estimates import of_set
from proband.core.statistics.resampling import Percentiles, draws_of
from proband.suites.inference.curves.measures import NORMALISED, RECALL_AT_80


def shared_by(clusters: int, items: int) -> Neighbours:
    return Neighbours.of(Clusters.of([(str(i % clusters),) for i in range(items)]), np.arange(items))


def records(rng: np.random.Generator, items: int, lift: float) -> Floats:
    truth = np.arange(items) % 5 < 2
    return np.column_stack([rng.standard_normal(items) + lift * truth, truth])


def measured(of: Floats, shared: Neighbours) -> stats.Measured:
    value, influence = of_set(RECALL_AT_80.of, of)
    draws = draws_of([partial(RECALL_AT_80.of, of)], shared)
    return stats.Measured(np.array([value]), influence[None], draws=draws)


def test_interval_and_test_agree() -> None:
    """Of a difference and of a value beside constants; and at a level that Student's t gives."""
    rng, shared, seen = np.random.default_rng(0), shared_by(20, 120), set()
    for _ in range(12):
        a, b = (measured(records(rng, 120, lift), shared) for lift in (1.6, 0.8))
        found = stats.compare(a, b, shared, share=True)
        assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
        assert found.low <= found.difference <= found.high
        seen.add(found.p < 0.05)
        band = stats.interval(a, shared, share=True)
        for constant in (band.low - 1e-9, band.low, band.high, band.high + 1e-9, 0.02, 0.5, 0.98):
            outside = not band.low <= constant <= band.high
            assert outside == (stats.p_against(constant, a, shared, share=True) < 0.05)
    assert seen == {True, False}


def test_draws_of_a_mean_are_students_interval() -> None:
    x = np.random.default_rng(1).normal(size=60)
    shared = shared_by(60, 60)
    (draws,) = draws_of([lambda w: float(w @ x / w.sum())], shared)
    found = Percentiles(float(x.mean()), draws, shared.effective)
    apart = stats.difference(float(x.mean()), x - x.mean(), shared, share=False)
    low, high = found.ends()
    assert high - low == pytest.approx(apart.high - apart.low, rel=0.15)
    assert found.p_against(0.0) == pytest.approx(apart.p, abs=0.1)
    assert found.p_against(5.0) < 1e-12


def test_a_normalised_area_near_zero_has_a_short_interval() -> None:
    """Weak scores of 300 pairs on 30 questions: the upper end follows the draws, not a variance at the middle."""
    rng, shared = np.random.default_rng(3), shared_by(30, 300)
    widths = []
    for _ in range(5):
        value, influence = of_set(NORMALISED.of, own := records(rng, 300, 0.2))
        draws = draws_of([partial(NORMALISED.of, own)], shared)
        one = stats.Measured(np.array([value]), influence[None], draws=draws)
        band = stats.interval(one, shared, share=True)
        assert band.low <= value <= band.high
        widths.append(band.high - band.low)
    assert max(widths) < 0.35
