"""Short tests: unbiased whatever earlier systems did, and better than a simple sample where systems are alike."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.short_tests import ShortTest, leave_one_out


def test_the_estimate_has_no_bias_even_of_a_system_unlike_all_others() -> None:
    rng = np.random.default_rng(0)
    before = (rng.random((10, 200)) < np.linspace(0.05, 0.95, 200)).astype(float)
    new = (rng.random(200) < np.linspace(0.9, 0.3, 200)).astype(float)
    found = [ShortTest.draw(before, 40, seed=seed) for seed in range(100)]
    errors = np.array([test.estimate(new[test.drawn]).mean for test in found]) - new.mean()
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(100)


def test_it_beats_counting_and_its_interval_holds() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0, 2, 400)
    right = (rng.random((12, 400)) < 1 / (1 + np.exp(d - rng.normal(0, 0.5, 12)[:, None]))).astype(float)
    known = leave_one_out(right, 60, seed=0, draws=6)
    assert known["saved"] > 0.2
    assert known["covered"] > 0.85


def test_all_wrong_is_not_known_for_certain() -> None:
    before = (np.random.default_rng(2).random((6, 100)) < 0.5).astype(float)
    found = ShortTest.draw(before, 30, seed=0).estimate(np.zeros(30))
    assert (found.mean, found.low) == (0.0, 0.0)
    assert 0.05 < found.high < 0.2


def test_a_folder_of_the_same_test_has_the_same_items() -> None:
    before = (np.random.default_rng(2).random((6, 100)) < 0.5).astype(float)
    tests = [ShortTest.draw(before, 30, seed=7) for _ in range(2)]
    assert all(np.array_equal(a.drawn, b.drawn) for a, b in combinations(tests, 2))
    with pytest.raises(ProbandError, match="can have 20 to 50, not 60"):
        ShortTest.draw(before, 60, seed=0)
