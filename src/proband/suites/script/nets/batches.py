"""Pairs of token numbers as padded batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Pair = tuple[Sequence[int], Sequence[int]]  # abstract, concrete
Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class ScriptBatch:
    """One table of x, the start symbol, y and both lengths, a row per pair, so that one copy brings all of it to a
    device; `m` columns are x.

    The lengths are also kept in the host's memory: what is computed from them there (which rows are real) makes the
    device wait for nothing. Without them (a recorded step) every row is computed and masked afterwards.
    """

    table: Tensor
    m: int
    lengths: tuple[Lengths, Lengths] | None = None

    @property
    def x(self) -> Tensor:
        """Abstract texts, batch × m, padded."""
        return self.table[:, : self.m]

    @property
    def y(self) -> Tensor:
        """Concrete texts, batch × n, padded."""
        return self.table[:, self.m + 1 : -2]

    @property
    def before(self) -> Tensor:
        """y moved one to the right behind the start symbol."""
        return self.table[:, self.m : -3]

    @property
    def positions(self) -> Tensor:
        """Length of each x."""
        return self.table[:, -2]

    @property
    def words(self) -> Tensor:
        """Length of each y."""
        return self.table[:, -1]

    def real(self) -> Tensor:
        """Where y holds a word: indices into batch × n laid flat; or, without lengths, a mask of batch × n."""
        n = self.y.shape[1]
        if self.lengths is None:
            return torch.arange(n, device=self.y.device) < self.words[:, None]
        return self._index(np.arange(n) < self.lengths[1][:, None])

    def cells(self) -> Tensor:
        """Where a word of y meets a position of x: indices into batch × n × m laid flat, or a mask."""
        m, n = self.x.shape[1], self.y.shape[1]
        if self.lengths is None:
            inside = torch.arange(m, device=self.x.device) < self.positions[:, None]
            return self.real()[:, :, None] & inside[:, None]
        positions, words = self.lengths
        mask = (np.arange(n) < words[:, None])[:, :, None] & (np.arange(m) < positions[:, None])[:, None]
        return self._index(mask)

    def _index(self, mask: NDArray[np.bool_]) -> Tensor:
        return torch.from_numpy(np.flatnonzero(mask)).to(self.x.device, non_blocking=True)


def pad(
    pairs: Sequence[Pair], *, start: int, padding: int, device: str = "cpu", rounded: tuple[int, int] | None = None
) -> ScriptBatch:
    """
    >>> batch = pad([([5, 6], [7, 8, 9]), ([5], [7])], start=3, padding=1)
    >>> batch.before.tolist(), batch.words.tolist(), batch.real().tolist()
    ([[3, 7, 8], [3, 7, 1]], [3, 1], [0, 1, 2, 3])

    `rounded`: both sides are padded up to multiples of these, and lengths are left to the device.
    """
    positions, words = (np.array([len(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))
    m, n = int(positions.max()), int(words.max())
    if rounded is not None:
        m, n = -(-m // rounded[0]) * rounded[0], -(-n // rounded[1]) * rounded[1]
    table = torch.from_numpy(lay_out(pairs, m=m, n=n, start=start, padding=padding)).to(device, non_blocking=True)
    return ScriptBatch(table, m, None if rounded is not None else (positions, words))


def lay_out(pairs: Sequence[Pair], *, m: int, n: int, start: int, padding: int) -> NDArray[np.int64]:
    """
    >>> lay_out([([5, 6], [7, 8, 9]), ([5], [7])], m=2, n=3, start=3, padding=1).tolist()
    [[5, 6, 3, 7, 8, 9, 2, 3], [5, 1, 3, 7, 1, 1, 1, 1]]
    """
    table = np.full((len(pairs), m + n + 3), padding, dtype=np.int64)
    table[:, m] = start
    for row, (source, target) in enumerate(pairs):
        table[row, : len(source)] = source
        table[row, m + 1 : m + 1 + len(target)] = target
        table[row, -2:] = len(source), len(target)
    return table
