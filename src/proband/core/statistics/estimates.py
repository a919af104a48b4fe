"""Error bars and tests for answers that are not independent, over the clustered bootstrap (bootstrap.py).

Where every value is the same 0 or 1 the bootstrap sees no spread, and Wilson's interval over the clusters stands in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from proband.core.statistics.bootstrap import NORMAL, Floats
from proband.core.types import Item

BLOCK = 4_000_000  # signs held at a time, so that memory stays flat
FLIPS = 40_000_000  # signs beyond which the sign-flip distribution is taken at its normal limit


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(map(str, named)) if named else (item.id,)


def interval_without_spread(x: Floats, clusters: int) -> tuple[float, float]:
    """Wilson over clusters for proportions; for other numbers nothing can be said beyond the values themselves."""
    if ((x >= 0) & (x <= 1)).all():
        return wilson(float(x.mean()) * clusters, clusters)
    return float(x.min()), float(x.max())


# ---- paired tests --------------------------------------------------------------------------------------------------


def sign_flip(sums: Floats, *, seed: int, draws: int) -> float:
    """Two-sided p-value of the sum of `sums` under random signs; beyond FLIPS signs its normal limit,
    z = |sum s| / sqrt(sum s^2).

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=0, draws=100)  # 2 of the 8 flips are as extreme
    0.25
    """
    return float(sign_flips(sums[:, None], seed=seed, draws=draws)[0])


def sign_flips(sums: Floats, *, seed: int, draws: int) -> Floats:
    """The same for several columns of sums at once, under the same signs."""
    total = sums.sum(axis=0)
    observed = np.abs(total) - 1e-9
    if len(sums) <= 14:
        every = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        share: Floats = (np.abs(every @ sums) >= observed).mean(axis=0)
        return share
    if len(sums) * draws > FLIPS:
        spread = np.sqrt((sums**2).sum(axis=0))
        return np.array([math.erfc(abs(t) / s / math.sqrt(2)) if s else 1.0 for t, s in zip(total, spread)])
    rng = np.random.default_rng(seed)
    extreme, left = np.zeros(sums.shape[1]), draws
    while left > 0:
        size = min(left, max(1, BLOCK // len(sums)))
        kept = rng.integers(0, 2, size=(size, len(sums))).astype(np.float64) @ sums  # those that keep their sign
        extreme += (np.abs(2 * kept - total) >= observed).sum(axis=0)
        left -= size
    return (extreme + 1) / (draws + 1)


# ---- many tests ----------------------------------------------------------------------------------------------------


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(np.asarray(p), kind="stable")
    out, running = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[at]))
        out[at] = running
    return out


# ---- proportions, detectable differences ------------------------------------------------------------------------


def wilson(successes: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion.

    >>> [round(x, 4) for x in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = NORMAL.inv_cdf(1 - (1 - level) / 2)
    share, wide = successes / n, z * z / n
    centre = (share + wide / 2) / (1 + wide)
    half = z / (1 + wide) * math.sqrt(share * (1 - share) / n + wide / (4 * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def minimum_detectable(error: float) -> float:
    """The true difference that a test at 0.05 sees four times in five: (z_0.975 + z_0.8) x standard error.

    >>> round(minimum_detectable(0.01), 4)
    0.028
    """
    return (NORMAL.inv_cdf(0.975) + NORMAL.inv_cdf(0.8)) * error
