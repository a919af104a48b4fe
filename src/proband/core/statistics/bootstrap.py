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
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

NORMAL = NormalDist()
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BLOCK = 1_000_000  # weights held at a time: small enough to stay near the processor
SET_NUMBERS = 20_000_000  # records weighed for a metric over sets
UNTHREADED = 260_000  # multiplications in one matrix product
SET_CALLS = 5_000  # of the metric itself, where it is a mean over strata
TIE = 1e-12  # differences below this are rounding
MANY = 200  # clusters from which on Poisson multiplicities stand in for the multinomial's
MULTIPLICITY = np.searchsorted(  # of the number u below 2^16: how many of 2^16 P(W <= k), W ~ Poisson(1), it reaches
    [round(65536 * sum(math.exp(-1) / math.factorial(j) for j in range(k + 1))) for k in range(8)],
    np.arange(65536),
    side="right",
).astype(np.uint8)


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
        growing = GrowingClusters()
        for each in names:
            growing.add(each)
        return growing.done()

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.member.max(initial=-1)) + 1

    def among(self, rows: Ints) -> tuple[Ints, Ints, int]:
        """For some items: the cell of each, the clusters of each cell, numbered anew, and how many there are."""
        kept, cell = np.unique(self.code[rows], return_inverse=True)
        member = self.member[kept]
        member = member[:, (member >= 0).any(axis=0)]
        found, renumbered = np.unique(member, return_inverse=True)
        holes = int(found[0] == -1)
        return cell, renumbered.reshape(member.shape) - holes, len(found) - holes


class GrowingClusters:
    """Collects the clusters of a stream of items; of each item only a number is kept."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}  # of a cluster
        self.sets: dict[tuple[int, ...], int] = {}
        self.known: dict[tuple[str, ...], int] = {}
        self.code = array("q")

    def add(self, names: Sequence[str]) -> None:
        """The clusters of the next item."""
        key = tuple(names)
        at = self.known.get(key)
        if at is None:
            number = self.number
            members = tuple(sorted({number.setdefault(name, len(number)) for name in key}))
            at = self.known[key] = self.sets.setdefault(members, len(self.sets))
        self.code.append(at)

    def done(self) -> Clusters:
        width = max((len(members) for members in self.sets), default=1)
        member = np.full((len(self.sets), width), -1, dtype=np.int64)
        for members, at in self.sets.items():
            member[at, : len(members)] = members
        return Clusters(np.frombuffer(self.code, dtype=np.int64) if self.code else np.empty(0, np.int64), member)


@dataclass(frozen=True)
class Drawn:
    """Items per cell, sums per cell and column, and the bootstrap means (draws x columns)."""

    sizes: Floats
    totals: Floats
    clusters: int
    single: bool  # every item belongs to one cluster only
    means: Floats

    def interval(self, column: int) -> tuple[float, float]:
        return interval(self.means[:, column], self.clusters)


def resample(
    columns: Sequence[Floats],
    rows: Ints,
    clusters: Clusters,
    *,
    seed: int,
    draws: int,
    strata: Ints | None = None,
) -> Drawn:
    """Bootstrap means of several columns of numbers over the same items; with `strata` (a number from 0 per item), the
    mean over the strata of their means.

    >>> drawn = resample([np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])], np.arange(3),
    ...                  Clusters.of([("a",), ("b",), ("c",)]), seed=0, draws=500)
    >>> drawn.means.shape, drawn.clusters, bool((drawn.means[:, 0] >= drawn.means[:, 1]).all())
    ((500, 2), 3, True)
    """
    cell, member, count = clusters.among(rows)
    sums = _sums((np.ones(len(rows)), *columns), cell, len(member))
    if strata is None:
        weighed = (_weighed(sums, weights) for weights in weight_blocks(member, count, seed=seed, draws=draws))
        blocks = [each[1:] / each[0] for each in weighed]
        plain = sums[1:].sum(axis=1, keepdims=True) / sums[0].sum()
    else:
        parts = [_stratum(columns, cell, strata == s) for s in range(int(strata.max()) + 1)]
        blocks = [_macro(parts, w) for w in weight_blocks(member, count, seed=seed, draws=draws)]
        plain = _macro(parts, np.ones((len(member), 1)))
    means = np.concatenate(blocks, axis=1) if blocks else plain  # no draw holds all clusters of any item: as it is
    return Drawn(sums[0], sums[1:].T, count, member.shape[1] == 1 and strata is None, means.T)


def _sums(columns: Sequence[Floats], cell: Ints, size: int) -> Floats:
    return np.stack([np.bincount(cell, weights=x, minlength=size) for x in columns])


def _stratum(columns: Sequence[Floats], cell: Ints, inside: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """The cells that a stratum touches, and the sums over its items in them."""
    kept, own = np.unique(cell[inside], return_inverse=True)
    return kept, _sums((np.ones(len(own)), *(x[inside] for x in columns)), own, len(kept))


def _macro(parts: Sequence[tuple[Ints, Floats]], weights: Floats) -> Floats:
    """The mean over strata of their means; in a draw that misses a stratum, over the others."""
    total, seen = np.zeros((parts[0][1].shape[0] - 1, weights.shape[1])), np.zeros(weights.shape[1])
    for kept, sums in parts:
        weighed = _weighed(sums, weights[kept])
        there = weighed[0] > 0
        total[:, there] += weighed[1:, there] / weighed[0, there]
        seen += there
    return total / seen


def resample_set(
    of: Callable[[Floats, Floats], float],
    columns: Sequence[Sequence[Floats]],
    rows: Ints,
    clusters: Clusters,
    *,
    seed: int,
    draws: int,
    calls: int = 1,
) -> Drawn:
    """Bootstrap values of a metric over sets: a column is one system's records per item, of one or several runs, whose
    values are averaged. `of` is called for each draw, so that large sets get fewer draws (SET_NUMBERS), and so do
    metrics that are made of many `calls` (SET_CALLS)."""
    cell, member, count = clusters.among(rows)
    draws = min(draws, max(200, min(SET_NUMBERS // max(1, len(rows)), SET_CALLS // calls if calls > 1 else draws)))
    found = []
    for weights in weight_blocks(member, count, seed=seed, draws=draws):
        for each in weights.T:
            own = each[cell]
            found.append([float(np.mean([of(records, own) for records in runs])) for runs in columns])
    if not found:
        found = [[float(np.mean([of(records, np.ones(len(rows))) for records in runs])) for runs in columns]]
    return Drawn(np.empty(0), np.empty((0, len(columns))), count, False, np.array(found))


def weight_blocks(member: Ints, count: int, *, seed: int, draws: int) -> Iterator[Floats]:
    """`draws` columns of weights (cells x draws), a block at a time; a draw that misses every item is drawn again."""
    rng = np.random.default_rng(seed)
    left, step = draws, max(1, BLOCK // max(len(member), count))
    for _ in range(100 * (draws // step + 1)):
        weights = _weights(member, count, rng, min(left, step))
        there = weights.any(axis=0)
        if not there.all():
            weights = weights[:, there]
        if weights.shape[1]:
            yield weights
        left -= weights.shape[1]
        if left <= 0:
            return


def _weighed(sums: Floats, weights: Floats) -> Floats:
    """sums @ weights, in slices so small that the library starts no threads, which would cost more than they save."""
    width = UNTHREADED // sums.size
    if width < 4 or width >= weights.shape[1]:
        return sums @ weights
    return np.concatenate([sums @ weights[:, i : i + width] for i in range(0, weights.shape[1], width)], axis=1)


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
    return np.take(MULTIPLICITY, uniform).reshape(count, draws)


def interval(means: Floats, clusters: int) -> tuple[float, float]:
    """Expanded percentile interval of bootstrap means, at 95%."""
    if clusters < 2:
        return float("-inf"), float("inf")
    tail = _tail(clusters)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


@lru_cache(maxsize=4096)
def _tail(clusters: int) -> float:
    from scipy.special import stdtrit

    quantile = float(stdtrit(clusters - 1, 0.975))  # Student's t
    return NORMAL.cdf(-math.sqrt(clusters / (clusters - 1)) * quantile)


def bootstrap_p(means: Floats) -> float:
    """Twice the smaller share of bootstrap means on the far side of zero (with one added, never exactly 0)."""
    below, above = int((means <= TIE).sum()), int((means >= -TIE).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(means) + 1))
