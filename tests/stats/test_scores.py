"""Means follow units and clusters; training seeds are a second source of chance."""

from __future__ import annotations

import numpy as np
import pytest

from proband import stats
from proband.stats import Scores
from proband.stats.clusters import Clusters, seeds_of

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


def test_nets_of_several_sets_show_their_spread_within_sets() -> None:
    """Five sets of items with two nets each: two selections of items are compared with five degrees of freedom for the
    nets, not with the one of two pooled runs."""
    rng = np.random.default_rng(0)
    sets, column = np.repeat(np.arange(5), 40), np.tile(np.repeat([0, 1], 20), 5)
    shift = rng.normal(0.0, 0.1, size=(2, 5, 2))
    numbers = 0.6 + shift[:, sets, column] + rng.normal(0.0, 0.1, size=(2, 200))
    clusters, widths = Clusters.of([(str(at // 4),) for at in range(200)]), []
    for own in (sets, None):
        chosen = [np.flatnonzero(column == which) for which in (0, 1)]
        one, other = (
            Scores(numbers=numbers[:, rows], items=rows, clusters=clusters, places=rows, trained=True,
                   sets=None if own is None else own[rows])
            for rows in chosen
        )  # fmt: skip
        found = one.minus_selection(other, same_runs=True)
        widths.append(found.high - found.low)
        if own is not None:
            apart = [[one.numbers[run, one.sets == each].mean() - other.numbers[run, other.sets == each].mean()
                      for each in range(5)] for run in (0, 1)]  # fmt: skip
            moved = np.array(apart) / 5
            between = ((moved[0] - moved[1]) ** 2 / 2).sum() / 2
            assert found.from_seeds is not None
            assert 0 < found.from_seeds < 1
            assert seeds_of(moved, trained=True).variance == pytest.approx(between)
            assert seeds_of(moved, trained=True).count == 6
    assert widths[0] < widths[1] / 2


def test_a_selection_has_exactly_the_items_with_its_tags() -> None:
    relations = Scores.of([1, 1, 0, 0], tags={"rel": ["capital", "capital", "colour", "colour"], "k": ["a", 1, 1, 2]})
    assert len(relations.where(rel=("capital-of",))) == 0
    assert len(relations.where(rel=("capital", "capital-of"))) == 2
    assert [len(relations.where(k=k)) for k in (1, "1", ("a", 2))] == [2, 0, 2]


def test_a_share_less_a_mean_is_a_difference_of_means() -> None:
    share, mean = Scores.of([1, 0] * 20), Scores.of([1, 2, 3, 4] * 10)
    found, turned = share.minus(mean), mean.minus(share)
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low))
    assert found.high == pytest.approx(stats.difference([1, 0] * 20, [1, 2, 3, 4] * 10).high)


def test_a_difference_from_a_constant_is_shown_equal_within_a_margin() -> None:
    numbers = (np.arange(20000) % 4 == 0).astype(float)
    for scores, constant in ((Scores.of(numbers), 0.25), (Scores.of(numbers * 8), 2.0)):
        near, far = (scores.against(constant).equal_within(part * constant) for part in (0.1, 0.01))
        assert near is not None
        assert far is not None
        assert near < 0.001 < 0.05 < far
        assert (scores.against(0.0).equal_within(0.1) or 0.0) > 0.5
    assert Scores.of(numbers).against(0.26).equal_within(0.005) > 0.5  # type: ignore[operator]


def test_sets_add_up_to_the_value_also_of_a_macro_mean() -> None:
    numbers, sets = (np.random.default_rng(0).random((3, 60)) < 0.6).astype(float), np.array([0, 1] * 30)
    macro = Scores.of(numbers, tags={"r": ["a"] * 50 + ["b"] * 10}, estimator=stats.Macro(by="r"), sets=sets)
    assert macro.by_set.sum(axis=1) == pytest.approx(macro.values)
