"""Paired tests on numbers whose differences are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from proband.core.metrics import ACCURACY
from proband.core.statistics.bootstrap import Clusters, Floats, resample
from proband.report.numbers.columns import Column, value_of
from proband.report.numbers.pairs import Comparison, Together, compared, p_values


def paired(a: Floats, b: Floats, clusters: Sequence[Sequence[str]], *, seed: int = 0, draws: int = 2000) -> Comparison:
    rows = np.arange(len(a))
    drawn = resample([a, b], rows, Clusters.of(clusters), seed=seed, draws=draws)
    (p,) = p_values(ACCURACY, drawn, [(0, 1)], seed=seed, draws=draws)
    columns = tuple(Column(at, [numbers], value_of(ACCURACY)) for at, numbers in enumerate((a, b)))
    return compared(ACCURACY, Together(rows, columns, drawn), (0, 1), p, group={}, labels=("a", "b"))


def test_the_test_is_calibrated_under_the_null() -> None:
    p = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        shared = np.repeat(rng.normal(size=30), 5)
        a, b = shared + rng.normal(size=150), shared + rng.normal(size=150)
        a += np.repeat(rng.normal(size=30), 5)
        p.append(paired(a, b, [(str(i // 5),) for i in range(150)], seed=seed, draws=100).p)
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09


def test_it_sees_a_difference_and_says_what_it_could_not_have_seen() -> None:
    rng = np.random.default_rng(0)
    b = rng.random(200)
    result = paired(b + 0.1 + rng.normal(0, 0.2, 200), b, [(str(i),) for i in range(200)])
    assert result.p < 0.001
    assert result.low < 0.1 < result.high
    assert result.detectable == pytest.approx(2.8 * 0.2 / np.sqrt(200), rel=0.15)
    assert result.turned().better == result.better == "a"


def test_several_clusters_per_item_use_the_bootstrap() -> None:
    rng = np.random.default_rng(1)
    pairs = [(str(i), str(j)) for i in range(12) for j in range(12) if i != j]
    effect = rng.normal(size=12)
    d = np.array([effect[int(i)] + effect[int(j)] for i, j in pairs]) - 2 * effect.mean()
    assert paired(d, np.zeros(len(d)), pairs).p > 0.3
