"""Items that are harder for one group of systems than their ability explains (differential item functioning).

With E_si the answer of system s to item i less what the model of item_response.py expects, a group differs on some
items by the weight of g in

    mean over the items of E_si = a + b theta_s + c g_s,

so that neither ability nor items that discriminate better than others look like a difference of groups. c is a sum over
systems and a mean over items: it is tested over both. The p-value is the larger of Student's over systems (errors HC3,
MacKinnon and White 1985) and that over clusters of items (stats), and the interval contains both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.pipeline.item_analysis.item_response import Fit
from proband.stats import Difference, Mean, Scores
from proband.stats.clusters import Clusters
from proband.stats.variance import p_value, quantile

LEAST_IN_GROUP = 3


def group_differences(
    fit: Fit, group: NDArray[np.bool_], sets: Mapping[str, NDArray[np.bool_]], clusters: Clusters
) -> dict[str, Difference]:
    """The systems of `group` against the others, on each of these sets of items."""
    inside = int(group.sum())
    if min(inside, len(group) - inside) < LEAST_IN_GROUP:
        few = f"groups of {inside} and {len(group) - inside} systems are too few to compare"
        raise ProbandError(f"{few}: {LEAST_IN_GROUP} in each are needed")
    residual = fit.right - fit.expected
    design = np.column_stack([np.ones(len(group)), fit.theta - fit.theta.mean(), group])
    inverse = np.asarray(np.linalg.pinv(design), dtype=np.float64)
    leverage = np.clip(np.einsum("ij,ji->i", design, inverse), 0, 0.99)
    of_items, freedom = inverse[-1] @ residual, max(len(group) - design.shape[1], 1.0)
    found = {}
    for name, chosen in sets.items():
        means = residual[:, chosen].mean(axis=1)
        weights = inverse @ means
        errors = (means - design @ weights) / (1 - leverage)
        error = np.maximum(np.sqrt(inverse[-1] ** 2 @ errors**2), 1e-12)
        half, over_systems = float(quantile(freedom) * error), float(p_value(weights[-1], error, freedom))
        own = clusters.only(np.flatnonzero(chosen))
        known = Scores.of(of_items[chosen], clusters=own, estimator=Mean()).against(0.0)
        p = None if known.p is None else max(over_systems, known.p)
        low, high = float(min(weights[-1] - half, known.low)), float(max(weights[-1] + half, known.high))
        found[name] = replace(known, low=low, high=high, p=p)
    return found
