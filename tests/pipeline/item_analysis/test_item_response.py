"""Difficulties, abilities and weights against other ways of computing them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.item_response import _likelihood, discrimination, fit
from proband.stats.clusters import Clusters


def simulated(seed: int, *, systems: int = 12, clusters: int = 30, each: int = 8, tau: float = 0.7) -> Any:
    """Answers, predictors (a number, a yes or no, a property of the cluster) and clusters; weights 0.6, 0.8, -0.4."""
    rng = np.random.default_rng(seed)
    c = np.repeat(np.arange(clusters), each)
    n = len(c)
    x = np.column_stack([rng.integers(2, 7, n), rng.random(n) < 0.4, (rng.random(clusters) < 0.5)[c]]).astype(float)
    d = (x - x.mean(axis=0)) @ [0.6, 0.8, -0.4] + tau * (rng.normal(0, 0.7, clusters)[c] + rng.normal(0, 1, n))
    chance = 1 / (1 + np.exp(d - rng.normal(0.3, 1, systems)[:, None]))
    return (rng.random(chance.shape) < chance).astype(float), x, c


def test_the_likelihood_of_an_item_is_the_integral() -> None:
    right, x, _ = simulated(0, clusters=3)
    at = np.concatenate([np.linspace(-1, 1, 12), [0.5, 0.3, -0.2], [np.log(0.8)]])
    x = x - x.mean(axis=0)

    def one(item: int) -> float:
        mean = float(x[item] @ at[12:15])

        def inside(d: float) -> float:
            p = 1 / (1 + np.exp(d - at[:12]))
            normal = np.exp(-((d - mean) ** 2) / (2 * 0.64)) / 0.8
            return float(normal * np.prod(np.where(right[:, item] > 0.5, p, 1 - p)))

        return float(np.log(quad(inside, -9, 9, limit=200)[0]))

    step = np.log(0.1)  # of the grid
    assert _likelihood(at, right, x)[0] + step * right.shape[1] == pytest.approx(sum(map(one, range(24))), abs=1e-5)


@pytest.mark.nightly
def test_weights_without_a_residual_are_those_of_a_logistic_regression() -> None:
    """statsmodels, a constant per system, errors clustered: where difficulties have no residual, both are the same."""
    sm = pytest.importorskip("statsmodels.api")
    right, x, c = simulated(1, tau=0.0)
    systems, n = right.shape
    design = np.column_stack([np.kron(np.eye(systems), np.ones((n, 1))), np.tile(x - x.mean(axis=0), (systems, 1))])
    other = sm.GLM(right.ravel(), -design, family=sm.families.Binomial())
    result = other.fit(cov_type="cluster", cov_kwds={"groups": np.tile(c, systems)})
    ours = fit(right, x).weights(Clusters.named(c, n))
    assert [each.value for each in ours] == pytest.approx(result.params[-3:], abs=0.06)
    widths = [(each.high - each.low) / 2 / 1.96 for each in ours]
    ratio = np.array(widths) / result.bse[-3:]  # a plain sandwich is too narrow with 30 clusters
    assert ((ratio > 0.95) & (ratio < 1.5)).all()


def test_weights_are_in_their_intervals_and_shuffled_answers_give_none() -> None:
    covered, found = 0, 0
    for seed in range(8):
        right, x, c = simulated(seed)
        clusters = Clusters.named(c, right.shape[1])
        weights = fit(right, x).weights(clusters)
        covered += sum(each.low <= true <= each.high for each, true in zip(weights, (0.6, 0.8, -0.4)))
        shuffled = right[:, np.random.default_rng(seed).permutation(right.shape[1])]
        found += sum((each.p or 1.0) < 0.05 for each in fit(shuffled, x).weights(clusters))
    assert covered >= 20
    assert found <= 4


def test_an_item_is_not_its_own_judge() -> None:
    """Its cluster neighbours are no others: with copies of one item a cluster would agree with itself."""
    rng = np.random.default_rng(0)
    right = (rng.random((40, 60)) < np.linspace(0.1, 0.9, 40)[:, None]).astype(float)
    copies = np.column_stack([right, *[1 - right[:, :1]] * 20])
    told = discrimination(copies, Clusters.named([*range(60), *[60] * 20], 80))
    brute = np.corrcoef(copies[:, 70], right.mean(axis=1))[0, 1]
    assert told[70] == pytest.approx(brute)
    assert told[70] < 0 < told[:60].min() + 0.5


def test_too_few_runs_are_refused_in_one_line() -> None:
    with pytest.raises(ProbandError, match="there are 4 systems on 30 items"):
        fit(np.ones((4, 30)))
