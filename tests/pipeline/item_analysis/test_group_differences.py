"""Groups that differ in ability alone do not differ on items; those that do are found."""

from __future__ import annotations

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.group_differences import group_differences
from proband.pipeline.item_analysis.item_response import fit
from proband.stats import Difference, holm_where_tested
from proband.stats.clusters import Clusters


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
