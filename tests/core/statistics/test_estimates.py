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

from proband.core.errors import ProbandError
from proband.core.statistics import estimates as stats
from proband.core.types import Item


def singles(n: int) -> list[tuple[str, ...]]:
    return [(str(i),) for i in range(n)]


def test_interval_of_independent_items_is_scipys_bootstrap() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(200)
    ours = stats.estimate(x, clusters=singles(200), seed=0, draws=8000)
    theirs = scipy_stats.bootstrap((x,), np.mean, n_resamples=8000, method="percentile", rng=0).confidence_interval
    assert np.allclose([ours.low, ours.high], theirs, atol=0.004)


def test_clustered_intervals_cover_and_unclustered_ones_do_not() -> None:
    covered = {"clustered": 0, "blind": 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        chance = np.clip(0.5 + 0.3 * rng.standard_normal(25), 0, 1)
        values = (rng.random((25, 20)) < chance[:, None]).astype(float).ravel()
        names = [(str(i // 20),) for i in range(500)]
        truth = 0.5
        for kind, clusters in (("clustered", names), ("blind", singles(500))):
            e = stats.estimate(values, clusters=clusters, seed=seed, draws=400)
            covered[kind] += e.low <= truth <= e.high
    assert covered["clustered"] >= 184  # nominal 190 of 200, standard deviation 3
    assert covered["blind"] < 130


def test_estimate_does_not_depend_on_order_and_repeats_with_its_seed() -> None:
    x = [1.0, 0.0, 1.0, 1.0, 0.0]
    clusters = [("a",), ("a",), ("b",), ("c",), ("d",)]
    first = stats.estimate(x, clusters=clusters, seed=5)
    assert first == stats.estimate(x, clusters=clusters, seed=5)
    assert first.clusters == 4


def test_all_right_has_an_interval_below_one() -> None:
    e = stats.estimate([1.0] * 40, clusters=singles(40), seed=0)
    assert (e.low, e.high) == pytest.approx(proportion_confint(40, 40, method="wilson"))


def test_all_right_in_one_cluster_is_hardly_evidence() -> None:
    e = stats.estimate([1.0] * 40, clusters=[("one",)] * 40, seed=0)
    assert e.low < 0.25


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_statsmodels(successes: int, extra: int, level: float) -> None:
    n = successes + extra
    assert stats.wilson(successes, n, level=level) == pytest.approx(
        proportion_confint(successes, n, alpha=1 - level, method="wilson"), abs=1e-9
    )


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=20))
def test_corrections_are_statsmodels(p: list[float]) -> None:
    assert stats.holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert stats.benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_sign_flip_is_scipys_permutation_test() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.3, 1, size=11)
    theirs = scipy_stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert stats.sign_flip(d, seed=0, draws=1) == pytest.approx(theirs.pvalue, abs=1e-3)


def test_paired_test_is_calibrated_under_the_null() -> None:
    p = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        shared = np.repeat(rng.normal(size=30), 5)
        a, b = shared + rng.normal(size=150), shared + rng.normal(size=150)
        a += np.repeat(rng.normal(size=30), 5)
        p.append(stats.paired_test(a, b, clusters=[(str(i // 5),) for i in range(150)], seed=seed, draws=100).p)
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09


def test_paired_test_sees_a_difference_and_says_what_it_could_not_have_seen() -> None:
    rng = np.random.default_rng(0)
    b = rng.random(200)
    result = stats.paired_test(b + 0.1 + rng.normal(0, 0.2, 200), b, clusters=singles(200), seed=0)
    assert result.p < 0.001
    assert result.low < 0.1 < result.high
    assert result.detectable == pytest.approx(2.8 * 0.2 / np.sqrt(200), rel=0.15)


def test_several_clusters_per_item_use_the_bootstrap() -> None:
    rng = np.random.default_rng(1)
    pairs = [(str(i), str(j)) for i in range(12) for j in range(12) if i != j]
    effect = rng.normal(size=12)
    d = np.array([effect[int(i)] + effect[int(j)] for i, j in pairs]) - 2 * effect.mean()
    assert stats.paired_test(d, np.zeros(len(d)), clusters=pairs, seed=0).p > 0.3


def test_power_is_statsmodels() -> None:
    theirs = NormalIndPower(ddof=0).power(effect_size=0.3, nobs1=100, alpha=0.05, ratio=0)
    assert stats.power(0.3, 1 / np.sqrt(100)) == pytest.approx(theirs)
    found = stats.minimum_detectable(0.1)
    assert stats.power(found, 0.1) == pytest.approx(0.8, abs=1e-4)
    assert stats.clusters_needed(found / 2, 0.1, 100) == 400


def test_bad_values_are_refused_in_one_line() -> None:
    with pytest.raises(ProbandError, match="finite"):
        stats.estimate([float("nan")], clusters=singles(1), seed=0)
    with pytest.raises(ProbandError, match="2 cluster lists for 1 values"):
        stats.estimate([1.0], clusters=singles(2), seed=0)
    with pytest.raises(ProbandError, match="no values"):
        stats.estimate([], clusters=[], seed=0)


def test_clusters_of_an_item() -> None:
    assert stats.clusters_of(Item(id="a", suite="s", prompt="")) == ("a",)
    assert stats.clusters_of(Item(id="a", suite="s", prompt="", facts={"clusters": ["x", "y"]})) == ("x", "y")
