"""One drawing of clusters for all models at once.

The weights of the clustered bootstrap (core.stats) depend on the clusters alone, not on the numbers. Models that
answered the same items therefore share them: a block of weights W (draws x clusters) and the cluster sums of every
model S (clusters x models) give all bootstrap means in one product,

    means* = (W S) / (W n).

The difference of two columns is then the bootstrap of the paired difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.core import stats
from proband.report.collect import Floats

BLOCK = 1_000_000  # weights held at a time: small enough to stay near the processor
FLIPS = 40_000_000  # signs beyond which the sign-flip distribution is taken at its normal limit


@dataclass(frozen=True)
class Resampled:
    """Cluster sums per column and the bootstrap means (draws x columns)."""

    grouped: tuple[stats.Cells, ...]
    means: Floats

    @property
    def clusters(self) -> int:
        return self.grouped[0].clusters

    @property
    def single(self) -> bool:
        """Whether every item belongs to one cluster only."""
        return bool(self.grouped[0].member.shape[1] == 1)


def resample(columns: Sequence[Floats], clusters: Sequence[Sequence[str]], *, seed: int, draws: int) -> Resampled:
    """Bootstrap means of several columns of numbers over the same items.

    >>> both = resample([np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])], [("a",), ("b",), ("c",)],
    ...                 seed=0, draws=500)
    >>> both.means.shape, both.clusters, bool((both.means[:, 0] >= both.means[:, 1]).all())
    ((500, 2), 3, True)
    """
    grouped = tuple(stats.cells(column, clusters) for column in columns)
    first = grouped[0]
    sums = np.column_stack([first.count, *(each.total for each in grouped)])
    rng = np.random.default_rng(seed)
    blocks: list[Floats] = []
    left, step = draws, max(1, BLOCK // max(len(first.total), first.clusters))
    while left > 0:
        weighed = _weights(first, rng, min(left, step)) @ sums
        weighed = weighed[weighed[:, 0] > 0]  # a draw that misses every item is drawn again
        blocks.append(weighed[:, 1:] / weighed[:, :1])
        left -= len(weighed)
    return Resampled(grouped, np.concatenate(blocks))


def _weights(cells: stats.Cells, rng: np.random.Generator, size: int) -> Floats:
    """How often each cell counts in each of `size` draws: the product of its clusters' multiplicities."""
    c = cells.clusters
    picked = rng.integers(0, c, size=(size, c))
    picked += np.arange(size)[:, None] * c
    drawn = np.bincount(picked.ravel(), minlength=size * c).reshape(size, c).astype(np.float64)
    if cells.member.shape == (c, 1):  # cells are the clusters, numbered alike
        return drawn
    drawn = np.concatenate([drawn, np.ones((size, 1))], axis=1)  # the column that -1 points to
    weights: Floats = drawn[:, cells.member[:, 0]]
    for dimension in range(1, cells.member.shape[1]):
        weights *= drawn[:, cells.member[:, dimension]]
    return weights


def sign_flip(sums: Floats, *, seed: int, draws: int) -> float:
    """Two-sided p-value of a sum under random signs; beyond FLIPS signs its normal limit, z = |Σs| / sqrt(Σs²).

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=0, draws=100)
    0.25
    """
    if len(sums) * draws <= FLIPS:
        return stats.sign_flip(sums, seed=seed, draws=draws)
    spread = math.sqrt(float((sums**2).sum()))
    return math.erfc(abs(float(sums.sum())) / spread / math.sqrt(2)) if spread else 1.0
