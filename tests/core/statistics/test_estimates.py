"""The statistics against scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

from proband.core.statistics import estimates as stats
from proband.core.statistics.clusters import Clusters, Floats, Neighbours
from proband.core.statistics.seeds import detectable


def apart(n: int) -> Neighbours:
    return Neighbours.of(Clusters.of([(str(i),) for i in range(n)]), np.arange(n))


def measured(*runs: Floats) -> stats.Measured:
    return stats.Measured(np.array([x.mean() for x in runs]), np.stack([x - x.mean() for x in runs]))


@given(st.integers(0, 60), st.integers(6, 60))
def test_a_share_of_items_of_their_own_is_wilsons(right: int, wrong: int) -> None:
    x = np.repeat([1.0, 0.0], [right, wrong])
    found = stats.interval(measured(x), apart(len(x)), share=True)
    theirs = proportion_confint(right, len(x), method="wilson")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@given(st.integers(0, 60), st.integers(6, 60), st.floats(0.02, 0.98))
def test_a_share_against_a_constant_is_the_score_test(right: int, wrong: int, constant: float) -> None:
    x = np.repeat([1.0, 0.0], [right, wrong])
    found = stats.p_against(constant, measured(x), apart(len(x)), share=True)
    z = (x.mean() - constant) / np.sqrt(constant * (1 - constant) / len(x))
    assert found == pytest.approx(2 * scipy_stats.norm.sf(abs(z)), abs=1e-9)


def test_other_numbers_against_a_constant_have_students_test() -> None:
    x = np.random.default_rng(0).normal(0.0, 1.0, 40)  # a mean so near 0 that nothing is added to the variance
    x += 0.01 - x.mean()
    found = stats.p_against(0.3, measured(x), apart(40), share=False)
    assert found == pytest.approx(scipy_stats.ttest_1samp(x, 0.3).pvalue, rel=1e-3)


def test_other_numbers_of_their_own_have_students_interval_and_test() -> None:
    x = np.random.default_rng(0).normal(0.4, 1.0, 40)
    found = stats.difference(float(x.mean()), x - x.mean(), apart(40), share=False)
    theirs = scipy_stats.ttest_1samp(x, 0.0)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval()))
    alone = stats.interval(measured(x), apart(40), share=False)
    assert (alone.low, alone.high) == pytest.approx(tuple(theirs.confidence_interval()), abs=0.001)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=20))
def test_the_correction_is_statsmodels(p: list[float]) -> None:
    assert stats.holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_the_detectable_difference_is_seen_four_times_in_five() -> None:
    effect = float(detectable(np.array(1 / np.sqrt(100)), np.array(np.inf)))
    power = NormalIndPower(ddof=0).power(effect_size=effect, nobs1=100, alpha=0.05, ratio=0)
    assert power == pytest.approx(0.8, abs=1e-4)


def test_training_seeds_widen_the_interval_and_say_by_how_much() -> None:
    rng = np.random.default_rng(0)
    item = rng.random(300)
    same = [(item < 0.6).astype(float)] * 3
    apart = [(item < p).astype(float) for p in (0.5, 0.6, 0.7)]
    pairs = within_pairs(300)
    alone, equal, moved = (stats.interval(measured(*runs), pairs, share=True) for runs in (same[:1], same, apart))
    assert (alone.from_seeds, equal.from_seeds) == (None, 0.0)
    assert (equal.low, equal.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert moved.from_seeds
    assert moved.from_seeds > 0.5
    assert moved.high - moved.low > 2 * (equal.high - equal.low)


def within_pairs(n: int) -> Neighbours:
    return Neighbours.of(Clusters.of([(str(i // 2),) for i in range(n)]), np.arange(n))
