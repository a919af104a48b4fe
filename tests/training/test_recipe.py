"""Rates, lengths and early stopping, worked out on paper."""

from __future__ import annotations

import pytest

from proband.training.recipe import Line, Recipe


def curve(*values: float) -> list[Line]:
    return [{"valid": value} for value in values]


def test_lengths_in_epochs_and_steps() -> None:
    assert Recipe(epochs=3, batch=10).length(41) == (3, 15)  # four whole batches and one of a single example
    assert Recipe(steps=11, batch=10).length(41) == (3, 11)  # two whole epochs and a step


def test_rates_of_three_schedules() -> None:
    assert [Recipe(rate=2.0).rate_at(step, 40) for step in (0, 20, 40)] == pytest.approx([2.0, 1.02, 0.04])
    linear = Recipe(rate=2.0, schedule="linear", warmup=4)
    assert [linear.rate_at(step, 24) for step in (1, 4, 9, 24)] == pytest.approx([0.5, 2.0, 1.5, 0.0])
    constant = Recipe(rate=2.0, schedule="constant", warmup=2)
    assert [constant.rate_at(step, 24) for step in (1, 2, 24)] == [1.0, 2.0, 2.0]


def test_patience_counts_epochs_without_a_better_score() -> None:
    recipe = Recipe(patience=2)
    assert not recipe.finished(curve(0.5, 0.4, 0.6), "high")
    assert not recipe.finished(curve(0.5, 0.4, 0.5), "low")
    assert recipe.finished(curve(0.5, 0.5, 0.5), "low")  # the same score is not better
    assert not recipe.finished(curve(0.4, 0.4, 0.5), "high")
    assert recipe.finished(curve(0.6, 0.5, 0.4), "high")
    assert not Recipe(patience=2, patience_from=1).finished(curve(0.6, 0.5, 0.4), "high")
    assert Recipe(patience=2, patience_from=1).finished(curve(0.6, 0.5, 0.4, 0.3), "high")
    assert not Recipe().finished(curve(1.0, 0.0, 0.0, 0.0), "high")


def test_a_margin_is_asked_of_the_epoch_before() -> None:
    values = curve(3.0, 2.0, 1.9, 1.85)
    assert not Recipe(patience=2, better_than="previous").finished(values, "low")
    assert Recipe(patience=2, better_than="previous", margin=0.2).finished(values, "low")
    assert Recipe(patience=2, better_than="previous").finished(curve(1.0, 1.0, 1.0), "low")


def test_the_first_of_the_best_epochs_is_kept() -> None:
    assert Recipe().kept(curve(0.1, 0.7, 0.2, 0.7), "high") == 1
    assert Recipe().kept(curve(0.1, 0.7, 0.1), "low") == 0
    assert Recipe(keep="last").kept(curve(0.1, 0.7, 0.2), "high") == 2
