"""Means over groups that weigh the same."""

from __future__ import annotations

import numpy as np

from proband.stats import Macro, Scores, macro_mean


def macro(x: list[float], groups: list[int], clusters: list[int] | None = None) -> Scores:
    return Scores.of(x, tags={"group": groups}, estimator=Macro(by="group"), clusters=clusters)


def test_a_perfect_score_is_never_less_certain_than_one_with_errors() -> None:
    """120 of 120 right in 40 groups was [53, 100], with 4 wrong [85, 99]."""
    groups = [i % 40 for i in range(120)]
    perfect, wrong = macro([1.0] * 120, groups).interval(), macro([0.0] * 4 + [1.0] * 116, groups).interval()
    assert perfect.low > 0.95
    assert perfect.high - perfect.low <= wrong.high - wrong.low


def test_groups_weigh_the_same_and_intervals_cover() -> None:
    rng, covered = np.random.default_rng(0), 0
    groups = np.repeat(np.arange(6), [40, 30, 20, 10, 8, 6])
    rates = np.array([0.9, 0.5, 0.7, 0.3, 0.8, 0.6])
    for _ in range(400):
        x = (rng.random(len(groups)) < rates[groups]).astype(float)
        scores = macro(x.tolist(), groups.tolist())
        assert abs(scores.value - macro_mean(x, groups)) < 1e-9
        found = scores.interval()
        covered += found.low <= rates.mean() <= found.high
    assert 0.92 <= covered / 400 <= 0.985


def test_a_group_of_one_cluster_does_not_hide_its_variance() -> None:
    groups = [0] * 50 + [1] * 50 + [2, 3]
    lone = macro([1.0, 0.0] * 50 + [1.0, 0.0], groups).interval()
    assert lone.few or lone.high - lone.low > 0.3


def test_with_clusters_a_perfect_score_counts_clusters() -> None:
    """Forty groups in ten clusters: nothing shows how alike the items of a cluster are, so a cluster is one
    observation. Errors in several clusters show that, and their interval is shorter (docs/statistics.md, limits)."""
    groups, clusters = [i // 3 for i in range(120)], [i // 12 for i in range(120)]
    perfect = macro([1.0] * 120, groups, clusters).interval()
    ten = Scores.of([1.0] * 10).interval()
    assert abs(perfect.low - ten.low) < 0.01
    spread = macro([float(i % 36 != 0) for i in range(120)], groups, clusters).interval()
    assert spread.high - spread.low < perfect.high - perfect.low
