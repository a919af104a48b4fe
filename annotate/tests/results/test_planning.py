"""Plans against simulation: the interval is as wide as promised, the rule as right as promised."""

from __future__ import annotations

import numpy as np
import pytest

from proband_annotate.results.planning import intraclass, labels_needed, reliability


@pytest.mark.parametrize(("per_unit", "correlation"), [(1, 0.0), (20, 0.15)])
def test_the_interval_is_as_wide_as_wanted(per_unit: int, correlation: float) -> None:
    """Shares of units from a beta distribution with that intra-class correlation: 95 % of the means lie within h."""
    rng, share, half = np.random.default_rng(0), 0.3, 0.05
    units = -(-labels_needed(half, share=share, per_unit=per_unit, correlation=correlation) // per_unit)
    strength = 1 / correlation - 1 if correlation else 1e6
    own = rng.beta(share * strength, (1 - share) * strength, size=(4000, units))
    means = rng.binomial(per_unit, own).sum(axis=1) / (units * per_unit)
    assert (np.abs(means - share) <= half).mean() == pytest.approx(0.95, abs=0.015)


def test_the_rule_is_as_right_as_people_let_it_be() -> None:
    rng = np.random.default_rng(1)
    said = rng.choice(3, p=[0.8, 0.1, 0.1], size=(200_000, 5))
    counts = np.stack([(said == label).sum(axis=1) for label in range(3)], axis=1)
    kept = counts.max(axis=1) >= 4
    found, right = reliability(5, 4, accuracy=0.8, labels=3)
    assert found == pytest.approx(kept.mean(), abs=0.004)
    assert right == pytest.approx((counts[kept, 0] >= 4).mean(), abs=0.002)


def test_the_correlation_is_recovered() -> None:
    rng = np.random.default_rng(2)
    own = rng.beta(0.4 * 4, 0.6 * 4, size=2000)  # 1 / (4 + 1)
    groups = [rng.binomial(1, p, size=8).astype(float).tolist() for p in own]
    assert intraclass(groups) == pytest.approx(0.2, abs=0.03)
