r"""When to stop: intervals that are valid after every cluster (a confidence sequence).

Clusters are asked in a random order, whole ones at a time. With S_t the sum of the scores (each between 0 and 1) of
cluster t, n_t its items and N the size of the largest, a mean of m per item makes

    K+_t(m) = prod (1 + l+_t (S_t - m n_t) / N),        K-_t(m) = prod (1 - l-_t (S_t - m n_t) / N)

martingales that start at 1. By Ville's inequality the larger of K+/2 and K-/2 reaches 1/a at any time with a chance of
at most a, so the m for which it has not are an interval that covers at every look at once: the hedged capital process
of Waudby-Smith and Ramdas (2024, section 4.4), here with the totals of clusters for the values of items. The bets are
theirs for a planned number of clusters T,

    l_t = sqrt(2 log(2/a) / (v_(t-1) T)),    at most 1/(2m) for l+ and 1/(2(1 - m)) for l-,

with v the variance of S_t/N about the mean in the clusters before t, and 1/4 before the first (as theirs). A run that
is to end at a half-width of h needs about T = 2 v log(2/a) / h^2 clusters, so l_t = h / v. Nothing is approximate: the
interval covers whatever T is and with few clusters too. The price is 2 log(2/a) / 1.96^2 = 1.92 times the items of a
fixed design whose variance was known. A difference of two systems, between -1 and 1, is mapped to [0, 1].
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.errors import ProbandError
from proband.stats.clusters import Floats, Ints

GRID = np.linspace(0.0005, 0.9995, 1000)  # of means: ends are rounded outwards to a tenth of a point
ALPHA = 0.05  # an interval of 95 %


@dataclass(frozen=True, kw_only=True)
class Look:
    """The result after some number of clusters, valid at any look."""

    mean: float
    low: float
    high: float
    clusters: int
    items: int

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def decided(self) -> bool:
        """Of a difference: whether zero is outside."""
        return not self.low <= 0 <= self.high


def confidence_sequence(
    sums: Sequence[float] | Floats,
    sizes: Sequence[int] | Ints,
    *,
    largest: int | None = None,
    aim: float | None = None,
    planned: int | None = None,
) -> list[Look]:
    """The interval of the mean score after each cluster. `largest`: the most items that any cluster has, also of those
    not yet asked; `aim`: the half-width at which the run is to end; else `planned`, the number of clusters.

    >>> looks = confidence_sequence([1, 0, 1, 1] * 50, [1] * 200)
    >>> looks[-1].mean, round(looks[-1].low, 2), round(looks[-1].high, 2)
    (0.75, 0.66, 0.82)
    >>> all(a.low <= b.low and b.high <= a.high for a, b in zip(looks, looks[1:]))
    True
    """
    s, n = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    most = float(max(largest or 0, n.max(initial=1)))
    if (s < -1e-9).any() or (s > n + 1e-9).any():
        raise ProbandError("a confidence sequence needs scores between 0 and 1")
    t = np.arange(1, len(s) + 1)
    errors = ((s - np.cumsum(s) / np.cumsum(n) * n) / most) ** 2
    spread = (0.25 + np.concatenate([[0.0], np.cumsum(errors)[:-1]])) / t
    bet = np.sqrt(2 * np.log(2 / ALPHA) / (spread * (planned or len(s))))
    if aim is not None:
        bet = aim * np.concatenate([[most], (np.cumsum(n) / t)[:-1]]) / most / spread
    looks, up, down = [], np.zeros(len(GRID)), np.zeros(len(GRID))
    low, high = 0.0, 1.0
    for at in range(len(s)):
        moved = (s[at] - GRID * n[at]) / most
        up += np.log1p(np.minimum(bet[at], 0.5 / GRID) * moved)
        down += np.log1p(-np.minimum(bet[at], 0.5 / (1 - GRID)) * moved)
        kept = np.flatnonzero(np.maximum(up, down) < np.log(2 / ALPHA))
        if len(kept):
            step = GRID[1] - GRID[0]
            low, high = max(low, float(GRID[kept[0]] - step)), min(high, float(GRID[kept[-1]] + step))
        mean = float(s[: at + 1].sum() / n[: at + 1].sum())
        looks.append(
            Look(mean=mean, low=max(low, 0.0), high=min(high, 1.0), clusters=at + 1, items=int(n[: at + 1].sum()))
        )
    return looks


def of_difference(looks: Sequence[Look]) -> list[Look]:
    """Looks at (a - b + 1) / 2 as looks at a - b."""
    return [
        Look(mean=2 * e.mean - 1, low=2 * e.low - 1, high=2 * e.high - 1, clusters=e.clusters, items=e.items)
        for e in looks
    ]


def units_of(clusters: Sequence[Sequence[Hashable]]) -> Ints:
    """Which items are asked together: those that share any cluster, directly or through others.

    >>> units_of([("a",), ("b", "c"), ("c",), ("a",), ("d",)]).tolist()
    [0, 1, 1, 0, 2]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    number: dict[Hashable, int] = {}
    rows = [at for at, names in enumerate(clusters) for _ in names]
    columns = [number.setdefault(name, len(number)) for names in clusters for name in names]
    shape = (len(clusters), max(len(number), 1))
    joined = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    found = connected_components(joined @ joined.T, directed=False)[1]
    _, first, units = np.unique(found, return_index=True, return_inverse=True)
    result: Ints = np.argsort(np.argsort(first))[units].astype(np.int64)
    return result


def order_of(units: Ints, seed: int) -> Ints:
    """The units in a random order that the seed fixes, as the rank of each."""
    count = int(units.max(initial=-1)) + 1
    ranks: Ints = np.argsort(np.random.default_rng(seed).permutation(count)).astype(np.int64)
    return ranks
