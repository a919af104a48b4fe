r"""Skip-gram with negative sampling over given pairs (as word2vecf does), in batches, the same for the same seed.

For pairs (r, a) and K noise items n ~ p(a)^{3/4} that a batch shares, each with weight k/K for k negatives:

    maximise   \sum_{(r,a)} log s(w_r . c_a) + (k/K) \sum_n log s(-w_r . c_n),      s the logistic function

Within a batch the second sum is the same for all pairs of one r, so that it is computed once per distinct r; the
gradients of the first are two products with the sparse matrix of the batch. Steps are Adagrad's, with one rate per row,
because frequent rows get the sum of many gradients at once. A batch has two halves, one per thread: their gradients are
taken at the same point and added in a fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.plugins import Meta
from proband.core.progress import Progress
from proband.core.protocols import Floats32
from proband.training.task import SelfFitting

Ints = NDArray[np.int64]
Update = tuple[Ints, Floats32]
HALVES = 2


@dataclass(frozen=True, kw_only=True)
class SkipGramOptions:
    """How embeddings are trained."""

    dimensions: Annotated[int, Meta(description="length of a vector", ge=2)] = 100
    epochs: Annotated[int, Meta(description="passes over the pairs", ge=1)] = 10
    negatives: Annotated[float, Meta(description="weight of the noise items of a pair", gt=0)] = 5.0
    noise: Annotated[int, Meta(description="noise items that half a batch shares", ge=1)] = 64
    batch: Annotated[int, Meta(description="pairs per step", ge=2)] = 16384
    rate: Annotated[float, Meta(description="Adagrad's learning rate; it falls to a tenth", gt=0)] = 0.1
    min_count: Annotated[int, Meta(description="leave out names that are rarer", ge=1)] = 5


@dataclass(frozen=True)
class Pairs:
    """Pairs (left_names[left[n]], right_names[right[n]]), repeated as often as they were seen."""

    left: Ints
    right: Ints
    left_names: Sequence[str]
    right_names: Sequence[str]


def frequent(
    left: Ints, right: Ints, count: Ints, left_names: Sequence[str], right_names: Sequence[str], *, least: int
) -> Pairs:
    """The pairs whose names are frequent enough, repeated by their counts and renumbered."""
    often = [np.bincount(x, weights=count, minlength=len(n)) for x, n in ((left, left_names), (right, right_names))]
    keep = (often[0] >= least)[left] & (often[1] >= least)[right]
    if not keep.any():
        raise ProbandError(f"no name occurs {least} times or more; lower 'min-count'")
    left, right, count = left[keep], right[keep], count[keep]
    sides = []
    for each, names in ((left, left_names), (right, right_names)):
        used, codes = np.unique(each, return_inverse=True)
        sides.append((np.repeat(codes, count), [names[n] for n in used]))
    return Pairs(sides[0][0], sides[1][0], sides[0][1], sides[1][1])


class SkipGram:
    """Two tables of vectors: `left` (relations) and `right` (arguments)."""

    def __init__(self, left: int, right: NDArray[np.float64], *, options: SkipGramOptions, seed: int) -> None:
        """`right` counts how often each right-hand name occurs."""
        self.rng, self.options = np.random.default_rng(seed), options
        d = options.dimensions
        self.left = ((self.rng.random((left, d), dtype=np.float32) - 0.5) / d).astype(np.float32)
        self.right = np.zeros((len(right), d), np.float32)
        self.squares = np.full(left, 1e-6, np.float32), np.full(len(right), 1e-6, np.float32)
        noise = right**0.75
        self.noise = np.cumsum(noise / noise.sum())

    def fit(self, left: Ints, right: Ints) -> None:
        """`epochs` passes over the pairs, each in a new random order."""
        o, size = self.options, len(left)
        batches = -(-size // o.batch)
        with ThreadPoolExecutor(HALVES) as pool, Progress("training", total=o.epochs * size) as bar:
            for epoch in range(o.epochs):
                order = self.rng.permutation(size)
                for number in range(batches):
                    chosen = order[number * o.batch : (number + 1) * o.batch]
                    done = (epoch * batches + number) / (o.epochs * batches)
                    self.step(left[chosen], right[chosen], pool, rate=o.rate * (1 - 0.9 * done))
                    bar.advance(len(chosen))

    def step(self, left: Ints, right: Ints, pool: ThreadPoolExecutor, *, rate: float) -> None:
        halves = np.array_split(np.arange(len(left)), min(HALVES, len(left)))
        noise = [np.searchsorted(self.noise, self.rng.random(self.options.noise)) for _ in halves]
        noise = [np.minimum(each, len(self.right) - 1) for each in noise]
        jobs = [pool.submit(self.gradients, left[h], right[h], n) for h, n in zip(halves, noise, strict=True)]
        gradients = [job.result() for job in jobs]
        tables = (
            (self.left, self.squares[0], [each[0] for each in gradients]),
            (self.right, self.squares[1], [update for each in gradients for update in each[1:]]),
        )
        for done in [pool.submit(apply, *table, rate=rate) for table in tables]:
            done.result()

    def gradients(self, left: Ints, right: Ints, noise: Ints) -> tuple[Update, Update, Update]:
        """Of the distinct left rows, the distinct right rows, and the distinct noise rows."""
        from scipy.sparse import csr_matrix

        order = np.argsort(left, kind="stable")
        left, right = left[order], right[order]
        begins = np.flatnonzero(np.concatenate([[True], left[1:] != left[:-1]]))
        rows, (columns, place) = left[begins], np.unique(right, return_inverse=True)
        counts = np.diff(np.append(begins, len(left))).astype(np.float32)
        w, c = self.left.take(rows, axis=0), self.right.take(columns, axis=0)
        dots = np.einsum("ij,ij->i", self.left.take(left, axis=0), self.right.take(right, axis=0))
        pull = csr_matrix(
            (falling(dots), place.astype(np.int32), np.append(begins, len(left))), shape=(len(rows), len(columns))
        )
        names, times = np.unique(noise, return_counts=True)
        n = self.right.take(names, axis=0)
        push = -falling(-(w @ n.T))
        push *= (times * (self.options.negatives / len(noise))).astype(np.float32)
        push *= counts[:, None]
        of_left = pull @ c
        of_left += push @ n
        return (rows, of_left), (columns, pull.T @ w), (names, push.T @ w)


class TrainSkipGram(SelfFitting):
    """A net that is fitted to pairs; subclasses make `pairs` and save the tables."""

    options: SkipGramOptions
    pairs: Pairs

    def fit(self, *, seed: int) -> None:
        counts = np.bincount(self.pairs.right, minlength=len(self.pairs.right_names)).astype(np.float64)
        self.net = SkipGram(len(self.pairs.left_names), counts, options=self.options, seed=seed)
        self.net.fit(self.pairs.left, self.pairs.right)


def falling(x: Floats32) -> Floats32:
    """1 - s(x) = 1 / (1 + exp(x))"""
    return np.asarray(1 / (1 + np.exp(np.clip(x, -30, 30))), dtype=np.float32)


def apply(table: Floats32, squares: Floats32, updates: Sequence[Update], *, rate: float) -> None:
    """Adagrad: a row moves by rate x gradient / sqrt(sum of its mean squared gradients)."""
    for rows, gradient in updates:
        total = squares[rows] + np.einsum("ij,ij->i", gradient, gradient) / gradient.shape[1]
        squares[rows] = total
        gradient *= (rate / np.sqrt(total))[:, None].astype(np.float32)
        table[rows] += gradient
