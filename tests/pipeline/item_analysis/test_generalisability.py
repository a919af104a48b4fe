"""The reliability of an order is the correlation of two sets of items, and clusters count."""

from __future__ import annotations

import numpy as np

from proband.pipeline.item_analysis.generalisability import facet, reliability
from proband.stats.clusters import Clusters


def test_it_is_the_correlation_with_another_set() -> None:
    rng = np.random.default_rng(0)
    c = np.repeat(np.arange(30), 8)
    values, alone, seen = [], [], []
    for _ in range(12):
        ability = rng.normal(0, 0.4, 24)
        both = [
            (ability[:, None] + 0.8 * rng.normal(0, 1, (24, 30))[:, c] + rng.logistic(0, 1, (24, 240)) > 0).astype(
                float
            )
            for _ in range(2)
        ]
        known = reliability(both[0], Clusters.named(c, 240))
        values.append(known.value)
        alone.append(known.alone)
        seen.append(np.corrcoef(both[0].mean(axis=1), both[1].mean(axis=1))[0, 1])
    assert abs(np.mean(values) - np.mean(seen)) < 0.08
    assert np.mean(alone) > np.mean(seen) + 0.03


def test_equal_systems_cannot_be_ranked_by_any_number_of_items() -> None:
    right = np.random.default_rng(1).random((8, 400)) < 0.6
    known = reliability(right.astype(float), Clusters.named(None, 400))
    assert known.value < 0.6
    assert (known.needed(0.9) or 10_000) > 2000


def test_seeds_that_differ_have_a_variance() -> None:
    rng = np.random.default_rng(2)
    clusters = Clusters.named(None, 500)
    same = [(rng.random((4, 500)) < 0.7).astype(float) for _ in range(5)]
    apart = [(rng.random((4, 500)) < np.array([0.5, 0.6, 0.7, 0.8])[:, None]).astype(float) for _ in range(5)]
    assert facet(same, clusters) < 0.001
    assert abs(facet(apart, clusters) - np.var([0.5, 0.6, 0.7, 0.8], ddof=1)) < 0.006
