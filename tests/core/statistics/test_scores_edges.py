"""The edges that a hostile reading of the statistics found, each as a small simulation: what must not happen again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import ttest_rel

from proband.core.metrics import AUC
from proband.core.statistics.clusters import Clusters, Floats
from proband.core.statistics.scores import Scores
from proband.core.statistics.strata import strata_variance
from proband.reporting.numbers.cells import Comparison
from proband.reporting.numbers.comparisons import corrected, detectable_ratio


def right(rng: np.random.Generator, code: Floats, chance: float, correlation: float) -> Floats:
    """Answers of items in clusters (a number each) that correlate."""
    groups = rng.standard_normal(int(code.max()) + 1)[code.astype(int)]
    latent = np.sqrt(correlation) * groups + np.sqrt(1 - correlation) * rng.standard_normal(len(code))
    answers: Floats = (latent < ndtri(chance)).astype(float)
    return answers


# ---- means over strata ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(500, 500, 500, 3), (200, 100, 50, 5, 2), (100, 100, 1)])
def test_a_stratum_of_few_items_that_decides_everything_is_too_few_to_tell(sizes: tuple[int, ...]) -> None:
    rng, strata = np.random.default_rng(0), np.repeat(np.arange(len(sizes)), sizes)
    one, other = (replace(Scores.of(rng.random(len(strata)) < 0.7), strata=strata) for _ in range(2))
    assert one.interval().few
    assert one.minus(other).few


def test_two_clusters_in_each_of_six_strata_are_covered() -> None:
    """6 tags x 2 clusters x 20 items: degrees of freedom are those of clusters, not of items."""
    rng, strata = np.random.default_rng(1), np.repeat(np.arange(6), 40)
    code = np.repeat(np.arange(12.0), 20)
    clusters, inside, rejected = Clusters.of([(str(c),) for c in code]), [], []
    for _ in range(120):
        a, b = (replace(Scores.of(right(rng, code, 0.7, 0.3), clusters=clusters), strata=strata) for _ in range(2))
        found, test = a.interval(), a.minus(b)
        inside.append(found.few or found.low <= 0.7 <= found.high)
        rejected.append(not test.few and test.p < 0.05)
    assert np.mean(inside) >= 0.92
    assert np.mean(rejected) <= 0.08


def test_degrees_of_freedom_of_strata_are_satterthwaites() -> None:
    values, strata = np.full(3, 0.5), np.repeat(np.arange(3), 20)
    u = np.tile([0.5, -0.5], 30)
    apart = Clusters.of([(str(i),) for i in range(60)])
    variance, freedom = strata_variance(values, u, strata, apart, np.arange(60), share=False, difference=True)
    assert variance == pytest.approx(3 * 0.25 / 19 / 9, rel=1e-6)
    assert freedom == pytest.approx(57)


# ---- scores between 0 and 1 that are no zeros and ones --------------------------------------------------------------


def test_graded_scores_have_students_test() -> None:
    """A gain of .03 with a standard deviation of .03 on 40 items: a t-test always sees it."""
    rng = np.random.default_rng(0)
    seen, null = [], []
    for _ in range(60):
        before = rng.uniform(0.3, 0.8, 40)
        after = before + rng.normal(0.03, 0.03, 40)
        found = Scores.of(after).minus(Scores.of(before))
        assert found.p == pytest.approx(ttest_rel(after, before).pvalue, abs=0.02)
        seen.append(found.p < 0.05)
        null.append(Scores.of(before + rng.normal(0, 0.03, 40)).minus(Scores.of(before)).p < 0.05)
    assert np.mean(seen) > 0.95
    assert np.mean(null) < 0.15


def test_graded_scores_in_clusters_are_no_wider_than_they_vary() -> None:
    rng, widths, means = np.random.default_rng(0), [], []
    for _ in range(150):
        found = Scores.of(rng.beta(8, 2, 120), clusters=[i // 10 for i in range(120)]).interval()
        widths.append(found.high - found.low)
        means.append(found.mean)
        assert 0 <= found.low <= found.high <= 1
    assert np.mean(widths) / (2 * 1.96 * np.std(means)) < 1.35


def test_zeros_and_ones_with_a_few_ties_are_a_share() -> None:
    assert Scores.of([1, 0, 1, 0.5] + [1] * 40).binary
    assert not Scores.of([1, 0, 0.3, 0.5] * 10).binary


# ---- few clusters of many items, one large cluster ------------------------------------------------------------------


@pytest.mark.parametrize(("groups", "size", "most"), [(7, 1000, 2.0), (20, 1000, 1.6)])
def test_few_large_clusters_without_correlation(groups: int, size: int, most: float) -> None:
    """Before, 12.1 and 5.5 times as wide as an oracle's."""
    rng, clusters = np.random.default_rng(0), np.repeat(np.arange(groups), size)
    known = Clusters.named(clusters, groups * size)
    found = [Scores.of(rng.random(groups * size) < 0.5, clusters=known).interval() for _ in range(20)]
    width = np.mean([each.high - each.low for each in found])
    assert width / (2 * 1.96 * 0.5 / np.sqrt(groups * size)) < most


def test_few_large_clusters_that_correlate_are_covered() -> None:
    rng, code = np.random.default_rng(0), np.repeat(np.arange(8.0), 200)
    known, inside = Clusters.named(code, 1600), []
    for _ in range(200):
        found = Scores.of(right(rng, code, 0.3, 0.5), clusters=known).interval()
        inside.append(found.low <= 0.3 <= found.high)
    assert np.mean(inside) >= 0.91


def test_a_set_of_which_most_is_one_cluster_has_an_interval() -> None:
    rng, code = np.random.default_rng(0), np.r_[np.zeros(150), np.repeat(np.arange(1.0, 21), 5)]
    known, inside = Clusters.named(code, 250), []
    for _ in range(150):
        found = Scores.of(right(rng, code, 0.5, 0.2), clusters=known).interval()
        assert not found.few
        inside.append(found.low <= 0.5 <= found.high)
    assert np.mean(inside) >= 0.93


# ---- metrics over sets near 1 ---------------------------------------------------------------------------------------


def test_an_area_near_one_with_few_positives_is_covered() -> None:
    rng, values, ends = np.random.default_rng(0), [], []
    truth = np.arange(100) < 10
    for _ in range(120):
        found = Scores.of(np.column_stack([rng.normal(size=100) + 2.2 * truth, truth]), metric=AUC).interval()
        values.append(found.mean)
        ends.append((found.low, found.high))
    middle = np.mean(values)
    assert np.mean([low <= middle <= high for low, high in ends]) >= 0.9
    assert all(0 <= low <= high <= 1 for low, high in ends)


@pytest.mark.parametrize(("items", "positives", "groups"), [(200, 80, 20), (120, 40, 12)])
def test_areas_of_few_clusters_are_covered_and_no_null_is_rejected_too_often(
    items: int, positives: int, groups: int
) -> None:
    """Before, .917 with nulls of .052 to .09."""
    rng, truth, code = np.random.default_rng(4), np.arange(items) * 7 % items < positives, np.arange(items) % groups
    clusters, pairs = Clusters.named(code, items), []
    for _ in range(60):
        z = np.sqrt(0.3) * rng.normal(size=(2, groups))[:, code] + np.sqrt(0.7) * rng.normal(size=(2, items))
        pairs.append(
            [Scores.of(np.column_stack([each + 2.5 * truth, truth]), clusters=clusters, metric=AUC) for each in z]
        )
    middle = np.mean([each.value for pair in pairs for each in pair])
    found = [each.interval() for pair in pairs for each in pair]
    assert np.mean([each.low <= middle <= each.high for each in found]) >= 0.93
    assert np.mean([a.minus(b).p < 0.05 for a, b in pairs]) <= 0.07


def test_the_interval_of_an_area_agrees_with_its_test() -> None:
    rng, truth = np.random.default_rng(2), np.arange(60) < 20
    one = Scores.of(np.column_stack([rng.normal(size=60) + 1.2 * truth, truth]), metric=AUC)
    found = one.interval()
    for constant in (0.5, found.low - 1e-6, found.low + 1e-6, found.high - 1e-6, found.high + 1e-6, 0.99):
        assert (not found.low <= constant <= found.high) == (one.p_against(constant) < 0.05)


# ---- seeds that collapse, clusters that are all or nothing ----------------------------------------------------------


def test_a_seed_that_collapsed_is_said_beside_the_number() -> None:
    rng = np.random.default_rng(0)
    good = [(rng.random(200) < p).astype(float) for p in (0.8, 0.82, 0.79, 0.81)]
    collapsed = (rng.random(200) < 0.3).astype(float)
    assert Scores.of([*good, collapsed], trained=True).interval().note.startswith("1 of 5 seeds fell apart")
    assert Scores.of(good, trained=True).interval().note == ""
    spread = [(rng.random(200) < p).astype(float) for p in (0.6, 0.65, 0.7, 0.75, 0.8)]
    assert Scores.of(spread, trained=True).interval().note == ""


@pytest.mark.parametrize("seeds", [5, 10])
def test_seeds_that_collapse_are_said_where_one_shows_and_hardly_ever_else(seeds: int) -> None:
    """One net in five falls from .8 to .3, seeds differ by three points beside; then none falls, and they differ by
    six."""
    rng = np.random.default_rng(seeds)
    shown, alarms = [], []
    for _ in range(150):
        fell = rng.random(seeds) < 0.2
        level = np.where(fell, 0.3, 0.8) + 0.03 * rng.standard_normal(seeds)
        if 0 < fell.sum() < seeds:
            shown.append(bool(Scores.of(rng.random((seeds, 200)) < level[:, None], trained=True).doubt))
        level = np.clip(0.8 + 0.06 * rng.standard_normal(seeds), 0, 1)
        alarms.append(bool(Scores.of(rng.random((seeds, 200)) < level[:, None], trained=True).doubt))
    assert np.mean(shown) >= 0.85
    assert np.mean(alarms) <= 0.08


def test_clusters_that_are_all_right_or_all_wrong_are_said() -> None:
    whole = np.repeat(np.arange(20) % 3 > 0, 10)
    code = np.repeat(np.arange(20), 10)
    assert "all right or all wrong" in Scores.of(whole, clusters=code).interval().note
    mixed = np.random.default_rng(0).random(200) < 0.6
    assert Scores.of(mixed, clusters=code).interval().note == ""


# ---- all items first, columns after them ----------------------------------------------------------------------------


def pair(p: float, **group: str) -> Comparison:
    return Comparison(
        group=group, a="a", b="b", mean_a=0.6, mean_b=0.5, difference=0.1, low=0.0, high=0.2, p=p, p_holm=p, n=100,
        clusters=50, detectable=0.1, better="a",
    )  # fmt: skip


def test_all_items_come_first_and_columns_after_them() -> None:
    found = corrected([pair(0.03), *(pair(0.01, kind=str(n)) for n in range(12))])
    assert found[0].p_holm == 0.03  # twelve columns take nothing from it
    assert found[0].detectable == pytest.approx(0.1)
    assert all(each.p_holm == pytest.approx(0.12) for each in found[1:])
    assert all(each.detectable > 0.12 for each in found[1:])
    closed = corrected([pair(0.2), pair(0.0001, kind="x")])
    assert [each.p_holm for each in closed] == [0.2, 0.2]
    assert detectable_ratio(50, 1) == 1.0


def test_a_gate_keeps_the_error_rate() -> None:
    """No difference anywhere: anything is called significant in 5 %."""
    rng, alarms = np.random.default_rng(0), []
    for _ in range(2000):
        whole, columns = rng.random(), rng.random(6)
        found = corrected([pair(whole), *(pair(float(p), kind=str(n)) for n, p in enumerate(columns))])
        alarms.append(any(each.p_holm < 0.05 for each in found))
    assert np.mean(alarms) <= 0.06
