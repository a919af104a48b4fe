"""Holm's adjustment against closed testing by enumeration; a score above several levels at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from proband.stats import Scores
from proband.stats.multiple_tests import beats_all, holm, holm_where_tested


def closed(p: Sequence[float]) -> list[float]:
    """The largest p-value, by Bonferroni, of all sets of hypotheses that contain one (Marcus, Peritz and Gabriel)."""
    sets = [each for size in range(1, len(p) + 1) for each in combinations(range(len(p)), size)]
    bonferroni = {each: min(1.0, len(each) * min(p[at] for at in each)) for each in sets}
    return [max(value for each, value in bonferroni.items() if at in each) for at in range(len(p))]


def test_holm_is_closed_testing_by_bonferroni() -> None:
    rng = random.Random(0)
    for _ in range(40):
        p = [rng.choice((0.001, 0.01, 0.02, 0.5, rng.random())) for _ in range(rng.randint(1, 6))]
        assert holm(p) == pytest.approx(closed(p))
    assert holm([]) == []


def test_a_comparison_without_a_test_changes_no_other() -> None:
    assert holm_where_tested([None, 0.04, None, 0.01]) == [None, 0.04, None, 0.02]
    assert holm_where_tested([None]) == [None]


def test_the_level_that_is_hardest_to_beat_decides() -> None:
    mine = Scores.of([1.0] * 45 + [0.0] * 15)
    other = Scores.of([1.0] * 40 + [0.0] * 20)
    tests = [mine.against(0.25), mine.against(0.5), mine.minus(other)]
    assert tests[2].p is not None
    assert beats_all(mine, [0.25, 0.5, other]).p == max(each.p or 0.0 for each in tests)
    assert beats_all(mine, [0.25, 0.75]).p == 1.0  # as good is not better
    assert beats_all(mine, [0.25, 0.9]).p == 1.0  # far below, however significant
