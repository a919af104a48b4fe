"""The statistics against scipy, statsmodels and enumeration."""

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
from proband.core.types import Item


def test_all_right_has_an_interval_below_one() -> None:
    found = stats.interval_without_spread(np.ones(40), 40)
    assert found == pytest.approx(proportion_confint(40, 40, method="wilson"))


def test_all_right_in_one_cluster_is_hardly_evidence() -> None:
    assert stats.interval_without_spread(np.ones(40), 1)[0] < 0.25


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_statsmodels(successes: int, extra: int, level: float) -> None:
    n = successes + extra
    assert stats.wilson(successes, n, level=level) == pytest.approx(
        proportion_confint(successes, n, alpha=1 - level, method="wilson"), abs=1e-9
    )


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=20))
def test_the_correction_is_statsmodels(p: list[float]) -> None:
    assert stats.holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_sign_flip_is_scipys_permutation_test() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.3, 1, size=11)
    theirs = scipy_stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert stats.sign_flip(d, seed=0, draws=1) == pytest.approx(theirs.pvalue, abs=1e-3)


def test_the_detectable_difference_is_seen_four_times_in_five() -> None:
    effect = stats.minimum_detectable(1 / np.sqrt(100))
    power = NormalIndPower(ddof=0).power(effect_size=effect, nobs1=100, alpha=0.05, ratio=0)
    assert power == pytest.approx(0.8, abs=1e-4)


def test_clusters_of_an_item() -> None:
    assert stats.clusters_of(Item(id="a", suite="s", prompt="")) == ("a",)
    assert stats.clusters_of(Item(id="a", suite="s", prompt="", facts={"clusters": ["x", "y"]})) == ("x", "y")
