"""Means follow units and clusters; training seeds are a second source of chance."""

from __future__ import annotations

import numpy as np
import pytest

from proband import stats

RNG = np.random.default_rng(28)
TEXTS = [f"text {i // 3}" for i in range(120)]
A, B = ((RNG.random(120) < share).astype(float) for share in (0.7, 0.55))


def test_means_follow_units_and_clusters() -> None:
    plain, shared = stats.mean(A), stats.mean(A, clusters=TEXTS)
    assert plain.low < plain.mean < plain.high
    assert shared.high - shared.low >= plain.high - plain.low
    assert stats.mean([1.0] * 20).high == 1.0  # a share stays inside [0, 1]
    seconds = stats.mean(A * 30)
    assert seconds.high > 1
    assert stats.mean(A[:5]).few
    crossed = stats.mean(A, clusters=[(text, f"template {i % 7}") for i, text in enumerate(TEXTS)])
    assert crossed.high - crossed.low >= shared.high - shared.low


def test_training_seeds_are_a_second_source_of_chance() -> None:
    runs = [np.clip(A + shift, 0, 1) for shift in (0, 0, 0)]
    runs[1] = np.where(np.arange(120) < 20, 0.0, runs[1])
    runs[2] = np.where(np.arange(120) >= 100, 0.0, runs[2])
    one = stats.mean(np.mean(runs, axis=0))
    several = stats.mean(runs)
    assert several.mean == pytest.approx(one.mean)
    assert several.from_seeds is not None
    assert several.high - several.low > one.high - one.low
    assert stats.difference(A, B, seeds=True).note == "one seed: training chance unknown"
    assert stats.difference(runs, B).note == ""
