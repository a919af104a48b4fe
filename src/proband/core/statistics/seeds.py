"""Training seeds as a second source of chance.

V = s^2/S over S runs, less what the items' own noise explains of it, is added to the variance, with Satterthwaite's
degrees of freedom for the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of a mean over them."""

    count: int = 1
    variance: float = 0.0


def seeds_of(values: Floats, influence: Floats) -> Seeds:
    """What the runs of one system differ by beyond the noise of single items (an interaction of item and seed, which
    the items' variance has counted already).

    >>> u = np.tile([0.5, -0.5], (3, 10))
    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), u).variance, 5), seeds_of(np.array([0.5] * 3), u).variance
    (0.00333, 0.0)
    """
    count, items = influence.shape
    if count < 2:
        return Seeds()
    noise = ((influence - influence.mean(axis=0)) ** 2).sum() / (max(items - 1, 1) * (count - 1))
    net = values.var(ddof=1) / count - noise / (items * count)
    return Seeds(count, max(0.0, float(net)))


def with_seeds(own: Floats, freedom: Floats, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom (Satterthwaite)."""
    more = sum(each.variance for each in seeds)
    if not more:
        return np.sqrt(own), freedom
    below = own**2 / freedom + sum(each.variance**2 / (each.count - 1) for each in seeds if each.count > 1)
    return np.sqrt(own + more), (own + more) ** 2 / below


def seeds_part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = sum(each.variance for each in seeds)
    return more / (own + more) if own + more else 0.0
