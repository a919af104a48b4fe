"""Stopping at any look: coverage at the stopping time, with clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from proband.stats.sequential import confidence_sequence, of_difference, order_of, units_of

ALTERNATING = [1.0, 0.0, 1.0, 1.0] * 100
# by betting.betting_mart of confseq (github.com/gostevehoward/confseq, commit 70b1ef30; its Python files alone, with
# np.float_ read as np.float64) with the bets aim / variance on both sides, theta = trunc_scale = 1/2 and a grid of
# 1,000 means: the first and the last mean whose martingale is below 20 after so many values
REFERENCE = {100: (0.5935, 0.8745), 400: (0.6825, 0.8015)}


def test_the_intervals_are_those_of_confseq() -> None:
    looks = confidence_sequence(ALTERNATING, [1] * 400, aim=0.06)
    for count, ends in REFERENCE.items():
        assert (looks[count - 1].low, looks[count - 1].high) == pytest.approx(ends, abs=0.0015)


@pytest.mark.parametrize(
    ("mean", "size", "r"),
    [(0.5, 1, 0.0), (0.95, 1, 0.0), (0.8, 5, 0.3)],
)
@pytest.mark.nightly
def test_a_run_that_stops_when_it_is_narrow_enough_covers(mean: float, size: int, r: float) -> None:
    rng, covered, repetitions = np.random.default_rng(size), 0, 60
    for _ in range(repetitions):
        z = np.sqrt(r) * rng.standard_normal((700, 1)) + np.sqrt(1 - r) * rng.standard_normal((700, size))
        looks = confidence_sequence((z < ndtri(mean)).sum(axis=1), [size] * 700, largest=size, aim=0.06)
        last = next((look for look in looks if look.half_width <= 0.06), looks[-1])
        covered += last.low <= mean <= last.high
    assert covered / repetitions >= 0.95 - 0.03


@pytest.mark.nightly
def test_equal_models_are_never_told_apart_at_any_look_more_often_than_stated() -> None:
    """Twenty looks at a growing sample gave a false difference in 24 %."""
    rng, false = np.random.default_rng(3), 0
    for _ in range(50):
        d = (rng.random(400) < 0.6).astype(float) - (rng.random(400) < 0.6)
        false += any(look.decided for look in of_difference(confidence_sequence((d + 1) / 2, [1] * 400)))
    assert false / 50 <= 0.08


def test_a_difference_that_is_large_is_decided_early() -> None:
    rng = np.random.default_rng(4)
    d = (rng.random(1000) < 0.8).astype(float) - (rng.random(1000) < 0.5)
    first = next(look for look in of_difference(confidence_sequence((d + 1) / 2, [1] * 1000)) if look.decided)
    assert first.items < 500


def test_whole_clusters_in_an_order_that_the_seed_fixes() -> None:
    units = units_of([("a",), ("b", "c"), ("c",), ("a",), ("d",)])
    assert units.tolist() == [0, 1, 1, 0, 2]
    assert order_of(units, 1).tolist() == order_of(units, 1).tolist()
    assert sorted(order_of(units, 2).tolist()) == [0, 1, 2]


def test_clusters_of_unequal_size_need_the_largest() -> None:
    looks = confidence_sequence(ALTERNATING, [1] * 400, largest=5)
    narrow = confidence_sequence(ALTERNATING, [1] * 400)
    assert looks[-1].half_width > narrow[-1].half_width
