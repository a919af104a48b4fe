"""The power that a plan states, against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from statsmodels.stats.power import TTestPower

from proband.core.statistics.clusters import Clusters, Floats, Neighbours
from proband.core.statistics.planning import Pilot, grown, largest, needed
from proband.core.statistics.spread import difference_of, neighbours_correlation, p_value, spread


def groups(count: int, size: int) -> Neighbours:
    names = [(str(k),) for k in range(count) for _ in range(size)]
    return Neighbours.of(Clusters.of(names), np.arange(len(names)))


def answers(count: int, size: int, *, better: float, repetitions: int, seed: int) -> Floats:
    """Differences of two systems (accuracy 0.6 + better and 0.6) in clusters with a correlation."""
    rng = np.random.default_rng(seed)
    effects, own = rng.standard_normal((3, repetitions, count, 1)), rng.standard_normal((3, repetitions, count, size))
    each = np.sqrt(0.3) * effects + np.sqrt(0.7) * own
    a, b = ((each[0] + each[k]) / np.sqrt(2) for k in (1, 2))
    d: Floats = (a < ndtri(0.6 + better)).astype(float) - (b < ndtri(0.6)).astype(float)
    return d.reshape(repetitions, -1)


def test_a_plan_from_a_pilot_has_the_power_it_states() -> None:
    pilot = answers(4000, 6, better=0.05, repetitions=1, seed=0)[0]
    u, shared = pilot - pilot.mean(), groups(4000, 6)
    known = Pilot(
        dependence=shared, square=float((u**2).mean()), correlation=float(neighbours_correlation(u, shared, safe=False))
    )
    found = needed(known, 0.08, power=0.8, by="clusters")
    assert found
    count = round(4000 * found.clusters)
    d, fewer = answers(count, 6, better=0.08, repetitions=1200, seed=1), groups(count, 6)
    mean = d.mean(axis=1)
    centre, error, freedom = difference_of(mean, spread(d - mean[:, None], fewer), fewer, share=True)
    assert (p_value(centre, error, freedom) < 0.05).mean() == pytest.approx(0.8, abs=0.04)


def test_items_of_their_own_are_planned_like_students_test() -> None:
    shared = groups(120, 1)
    found = grown(Pilot(dependence=shared, square=1.0, correlation=0.1, share=False))
    theirs = TTestPower().power(effect_size=0.25, nobs=120, alpha=0.05)
    assert found.power(0.25) == pytest.approx(theirs, abs=0.01)
    assert found.power(found.detectable) == pytest.approx(0.8)


def test_more_items_in_the_same_clusters_have_a_limit() -> None:
    pilot = Pilot(dependence=groups(20, 5), square=0.4, correlation=0.2)
    assert needed(pilot, 0.02, power=0.8, by="within") is None
    clusters, items = (needed(pilot, 0.25, power=0.8, by=by) for by in ("clusters", "within"))
    assert clusters
    assert items
    assert clusters.power(0.25) == pytest.approx(0.8, abs=0.002)
    assert items.power(0.25) == pytest.approx(0.8, abs=0.002)
    assert clusters.clusters * 20 >= 6


def test_the_interval_of_a_plan_contains_the_number_that_is_needed() -> None:
    """Pilots of 24 clusters: 95 % of their intervals contain the number that a very large pilot gives."""
    true = _pilot(answers(4000, 6, better=0.05, repetitions=1, seed=0)[0], groups(4000, 6))
    exact = needed(true, 0.08, power=0.8, by="clusters")
    assert exact
    wanted, shared, inside, numbers = 4000 * exact.clusters, groups(24, 6), [], []
    for d in answers(24, 6, better=0.05, repetitions=400, seed=2):
        plan, (low, high) = largest(_pilot(d, shared), 0.08, power=0.8, by="clusters")
        assert plan
        assert low
        assert high
        assert low.clusters <= plan.clusters <= high.clusters
        inside.append(24 * low.clusters <= wanted <= 24 * high.clusters)
        numbers.append(24 * plan.clusters)
    assert 0.93 <= np.mean(inside) <= 0.99
    assert np.quantile(numbers, 0.975) / np.quantile(numbers, 0.025) > 2  # a number alone says little


def _pilot(d: Floats, shared: Neighbours) -> Pilot:
    u = d - d.mean()
    rho = float(neighbours_correlation(u, shared, safe=False))
    return Pilot(dependence=shared, square=float((u**2).mean()), correlation=rho)
