"""Difficulties, abilities, reliabilities, groups and short tests, against other ways of computing them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis import ShortTest, _likelihood, discrimination, fit, group_differences, reliability
from proband.stats import Difference, holm_where_tested
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
    discriminations = discrimination(copies, Clusters.named([*range(60), *[60] * 20], 80))
    brute = np.corrcoef(copies[:, 70], right.mean(axis=1))[0, 1]
    assert discriminations[70] == pytest.approx(brute)
    assert discriminations[70] < 0 < discriminations[:60].min() + 0.5


def test_too_few_runs_are_refused_in_one_line() -> None:
    with pytest.raises(ProbandError, match="there are 4 systems on 30 items"):
        fit(np.ones((4, 30)))


# ---- reliability: the correlation of two sets of items; clusters count -----------------------------------------------


def test_it_is_the_correlation_with_another_set() -> None:
    rng = np.random.default_rng(0)
    c = np.repeat(np.arange(30), 8)
    values, alone, seen = [], [], []
    for _ in range(12):
        ability = rng.normal(0, 0.4, 24)
        both = [
            (ability[:, None] + 0.8 * rng.normal(0, 1, (24, 30))[:, c] + rng.logistic(0, 1, (24, 240)) > 0).astype(
                float
            )
            for _ in range(2)
        ]
        known = reliability(both[0], Clusters.named(c, 240))
        values.append(known.value)
        alone.append(reliability(both[0], Clusters.named(None, 240)).value)
        seen.append(np.corrcoef(both[0].mean(axis=1), both[1].mean(axis=1))[0, 1])
    assert abs(np.mean(values) - np.mean(seen)) < 0.08
    assert np.mean(alone) > np.mean(seen) + 0.03


def test_equal_systems_cannot_be_ranked_by_any_number_of_items() -> None:
    right = np.random.default_rng(1).random((8, 400)) < 0.6
    known = reliability(right.astype(float), Clusters.named(None, 400))
    assert known.value < 0.6
    assert (known.needed(0.9)[0] or 10_000) > 2000


# ---- groups that differ in ability alone do not differ on items; those that do are found -----------------------------


def found_in(seed: int, *, gap: float = 0.0, dif: float = 0.0) -> tuple[list[Difference], list[float | None]]:
    rng = np.random.default_rng(seed)
    c = np.repeat(np.arange(30), 8)
    tag, group = c % 5, np.arange(16) < 8
    d = rng.normal(0, 0.5, 30)[c] + rng.normal(0, 0.8, 240) + (tag - 2) * 0.7
    z = rng.normal(0, 0.7, 16)[:, None] + gap * group[:, None] - d + dif * np.outer(group, tag == 1)
    right = (rng.random(z.shape) < 1 / (1 + np.exp(-z))).astype(float)
    sets = {str(value): tag == value for value in range(5)}
    found = list(group_differences(fit(right), group, sets, Clusters.named(c, 240)).values())
    return found, holm_where_tested([each.p for each in found])


def test_ability_alone_is_no_difference_and_a_planted_one_is_found() -> None:
    null = [min(p or 0.0 for p in found_in(seed, gap=1.5)[1]) < 0.05 for seed in range(12)]
    assert sum(null) <= 2
    found = [found_in(seed, dif=1.5) for seed in range(4)]
    assert all(effects[1].low > 0 for effects, _ in found)
    assert sum((corrected[1] or 0.0) < 0.05 for _, corrected in found) >= 3


def test_small_groups_are_refused() -> None:
    with pytest.raises(ProbandError, match="groups of 2 and 6 systems are too few"):
        right = np.random.default_rng(0).random((8, 40)) < 0.5
        known = fit(right)
        group_differences(known, np.arange(8) < 2, {"all": np.ones(40, bool)}, Clusters.named(None, 40))


# ---- short tests: unbiased whatever earlier systems did, better than a simple sample where systems are alike ---------


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
