r"""The clustered bootstrap, for any number of models at once.

Items share clusters (the tuple a pair was made from, the clause of a story, the question of a candidate). What is drawn
are therefore *clusters*, not items: with C clusters, multiplicities w ~ Multinomial(C; 1/C, ..., 1/C), and an item that
belongs to several clusters gets the product of their multiplicities (the node or pigeonhole bootstrap; with one cluster
per item it is the ordinary clustered bootstrap, with one item per cluster Efron's):

    mean* = sum_i (prod_{c in i} w_c) x_i / sum_i prod_{c in i} w_c

The weights depend on the clusters alone, not on the numbers. Models that answered the same items share them: a block of
weights W (draws x cells) and the sums S of every model over the items of a cell (cells x models; a cell is a set of
clusters, n its number of items) give all bootstrap means in one product,

    means* = (W S) / (W n).

The difference of two columns is then the bootstrap of the paired difference. The interval is the percentile interval
with levels widened for few clusters (Hesterberg 2015, "expanded percentile"): the tail alpha/2 becomes
Phi(-sqrt(C/(C-1)) t_{alpha/2, C-1}).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from proband.core.distributions import NORMAL, student_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BLOCK = 1_000_000  # weights held at a time: small enough to stay near the processor
MANY = 200  # clusters from which on Poisson multiplicities stand in for the multinomial's
THRESHOLDS = [  # 2^16 P(W <= k) for W ~ Poisson(1)
    round(65536 * sum(math.exp(-1) / math.factorial(j) for j in range(k + 1))) for k in range(8)
]


@dataclass(frozen=True)
class Clusters:
    """The clusters of all items: item i is in the clusters `member[code[i]]` (-1: none)."""

    code: Ints
    member: Ints

    @classmethod
    def of(cls, names: Sequence[Sequence[str]]) -> Clusters:
        """
        >>> both = Clusters.of([("a",), ("b", "a"), ("a", "b"), ("c",)])
        >>> both.code.tolist(), both.member.tolist()
        ([0, 1, 1, 2], [[0, -1], [0, 1], [2, -1]])
        """
        number: dict[str, int] = {}
        sets: dict[tuple[int, ...], int] = {}
        code = np.empty(len(names), dtype=np.int64)
        known: dict[tuple[str, ...], int] = {}
        for i, each in enumerate(names):
            key = tuple(each)
            at = known.get(key)
            if at is None:
                members = tuple(sorted({number.setdefault(name, len(number)) for name in key}))
                at = known[key] = sets.setdefault(members, len(sets))
            code[i] = at
        member = np.full((len(sets), max((len(members) for members in sets), default=1)), -1, dtype=np.int64)
        for members, at in sets.items():
            member[at, : len(members)] = members
        return cls(code, member)

    def among(self, rows: Ints) -> tuple[Ints, Ints, int]:
        """For some items: the cell of each, the clusters of each cell, numbered anew, and how many there are."""
        kept, cell = np.unique(self.code[rows], return_inverse=True)
        member = self.member[kept]
        member = member[:, (member >= 0).any(axis=0)]
        found, renumbered = np.unique(member, return_inverse=True)
        holes = int(found[0] == -1)
        return cell, renumbered.reshape(member.shape) - holes, len(found) - holes


@dataclass(frozen=True)
class Drawn:
    """Sums per cell and column, and the bootstrap means (draws x columns)."""

    totals: Floats
    clusters: int
    single: bool  # every item belongs to one cluster only
    means: Floats

    def interval(self, column: int) -> tuple[float, float]:
        return interval(self.means[:, column], self.clusters)


def resample(columns: Sequence[Floats], rows: Ints, clusters: Clusters, *, seed: int, draws: int) -> Drawn:
    """Bootstrap means of several columns of numbers over the same items.

    >>> drawn = resample([np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])], np.arange(3),
    ...                  Clusters.of([("a",), ("b",), ("c",)]), seed=0, draws=500)
    >>> drawn.means.shape, drawn.clusters, bool((drawn.means[:, 0] >= drawn.means[:, 1]).all())
    ((500, 2), 3, True)
    """
    cell, member, count = clusters.among(rows)
    size = len(member)
    sums: Floats = np.stack([np.bincount(cell, weights=x, minlength=size) for x in (np.ones(len(rows)), *columns)])
    rng = np.random.default_rng(seed)
    blocks: list[Floats] = []
    left, step = draws, max(1, BLOCK // max(size, count))
    for _ in range(100 * (draws // step + 1)):
        weighed = sums @ _weights(member, count, rng, min(left, step))
        weighed = weighed[:, weighed[0] > 0]  # a draw that misses every item is drawn again
        blocks.append(weighed[1:] / weighed[0])
        left -= weighed.shape[1]
        if left <= 0:
            break
    means = np.concatenate(blocks, axis=1)
    if not means.size:  # no draw holds all the clusters of any item: there is nothing but the items as they are
        means = sums[1:].sum(axis=1, keepdims=True) / sums[0].sum()
    return Drawn(sums[1:].T, count, member.shape[1] == 1, means.T)


def _weights(member: Ints, count: int, rng: np.random.Generator, draws: int) -> Floats:
    """How often each cell counts in each draw (cells x draws): the product of its clusters' multiplicities."""
    drawn = _poisson(rng, count, draws) if count >= MANY else _multinomial(rng, count, draws)
    if member.shape[1] == 1:
        return drawn[member[:, 0]].astype(np.float64)
    drawn = np.concatenate([drawn, np.ones((1, draws), dtype=np.uint8)])  # the line that -1 points to
    weights = drawn[member[:, 0]]
    for dimension in range(1, member.shape[1]):
        weights = np.multiply(weights, drawn[member[:, dimension]], dtype=np.uint8 if dimension < 2 else np.float64)
    return weights.astype(np.float64)


def _multinomial(rng: np.random.Generator, count: int, draws: int) -> NDArray[np.uint8]:
    """`count` clusters drawn with replacement, as multiplicities (count x draws)."""
    picked = rng.integers(0, count, size=(draws, count), dtype=np.int64)
    picked *= draws
    picked += np.arange(draws)[:, None]
    return np.bincount(picked.ravel(), minlength=count * draws).reshape(count, draws).astype(np.uint8)


def _poisson(rng: np.random.Generator, count: int, draws: int) -> NDArray[np.uint8]:
    """Independent Poisson(1) multiplicities. The multinomial's are these given their sum, and the sum cancels out of
    a mean; from a few hundred clusters on, the intervals agree to a fraction of a percent of their width.

    >>> w = _poisson(np.random.default_rng(0), 500, 400)
    >>> w.shape, round(float(w.mean()), 2), round(float(w.var()), 2)
    ((500, 400), 1.0, 1.0)
    """
    size = count * draws
    uniform = rng.integers(0, 2**64, size=-(-size // 4), dtype=np.uint64).astype("<u8").view("<u2")[:size]
    weights = np.zeros(size, dtype=np.uint8)
    for threshold in THRESHOLDS:
        weights += uniform >= threshold
    return weights.reshape(count, draws)


def interval(means: Floats, clusters: int, *, level: float = 0.95) -> tuple[float, float]:
    """Expanded percentile interval of bootstrap means."""
    if clusters < 2:
        return float("-inf"), float("inf")
    tail = _tail(clusters, level)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


@lru_cache(maxsize=4096)
def _tail(clusters: int, level: float) -> float:
    quantile = student_quantile(1 - (1 - level) / 2, clusters - 1)
    return NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * quantile)


def bootstrap_p(means: Floats) -> float:
    """Twice the smaller share of bootstrap means on the far side of zero (with one added, never exactly 0)."""
    below, above = int((means <= 0).sum()), int((means >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(means) + 1))
