"""Metrics over sets against enumeration and scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from proband.stats.ranking import accuracy_of_decisions, area_under_roc, average_precision, best_threshold, f1


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Records with ties and both kinds of truth, and counts as weights, some of them zero."""
    rng = np.random.default_rng(seed)
    truth = np.r_[0.0, 1.0, rng.integers(0, 2, 18)]
    records = np.stack([rng.integers(-3, 4, 20).astype(float), truth], axis=1)
    return records, np.r_[1.0, 1.0, rng.integers(0, 3, 18)].astype(float)


def repeated(records: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A record that weighs 2 is two records, one that weighs 0 is none."""
    made: np.ndarray = np.repeat(records, weights.astype(int), axis=0)
    return made


@pytest.mark.parametrize("seed", range(12))
def test_the_area_under_the_curve_counts_pairs(seed: int) -> None:
    records, weights = drawn(seed)
    every = repeated(records, weights)
    true, false = every[every[:, 1] == 1, 0], every[every[:, 1] == 0, 0]
    pairs = [1.0 if t > f else 0.5 if t == f else 0.0 for t, f in product(true, false)]
    assert area_under_roc(records, weights) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("seed", range(12))
def test_average_precision_and_f1_are_those_of_scikit_learn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    records, weights = drawn(seed)
    every = repeated(records, weights)
    assert average_precision(records, weights) == pytest.approx(
        sklearn.average_precision_score(every[:, 1], every[:, 0])
    )
    assert f1(records, weights) == pytest.approx(sklearn.f1_score(every[:, 1], every[:, 0] > 0, zero_division=0.0))


@pytest.mark.parametrize("seed", range(12))
def test_no_other_threshold_is_better(seed: int) -> None:
    records, _ = drawn(seed)
    scores, truth = records[:, 0], records[:, 1]

    def right(level: float) -> int:
        return int(((scores >= level) == (truth > 0.5)).sum())

    best = best_threshold(scores, truth)
    levels = [*scores.tolist(), float("inf")]
    assert right(best) == max(map(right, levels))
    assert not any(right(level) == right(best) and level > best for level in levels)


def test_what_is_missing_has_an_answer_and_nothing_is_nan() -> None:
    one_kind, none = np.array([[1.0, 1.0], [2.0, 1.0]]), np.zeros(2)
    for metric in (area_under_roc, average_precision, f1, accuracy_of_decisions):
        for weights in (np.ones(2), none):
            assert 0.0 <= metric(one_kind, weights) <= 1.0
            assert 0.0 <= metric(one_kind * [[1.0, 0.0]], weights) <= 1.0
