"""Against scipy and enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from proband.core import distributions


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_kolmogorov_smirnov_is_the_enumeration_of_all_labellings(a: list[int], b: list[int]) -> None:
    """The null distribution is that of n + m distinct values, n of them drawn to be the first sample."""
    gap, p = distributions.ks_2samp(a, b)
    by_hand = max(abs(np.mean(np.array(a) <= x) - np.mean(np.array(b) <= x)) for x in a + b)
    assert gap == pytest.approx(by_hand)
    n, size = len(a), len(a) + len(b)
    gaps = []
    for first in combinations(range(size), n):
        rest = [i for i in range(size) if i not in first]
        steps = [sum(i <= x for i in first) / n - sum(i <= x for i in rest) / len(rest) for x in range(size)]
        gaps.append(max(abs(step) for step in steps))
    assert p == pytest.approx(np.mean(np.array(gaps) >= gap - 1e-9))


def test_kolmogorov_smirnov_of_large_samples() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=12_000), rng.normal(0.02, size=11_000)
    theirs = scipy_stats.ks_2samp(a, b, method="asymp")
    assert distributions.ks_2samp(a, b) == pytest.approx((theirs.statistic, theirs.pvalue), abs=0.01)
    middle = scipy_stats.ks_2samp(a[:900], b[:1100], method="exact")
    assert distributions.ks_2samp(a[:900], b[:1100]) == pytest.approx((middle.statistic, middle.pvalue), abs=1e-9)


@given(st.floats(0.001, 0.999), st.floats(1, 400))
def test_student_quantile_is_scipys(share: float, freedom: float) -> None:
    assert distributions.student_quantile(share, freedom) == pytest.approx(
        scipy_stats.t.ppf(share, freedom), rel=1e-6, abs=1e-6
    )
