"""Intervals of shares over units that were answered several times: they cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

from proband.stats.agreement.aggregation import wilson
from proband_annotate.human_task import share, t_quantile


@pytest.mark.parametrize(("units", "answers", "correlation"), [(6, 3, 0.6), (20, 3, 0.3), (40, 5, 0.1)])
def test_the_interval_covers_where_answers_of_a_unit_go_together(units: int, answers: int, correlation: float) -> None:
    """Beta-binomial units; Wilson's interval over all answers, as if they were independent, stands beside it."""
    rng, truth, draws = np.random.default_rng(7), 0.7, 1500
    spread = (1 - correlation) / correlation
    covered, naive = 0, 0
    for _ in range(draws):
        chances = rng.beta(truth * spread, (1 - truth) * spread, units)
        hits = rng.random((units, answers)) < chances[:, None]
        figure = share([list(map(bool, row)) for row in hits])
        covered += figure["low"] <= truth <= figure["high"]
        low, high = wilson(int(hits.sum()), hits.size)
        naive += low <= truth <= high
    assert covered / draws >= 0.93, covered / draws
    assert naive / draws < covered / draws
    if correlation > 0.5:
        assert naive / draws < 0.88


def test_one_answer_a_unit_is_wilsons_interval() -> None:
    figure = share([[True], [False], [True], [True]])
    assert (figure["low"], figure["high"]) == wilson(3, 4)
    assert (figure["n"], figure["groups"]) == (4, 4)
    assert share([])["low"] is None


@pytest.mark.parametrize("freedom", [*range(1, 31), 100, 101, 999, 1000, 7699])
def test_students_quantile_is_that_of_scipy(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(float(stdtrit(freedom, 0.975)), rel=1e-10)
