"""Items that are harder for one group of systems than their ability explains (differential item functioning).

With E_si the answer of system s to item i less what the model of item_response.py expects, a group differs on some
items by the weight of g in

    mean over the items of E_si = a + b theta_s + c g_s,

so that neither ability nor items that tell abilities apart better than others look like a difference of groups. c is
a sum over systems and a mean over items: it is tested over both. The p-value is the larger of Student's over systems
(other models of the family) and ours over clusters of items (other items of the kind), the interval holds both, and all
tests of one call are corrected together (Holm).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.item_response import Fit
from proband.stats import Mean, Scores, holm, holm_where_tested
from proband.stats.clusters import Clusters, Floats
from proband.stats.variance import p_value, quantile

LEAST_IN_GROUP = 3


@dataclass(frozen=True, kw_only=True)
class GroupDifference:
    """How much more often than its ability explains the group is right on these items (a share)."""

    items: str
    value: float
    low: float
    high: float
    p: float | None
    p_holm: float | None
    n: int
    few: bool


def group_differences(
    fit: Fit, group: NDArray[np.bool_], sets: Mapping[str, NDArray[np.bool_]], clusters: Clusters
) -> list[GroupDifference]:
    """The systems of `group` against the others, on each of these sets of items."""
    return _differences(fit.right - fit.expected, _design(fit, group), sets, clusters)


def paired_differences(
    one: Floats, other: Floats, sets: Mapping[str, NDArray[np.bool_]], clusters: Clusters
) -> list[GroupDifference]:
    """The same systems on two forms of the same items (`one`, `other`: residuals of one model of both)."""
    return _differences(one - other, np.ones((len(one), 1)), sets, clusters)


def item_differences(fit: Fit, group: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Of every single item: by how much more often than its ability explains the group is right, and a p-value
    corrected for all items (Holm). Other items say nothing of one: tested over systems alone, with no less than the
    variance that the model gives to answers."""
    design = _design(fit, group)
    inverse: Floats = np.asarray(np.linalg.pinv(design), dtype=np.float64)
    residual, variance = fit.right - fit.expected, fit.expected * (1 - fit.expected)
    value: Floats = inverse[-1] @ residual
    robust = _over_systems(residual, design, inverse)[0]
    error = np.sqrt(np.maximum(robust**2, inverse[-1] ** 2 @ variance))
    return value, np.array(holm(p_value(value, error, np.array(np.inf)).tolist()))


def _design(fit: Fit, group: NDArray[np.bool_]) -> Floats:
    if min(int(group.sum()), int((~group).sum())) < LEAST_IN_GROUP:
        raise ProbandError(
            f"groups of {int(group.sum())} and {int((~group).sum())} systems are too few to compare: "
            f"{LEAST_IN_GROUP} in each are needed"
        )
    return np.column_stack([np.ones(len(group)), fit.theta - fit.theta.mean(), group])


def _differences(
    residual: Floats, design: Floats, sets: Mapping[str, NDArray[np.bool_]], clusters: Clusters
) -> list[GroupDifference]:
    """The last column of the design is tested."""
    inverse: Floats = np.asarray(np.linalg.pinv(design), dtype=np.float64)
    of_items = inverse[-1] @ residual
    means = np.column_stack([residual[:, chosen].mean(axis=1) for chosen in sets.values()])
    parts = []
    for chosen, (_, low, high, p) in zip(sets.values(), zip(*_over_systems(means, design, inverse))):
        known = Scores.of(of_items[chosen], clusters=clusters.only(np.flatnonzero(chosen)), estimator=Mean())
        band, own = known.interval(), known.against(0.0).p
        both = None if own is None else max(float(p), own)
        ends = min(float(low), band.low), max(float(high), band.high)
        parts.append((known.value, ends, both, int(chosen.sum()), band.few))
    corrected = holm_where_tested([p for _, _, p, _, _ in parts])
    return [
        GroupDifference(items=name, value=v, low=low, high=high, p=p, p_holm=p_holm, n=n, few=few)
        for name, (v, (low, high), p, n, few), p_holm in zip(sets, parts, corrected, strict=True)
    ]


def _over_systems(means: Floats, design: Floats, inverse: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Of the last weight of every column: its standard error, which may differ between groups (HC3), Student's interval
    and p-value."""
    weights = inverse @ means
    leverage = np.clip(np.einsum("ij,ji->i", design, inverse), 0, 0.99)
    errors = (means - design @ weights) / (1 - leverage)[:, None]
    error = np.maximum(np.sqrt(inverse[-1] ** 2 @ errors**2), 1e-12)
    freedom = np.array(max(len(means) - design.shape[1], 1.0))
    half = quantile(freedom) * error
    return error, weights[-1] - half, weights[-1] + half, p_value(weights[-1], error, freedom)
