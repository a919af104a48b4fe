from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from proband.core.statistics.bootstrap import MANY, Clusters, interval, resample
from proband.core.statistics.estimates import FLIPS, sign_flip


def means_of(values: Any, clusters: Any, *, seed: int) -> Any:
    drawn = resample(
        [np.asarray(values, dtype=float)], np.arange(len(values)), Clusters.of(clusters), seed=seed, draws=40_000
    )
    return drawn.means[:, 0]


def test_a_small_bootstrap_has_the_distribution_of_all_its_draws() -> None:
    """Three clusters, so 27 equally likely draws: every mean occurs as often as it should."""
    names = [("a",), ("a",), ("b",), ("c",)]
    x = np.array([1.0, 0.0, 1.0, 0.25])
    rows = {"a": [0, 1], "b": [2], "c": [3]}
    exact: dict[float, float] = {}
    for draw in product("abc", repeat=3):
        items = [i for name in draw for i in rows[name]]
        exact[round(float(x[items].mean()), 9)] = exact.get(round(float(x[items].mean()), 9), 0) + 1 / 27
    drawn = resample([x], np.arange(4), Clusters.of(names), seed=1, draws=20_000)
    values, counts = np.unique(drawn.means[:, 0].round(9), return_counts=True)
    assert set(values.tolist()) == set(exact)
    for value, count in zip(values.tolist(), counts.tolist()):
        assert count / 20_000 == pytest.approx(exact[value], abs=5 * (exact[value] / 20_000) ** 0.5)


def test_resampled_means_match_the_enumeration_of_all_resamples() -> None:
    sums, counts = np.array([3.0, 0.0, 1.0]), np.array([3, 2, 1])
    values = np.array([1, 1, 1, 0, 0, 1])
    clusters = [("a",)] * 3 + [("b",)] * 2 + [("c",)]
    every = [sums[list(pick)].sum() / counts[list(pick)].sum() for pick in product(range(3), repeat=3)]
    drawn = means_of(values, clusters, seed=1)
    assert np.isin(np.round(drawn, 9), np.round(every, 9)).all()
    for value in set(np.round(every, 9)):
        assert np.isclose(np.mean(np.round(drawn, 9) == value), np.mean(np.round(every, 9) == value), atol=0.01)


def test_items_of_two_clusters_get_the_product_of_their_multiplicities() -> None:
    values = np.array([1.0, 0.0, 0.0])
    clusters = [("a", "b"), ("b", "c"), ("a", "c")]
    every = []
    for pick in product("abc", repeat=3):
        w = {name: pick.count(name) for name in "abc"}
        weights = np.array([w["a"] * w["b"], w["b"] * w["c"], w["a"] * w["c"]], dtype=float)
        if weights.sum():
            every.append(weights @ values / weights.sum())
    drawn = means_of(values, clusters, seed=3)
    assert len(drawn) >= 40_000
    assert np.isclose(drawn.mean(), np.mean(every), atol=0.01)
    assert np.isclose(drawn.std(), np.std(every), atol=0.01)


def interval_of(values: Any, clusters: Any, *, seed: int, draws: int) -> tuple[float, float]:
    return resample([values], np.arange(len(values)), Clusters.of(clusters), seed=seed, draws=draws).interval(0)


def test_interval_of_independent_items_is_scipys_bootstrap() -> None:
    x = np.random.default_rng(0).random(200)
    ours = interval_of(x, [(str(i),) for i in range(200)], seed=0, draws=8000)
    theirs = scipy_stats.bootstrap((x,), np.mean, n_resamples=8000, method="percentile", rng=0).confidence_interval
    assert np.allclose(ours, theirs, atol=0.004)


def test_clustered_intervals_cover_and_unclustered_ones_do_not() -> None:
    covered = {"clustered": 0, "blind": 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        chance = np.clip(0.5 + 0.3 * rng.standard_normal(25), 0, 1)
        values = (rng.random((25, 20)) < chance[:, None]).astype(float).ravel()
        for kind, size in (("clustered", 20), ("blind", 1)):
            low, high = interval_of(values, [(str(i // size),) for i in range(500)], seed=seed, draws=400)
            covered[kind] += low <= 0.5 <= high
    assert covered["clustered"] >= 184  # nominal 190 of 200, standard deviation 3
    assert covered["blind"] < 130


@pytest.mark.parametrize("clusters", [30, MANY + 50, 3000])
@pytest.mark.parametrize("ways", [1, 2])
def test_intervals_are_those_of_plain_multinomial_draws(clusters: int, ways: int) -> None:
    """From MANY clusters on ours are Poisson draws; the widths must agree all the same."""
    rng = np.random.default_rng(clusters)
    n = 2 * clusters
    member = rng.integers(0, clusters, (n, ways))
    names = [tuple(f"c{k}-{way}" for way, k in enumerate(row)) for row in member.tolist()]
    x = (rng.random(n) < 0.7).astype(np.float64)
    drawn = resample([x], np.arange(n), Clusters.of(names), seed=0, draws=2000)
    column = {name: i for i, name in enumerate(dict.fromkeys(name for row in names for name in row))}
    assert drawn.clusters == len(column)
    means = []
    places = [[column[row[way]] for row in names] for way in range(ways)]
    for _ in range(2000):
        w = rng.multinomial(len(column), np.full(len(column), 1 / len(column)))
        weights = np.prod(w[places], axis=0)
        means.append(float(weights @ x / weights.sum()))
    tail = scipy_stats.norm.cdf(-((len(column) / (len(column) - 1)) ** 0.5) * scipy_stats.t.ppf(0.975, len(column) - 1))
    low, high = np.quantile(means, [tail, 1 - tail])
    assert interval(drawn.means[:, 0], drawn.clusters) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_items_of_more_clusters_than_a_draw_can_hold_do_not_hang() -> None:
    """One item of 40 clusters: the chance that a draw holds each of them once is 40!/40^40, about 1e-16."""
    x = np.array([0.25])
    drawn = resample([x], np.arange(1), Clusters.of([tuple(map(str, range(40)))]), seed=0, draws=200)
    assert drawn.means.tolist() == [[0.25]]


def test_a_subset_counts_its_own_clusters() -> None:
    clusters = Clusters.of([("a", "b"), ("b",), ("c",), ("a", "c")])
    cell, member, count = clusters.among(np.array([1, 2]))
    assert (cell.tolist(), member.tolist(), count) == ([0, 1], [[0], [1]], 2)
    cell, member, count = clusters.among(np.array([0, 1, 3]))
    assert count == 3
    assert sorted(map(sorted, member.tolist())) == [[-1, 1], [0, 1], [0, 2]]


def test_the_normal_limit_meets_the_sign_flips() -> None:
    sums = np.random.default_rng(3).normal(0.05, 1, 2500)
    small = sign_flip(sums, seed=0, draws=FLIPS // len(sums))
    limit = sign_flip(sums, seed=0, draws=FLIPS)
    assert limit == pytest.approx(small, abs=0.015)
    assert sign_flip(np.zeros(10), seed=0, draws=FLIPS) == 1.0


def test_the_same_seed_gives_the_same_draws() -> None:
    x = np.random.default_rng(0).random(900)
    clusters = Clusters.of([(str(i),) for i in range(900)])
    first, again, other = (resample([x], np.arange(900), clusters, seed=s, draws=50).means for s in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
