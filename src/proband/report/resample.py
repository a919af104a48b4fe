"""One drawing of clusters for all models at once.

The weights of the clustered bootstrap (core.stats) depend on the clusters alone, not on the numbers. Models that
answered the same items therefore share them: a block of weights W (draws x cells) and the sums S of every model over
the items of a cell (cells x models; a cell is a set of clusters, n its number of items) give all bootstrap means
in one product,

    means* = (W S) / (W n).

The difference of two columns is then the bootstrap of the paired difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from proband.core import stats
from proband.report.collect import Floats, Ints

BLOCK = 1_000_000  # weights held at a time: small enough to stay near the processor
MANY = 200  # clusters from which on Poisson multiplicities stand in for the multinomial's
THRESHOLDS = [  # 2^16 P(W <= k) for W ~ Poisson(1)
    round(65536 * sum(math.exp(-1) / math.factorial(j) for j in range(k + 1))) for k in range(8)
]
FLIPS = 40_000_000  # signs beyond which the sign-flip distribution is taken at its normal limit


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
        for i, each in enumerate(names):
            members = tuple(sorted({number.setdefault(name, len(number)) for name in each}))
            code[i] = sets.setdefault(members, len(sets))
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
    while left > 0:
        weighed = sums @ _weights(member, count, rng, min(left, step))
        weighed = weighed[:, weighed[0] > 0]  # a draw that misses every item is drawn again
        blocks.append(weighed[1:] / weighed[0])
        left -= weighed.shape[1]
    return Drawn(sums[1:].T, count, member.shape[1] == 1, np.concatenate(blocks, axis=1).T)


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


def interval(means: Floats, clusters: int) -> tuple[float, float]:
    """core.stats.interval at 95%, the widened tail worked out once per number of clusters."""
    tail = _tail(clusters)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


@lru_cache(maxsize=4096)
def _tail(clusters: int) -> float:
    quantile = stats.student_quantile(0.975, clusters - 1)
    return stats.NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * quantile)


def sign_flip(sums: Floats, *, seed: int, draws: int) -> float:
    """Two-sided p-value of a sum under random signs; beyond FLIPS signs its normal limit, z = |Σs| / sqrt(Σs²).

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=0, draws=100)
    0.25
    """
    if len(sums) * draws <= FLIPS:
        return stats.sign_flip(sums, seed=seed, draws=draws)
    spread = math.sqrt(float((sums**2).sum()))
    return math.erfc(abs(float(sums.sum())) / spread / math.sqrt(2)) if spread else 1.0
