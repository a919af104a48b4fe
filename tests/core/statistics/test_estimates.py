"""The statistics against scipy and statsmodels; influence values against closed forms and the jackknife."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

from proband.core.metrics import area_under_roc, average_precision, f1
from proband.core.statistics.clusters import Clusters, Floats
from proband.core.statistics.estimates import difference_ends, of_set
from proband.core.statistics.scores import Scores
from proband.core.statistics.spread import detectable, holm, of_mean


def apart(n: int) -> Clusters:
    return Clusters.of([(str(i),) for i in range(n)])


def scores(*runs: Floats, clusters: Clusters, share: bool) -> Scores:
    return Scores.of(np.stack(runs), clusters=clusters, share=share)


@given(st.integers(0, 60), st.integers(6, 60))
def test_a_share_of_items_of_their_own_is_wilsons(right: int, wrong: int) -> None:
    x = np.repeat([1.0, 0.0], [right, wrong])
    found = scores(x, clusters=apart(len(x)), share=True).interval()
    theirs = proportion_confint(right, len(x), method="wilson")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@given(st.integers(0, 60), st.integers(6, 60), st.floats(0.02, 0.98))
def test_a_share_against_a_constant_is_the_score_test(right: int, wrong: int, constant: float) -> None:
    x = np.repeat([1.0, 0.0], [right, wrong])
    found = scores(x, clusters=apart(len(x)), share=True).p_against(constant)
    z = (x.mean() - constant) / np.sqrt(constant * (1 - constant) / len(x))
    assert found == pytest.approx(2 * scipy_stats.norm.sf(abs(z)), abs=1e-9)


def test_other_numbers_against_a_constant_have_students_test() -> None:
    x = np.random.default_rng(0).normal(0.0, 1.0, 40)  # a mean so near 0 that nothing is added to the variance
    x += 0.01 - x.mean()
    found = scores(x, clusters=apart(40), share=False).p_against(0.3)
    assert found == pytest.approx(scipy_stats.ttest_1samp(x, 0.3).pvalue, rel=1e-3)


def test_other_numbers_of_their_own_have_students_interval_and_test() -> None:
    x = np.random.default_rng(0).normal(0.4, 1.0, 40)
    ends = difference_ends(x.mean()[None], (x - x.mean())[None], apart(40).neighbours(), share=False)
    theirs = scipy_stats.ttest_1samp(x, 0.0)
    assert float(ends.p[0]) == pytest.approx(theirs.pvalue)
    assert (ends.low[0], ends.high[0]) == pytest.approx(tuple(theirs.confidence_interval()))
    alone = scores(x, clusters=apart(40), share=False).interval()
    assert (alone.low, alone.high) == pytest.approx(tuple(theirs.confidence_interval()), abs=0.001)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=20))
def test_the_correction_is_statsmodels(p: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)  # statsmodels does so at each call: of all that was imported
        theirs = multipletests(p, method="holm")[1]
    assert holm(p) == pytest.approx(theirs)


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
    alone, equal, moved = (scores(*runs, clusters=pairs, share=True).interval() for runs in (same[:1], same, apart))
    assert (alone.from_seeds, equal.from_seeds) == (None, 0.0)
    assert (equal.low, equal.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert moved.from_seeds
    assert moved.from_seeds > 0.5
    assert moved.high - moved.low > 2 * (equal.high - equal.low)


def within_pairs(n: int) -> Clusters:
    return Clusters.of([(str(i // 2),) for i in range(n)])


# ---- influence values -----------------------------------------------------------------------------------------------


def scored(n: int, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    return np.column_stack([rng.normal(size=n) + 1.2 * truth, truth])


@pytest.mark.parametrize("n", [60, 400])
def test_the_influence_on_auc_is_that_of_delong(n: int) -> None:
    """DeLong's placement values: var = S10/m + S01/n."""
    records = scored(n)
    value, u = of_set(area_under_roc, records)
    true, false = (records[records[:, 1] == label, 0] for label in (1.0, 0.0))
    wins = (true[:, None] > false[None, :]) + 0.5 * (true[:, None] == false[None, :])
    delong = wins.mean(axis=1).var(ddof=1) / len(true) + wins.mean(axis=0).var(ddof=1) / len(false)
    assert value == pytest.approx(wins.mean())
    assert (u**2).sum() / n**2 == pytest.approx(delong, rel=0.12)
    assert u.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("of", [average_precision, f1])
def test_other_metrics_have_the_variance_of_the_jackknife(of: object) -> None:
    records = scored(300, seed=1)
    assert callable(of)
    left = [of(np.delete(records, i, axis=0), np.ones(299)) for i in range(300)]
    jackknife = 299 / 300 * ((np.array(left) - np.mean(left)) ** 2).sum()
    _, u = of_set(of, records)
    assert (u**2).sum() / 300**2 == pytest.approx(jackknife, rel=0.12)


def test_a_mean_as_a_metric_over_sets_is_a_mean() -> None:
    x = np.random.default_rng(0).random(50)
    value, u = of_set(lambda records, w: float(records[:, 0] @ w / w.sum()), x[:, None])
    assert value == pytest.approx(x.mean())
    assert np.corrcoef(u, x)[0, 1] > 0.98  # of three records at a time
    assert of_mean(x)[1] == pytest.approx(x - x.mean())


def test_strata_weigh_the_same() -> None:
    records, strata = scored(90), np.repeat([0, 1], [60, 30])
    value, u = of_set(area_under_roc, records, strata)
    parts = [area_under_roc(records[strata == s], np.ones(n)) for s, n in ((0, 60), (1, 30))]
    assert value == pytest.approx(np.mean(parts))
    x = records[:, 1]
    mean, influence = of_mean(x, strata)
    assert mean == pytest.approx((x[:60].mean() + x[60:].mean()) / 2)
    apart = (x[:60].var(ddof=1) / 60 + x[60:].var(ddof=1) / 30) / 4
    assert (influence**2).sum() / 90**2 == pytest.approx(apart)
    assert len(u) == 90


def test_strata_of_one_item_are_as_uncertain_as_the_items() -> None:
    x = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    value, u = of_mean(x, np.arange(8))
    assert value == x.mean()
    assert u == pytest.approx((x - x.mean()) * np.sqrt(8 / 7))
    mixed = np.array([0, 0, 0, 1, 1, 2, 3, 4])  # three strata of one: their own spread, the others as before
    means = [x[mixed == stratum].mean() for stratum in range(5)]
    value, u = of_mean(x, mixed)
    assert value == pytest.approx(np.mean(means))
    assert u[:3] == pytest.approx(np.sqrt(3 / 2) * 8 / (5 * 3) * (x[:3] - means[0]))
    assert u[5:] == pytest.approx(np.sqrt(3 / 2) * 8 / 5 * (x[5:] - np.mean(means[2:])))


def test_means_over_strata_of_few_items_are_covered() -> None:
    """40 relations of different difficulty with one, two or four items each; their mean is what is estimated."""
    rng = np.random.default_rng(0)
    chances = rng.beta(4, 3, 40)
    for size in (1, 2, 4):
        strata = np.repeat(np.arange(40), size)
        alone = apart(len(strata))
        inside = 0
        for _ in range(150):
            right = (rng.random(len(strata)) < chances[strata]).astype(float)
            found = replace(scores(right, clusters=alone, share=True), strata=strata).interval()
            inside += found.low <= chances.mean() <= found.high
        assert 0.92 <= inside / 150 <= 1.0
