"""Intervals of shares over units that were answered several times: they cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from proband.stats.scores import Scores
from proband_annotate.human_task import share
from proband_annotate.tasks import task


@pytest.mark.parametrize(("units", "answers", "correlation"), [(6, 3, 0.6), (20, 3, 0.3), (40, 5, 0.1)])
def test_the_interval_covers_where_answers_of_a_unit_go_together(units: int, answers: int, correlation: float) -> None:
    """Beta-binomial units; Wilson's interval over all answers, as if they were independent, for comparison."""
    rng, truth, draws = np.random.default_rng(7), 0.7, 500
    spread = (1 - correlation) / correlation
    covered, naive = 0, 0
    for _ in range(draws):
        chances = rng.beta(truth * spread, (1 - truth) * spread, units)
        hits = rng.random((units, answers)) < chances[:, None]
        figure = share([list(map(bool, row)) for row in hits])
        covered += figure["low"] <= truth <= figure["high"]
        alone = binomtest(int(hits.sum()), hits.size).proportion_ci(method="wilson")
        naive += alone.low <= truth <= alone.high
    assert covered / draws >= 0.93, covered / draws
    assert naive / draws < covered / draws
    if correlation > 0.5:
        assert naive / draws < 0.88


def test_a_share_has_the_interval_that_reports_give() -> None:
    figure = share([[True, True], [False], [], [True, False]])
    found = Scores.of([1.0, 1.0, 0.0, 1.0, 0.0], clusters=["a", "a", "b", "c", "c"]).interval()
    assert (figure["here"], figure["low"], figure["high"]) == (0.6, found.low, found.high)
    assert (figure["n"], figure["groups"]) == (5, 3)
    assert share([])["low"] is None


def test_the_share_of_a_known_answer_is_by_part() -> None:
    work, body = task("judge"), {"candidates": [{"id": "a"}, {"id": "b"}]}
    given = {"labels": {"a": "yes", "b": "no"}}
    assert [work.share_right(body, given, gold) for gold in ({"a": "yes", "b": "yes"}, {"b": "no"}, None)] == [
        0.5,
        1,
        1,
    ]
    assert task("solve").share_right({}, {"choice": "aunt"}, "niece") == 0.0
