"""Pairs of token numbers as padded batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Pair = tuple[Sequence[int], Sequence[int]]  # abstract, concrete
Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """`x` batch × m and `y` batch × n, padded; `before` is y moved one to the right behind the start symbol.

    The lengths are also kept in the host's memory: what is computed from them there (which rows are real) makes the
    device wait for nothing.
    """

    x: Tensor
    y: Tensor
    before: Tensor
    positions: Tensor  # length of each x
    words: Tensor  # length of each y
    lengths: tuple[Lengths, Lengths]  # positions and words again

    def real(self) -> Tensor:
        """Where y holds a word: indices into batch × n laid flat."""
        n = self.y.shape[1]
        return self._index(np.arange(n) < self.lengths[1][:, None])

    def cells(self) -> Tensor:
        """Where a word of y meets a position of x: indices into batch × n × m laid flat."""
        (m, n), (positions, words) = (self.x.shape[1], self.y.shape[1]), self.lengths
        inside = (np.arange(n) < words[:, None])[:, :, None] & (np.arange(m) < positions[:, None])[:, None]
        return self._index(inside)

    def _index(self, mask: NDArray[np.bool_]) -> Tensor:
        return torch.from_numpy(np.flatnonzero(mask)).to(self.x.device, non_blocking=True)


def pad(pairs: Sequence[Pair], *, start: int, padding: int, device: str = "cpu") -> Batch:
    """
    >>> batch = pad([([5, 6], [7, 8, 9]), ([5], [7])], start=3, padding=1)
    >>> batch.before.tolist(), batch.words.tolist(), batch.real().tolist()
    ([[3, 7, 8], [3, 7, 1]], [3, 1], [0, 1, 2, 3])
    """
    positions, words = (np.array([len(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))
    m, n = int(positions.max()), int(words.max())
    both = np.full((len(pairs), m + n + 1), padding, dtype=np.int64)  # x, start, y: one copy to the device
    both[:, m] = start
    for row, (source, target) in enumerate(pairs):
        both[row, : len(source)] = source
        both[row, m + 1 : m + 1 + len(target)] = target
    table = torch.from_numpy(both).to(device, non_blocking=True)
    counts = torch.from_numpy(np.stack([positions, words])).to(device, non_blocking=True)
    return Batch(
        x=table[:, :m], y=table[:, m + 1 :], before=table[:, m:-1],
        positions=counts[0], words=counts[1], lengths=(positions, words),
    )  # fmt: skip


def epoch(pairs: Sequence[Pair], *, size: int, generator: np.random.Generator) -> Iterator[list[int]]:
    """Indices of all pairs, `size` at a time, in random order but each batch of nearly one length (little padding)."""
    noise = generator.uniform(0, 4, len(pairs))
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1]) + noise[i])
    starts = list(range(0, len(pairs), size))
    generator.shuffle(starts)
    for at in starts:
        yield order[at : at + size]
