"""The reliability of an order is the correlation of two sets of items, and clusters count."""

from __future__ import annotations

import numpy as np

from proband.pipeline.item_analysis.generalisability import reliability
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
        alone.append(reliability(both[0], Clusters.named(None, 240)).value)
        seen.append(np.corrcoef(both[0].mean(axis=1), both[1].mean(axis=1))[0, 1])
    assert abs(np.mean(values) - np.mean(seen)) < 0.08
    assert np.mean(alone) > np.mean(seen) + 0.03


def test_equal_systems_cannot_be_ranked_by_any_number_of_items() -> None:
    right = np.random.default_rng(1).random((8, 400)) < 0.6
    known = reliability(right.astype(float), Clusters.named(None, 400))
    assert known.value < 0.6
    assert (known.needed(0.9)[0] or 10_000) > 2000
