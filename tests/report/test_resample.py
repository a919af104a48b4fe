from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from proband.core import stats
from proband.report.resample import FLIPS, MANY, Clusters, interval, resample, sign_flip


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


@pytest.mark.parametrize("clusters", [30, MANY + 50, 3000])
@pytest.mark.parametrize("ways", [1, 2])
def test_intervals_are_those_of_the_core(clusters: int, ways: int) -> None:
    rng = np.random.default_rng(clusters)
    n = 2 * clusters
    names = [tuple(f"c{k}-{way}" for way, k in enumerate(rng.integers(0, clusters, ways))) for _ in range(n)]
    x = (rng.random(n) < 0.7).astype(np.float64)
    drawn = resample([x], np.arange(n), Clusters.of(names), seed=0, draws=2000)
    low, high = interval(drawn.means[:, 0], drawn.clusters)
    core = stats.estimate(x, clusters=names, seed=5, draws=2000)
    width = core.high - core.low
    assert drawn.clusters == core.clusters
    assert low == pytest.approx(core.low, abs=0.1 * width)
    assert high == pytest.approx(core.high, abs=0.1 * width)


def test_interval_is_the_cores_to_the_last_digit() -> None:
    means = np.random.default_rng(0).random(500)
    for clusters in (2, 3, 17, 4000):
        assert interval(means, clusters) == stats.interval(means, clusters, level=0.95)


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
