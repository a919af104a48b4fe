"""Short tests: unbiased whatever earlier systems did, and better than a simple sample where systems are alike."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.short_tests import ShortTest


def test_the_estimate_has_no_bias_even_of_a_system_unlike_all_others() -> None:
    rng = np.random.default_rng(0)
    before = (rng.random((10, 200)) < np.linspace(0.05, 0.95, 200)).astype(float)
    new = (rng.random(200) < np.linspace(0.9, 0.3, 200)).astype(float)
    found = [ShortTest.draw(before, 40, seed=seed) for seed in range(100)]
    errors = np.array([test.estimate(new[test.drawn]).mean for test in found]) - new.mean()
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(100)


def test_it_beats_a_simple_sample_and_its_interval_covers() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0, 2, 400)
    right = (rng.random((12, 400)) < 1 / (1 + np.exp(d - rng.normal(0, 0.5, 12)[:, None]))).astype(float)
    errors, covered = [], []
    for system, own in enumerate(right):
        for seed in range(6):
            test = ShortTest.draw(np.delete(right, system, axis=0), 60, seed=seed)
            found = test.estimate(own[test.drawn])
            errors.append(found.mean - own.mean())
            covered.append(found.low <= own.mean() <= found.high)
    simple = right.var(axis=1).mean() / 60 * (400 - 60) / 399  # without replacement
    assert np.mean(np.square(errors)) < 0.8 * simple
    assert np.mean(covered) > 0.85


def test_all_wrong_is_not_known_for_certain() -> None:
    before = (np.random.default_rng(2).random((6, 100)) < 0.5).astype(float)
    found = ShortTest.draw(before, 30, seed=0).estimate(np.zeros(30))
    assert (found.mean, found.low) == (0.0, 0.0)
    assert 0.05 < found.high < 0.2


def test_a_folder_of_the_same_test_has_the_same_items() -> None:
    before = (np.random.default_rng(2).random((6, 100)) < 0.5).astype(float)
    tests = [ShortTest.draw(before, 30, seed=7) for _ in range(2)]
    assert all(np.array_equal(a.drawn, b.drawn) for a, b in combinations(tests, 2))
    with pytest.raises(ProbandError, match="has 20 to 50 items, not 60"):
        ShortTest.draw(before, 60, seed=0)
