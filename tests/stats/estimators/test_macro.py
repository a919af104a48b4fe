"""Means over groups that weigh the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.stats import Macro, Scores, Share, macro_mean


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


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_with_clusters_no_score_with_errors_has_a_shorter_interval_than_a_perfect_one(data: st.DataObject) -> None:
    """Clusters inside groups, across them, or crossed with them; errors in one cluster or in several."""
    n, count = data.draw(st.integers(24, 160)), data.draw(st.integers(2, 12))
    groups = [data.draw(st.integers(0, count - 1)) if n < 60 else i % count for i in range(n)]
    size, across = data.draw(st.integers(1, n // 7)), data.draw(st.booleans())
    clusters = [i // size if across else (groups[i], i // size) for i in range(n)]
    wrong = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=8))
    x = [float(i not in wrong) for i in range(n)]
    for estimator in (Macro(by="group"), Share()):
        bands = [
            Scores.of(numbers, tags={"group": groups}, estimator=estimator, clusters=clusters).interval()
            for numbers in ([1.0] * n, x)
        ]
        assert bands[0].high - bands[0].low <= bands[1].high - bands[1].low + 1e-9


def test_forty_groups_in_ten_clusters() -> None:
    """Four errors in different clusters show that the items of a cluster are not alike, which a perfect score does not
    show; its interval was three times as long as theirs."""
    groups, clusters = [i // 3 for i in range(120)], [i // 12 for i in range(120)]
    perfect = macro([1.0] * 120, groups, clusters).interval()
    wrong = macro([float(i % 36 != 0) for i in range(120)], groups, clusters).interval()
    assert (round(perfect.low, 3), round(wrong.low, 3)) == (0.898, 0.889)
    assert perfect.high - perfect.low <= wrong.high - wrong.low
