r"""Influence values: how much each item moves an estimate.

If item i counted (1 + e) times, the estimate would move by e u_i / n, so that one
theory serves means and metrics over sets alike. For a mean, u_i = x_i - mean. For the mean over strata of their means,
u_i = n/(S n_s) (x_i - mean_s); strata of one item are collapsed into one, which errs on the safe side. A metric over
sets is any function of records and weights; its influence values are found by counting a few neighbouring records twice
and not at all,

    u = [T(1 + w) - T(1 - w)] (n^2 - b^2) / 2bn,      w = 1 for b records, 0 for the others,

where the b records have the same labels (all columns but the first) and scores (the first column) next to each other.
With about sqrt(n)/2 of them at a time the derivative also exists for metrics that jump (recall at a given precision),
and the step to both sides cancels the curvature of those that do not (area under a curve).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from proband.core.statistics.clusters import Floats, Ints

SetMetric = Callable[[Floats, Floats], float]  # of records and their weights
PLACES = 100  # at which the influence on a metric over sets is measured; the records between share the nearest one


def of_mean(x: Floats, strata: Ints | None = None) -> tuple[float, Floats]:
    """A mean (with `strata`, a number from 0 per item: the mean over them of their means) and its influence values.

    >>> of_mean(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    (0.75, array([ 0.70710678, -0.70710678,  0.        ,  0.        ]))
    """
    if strata is None:
        return float(x.mean()), x - x.mean()
    sizes = np.bincount(strata)
    means = np.bincount(strata, weights=x) / sizes
    lost = np.sqrt(sizes / np.maximum(sizes - 1, 1))  # a degree of freedom each
    centre, lone = means.copy(), sizes == 1
    if lone.any():  # one item says nothing of the spread within its stratum: such strata are taken together
        count = int(lone.sum())
        centre[lone] = means[lone].mean() if count > 1 else means.mean()
        lost[lone] = np.sqrt(count / max(count - 1, 1))
    return float(means.mean()), (lost * len(x) / (len(sizes) * sizes))[strata] * (x - centre[strata])


def of_set(of: SetMetric, records: Floats, strata: Ints | None = None) -> tuple[float, Floats]:
    """A metric over sets (with `strata`, the mean over them of its values) and its influence values.

    >>> total = lambda records, weights: float(weights @ records[:, 0] / weights.sum())
    >>> of_set(total, np.array([[1.0], [0.0], [1.0], [0.0]]))
    (0.5, array([ 0.5, -0.5,  0.5, -0.5]))
    """
    if strata is not None:
        values, u = [], np.empty(len(records))
        count = int(strata.max()) + 1
        for stratum in range(count):
            members = np.flatnonzero(strata == stratum)
            value, own = of_set(of, records[members])
            values.append(value)
            u[members] = own * len(records) / (count * len(members))
        return float(np.mean(values)), u
    return of(records, np.ones(len(records))), _derivative(of, records)


def _derivative(of: SetMetric, records: Floats) -> Floats:
    n = len(records)
    order = np.lexsort(records.T)  # by the last column first: the same labels together, in the order of their scores
    ordered = records[order]
    step = max(1, math.ceil(n / PLACES))
    starts = np.flatnonzero(np.r_[True, (ordered[1:, 1:] != ordered[:-1, 1:]).any(axis=1)])
    u, weights = np.zeros(n), np.ones(n)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), n]):
        width = max(step, 1, round(math.sqrt(end - start) / 2))
        for left in range(start, end, step):
            low = max(start, min(left + (min(step, end - left) - width) // 2, end - width))
            high = min(end, low + width)
            weights[low:high] = 2.0
            more = of(ordered, weights)
            weights[low:high] = 0.0
            less = of(ordered, weights) if weights.any() else more
            weights[low:high] = 1.0
            u[order[left : left + min(step, end - left)]] = (
                (more - less) * (n**2 - (high - low) ** 2) / (2 * n * (high - low))
            )
    centred: Floats = u - u.mean()
    return centred
