"""Pairs of token numbers as padded batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

Pair = tuple[Sequence[int], Sequence[int]]  # abstract, concrete


@dataclass(frozen=True)
class Batch:
    """`x` batch × m and `y` batch × n, padded; `before` is y moved one to the right behind the start symbol."""

    x: Tensor
    y: Tensor
    before: Tensor
    positions: Tensor  # length of each x
    words: Tensor  # length of each y

    def real(self) -> Tensor:
        """True where y holds a word, batch × n."""
        return torch.arange(self.y.shape[1], device=self.y.device) < self.words[:, None]


def pad(pairs: Sequence[Pair], *, start: int, padding: int, device: str = "cpu") -> Batch:
    """
    >>> batch = pad([([5, 6], [7, 8, 9]), ([5], [7])], start=3, padding=1)
    >>> batch.before.tolist(), batch.words.tolist()
    ([[3, 7, 8], [3, 7, 1]], [3, 1])
    """
    m, n = max(len(x) for x, _ in pairs), max(len(y) for _, y in pairs)
    x = np.full((len(pairs), m), padding, dtype=np.int64)
    y = np.full((len(pairs), n), padding, dtype=np.int64)
    for row, (source, target) in enumerate(pairs):
        x[row, : len(source)] = source
        y[row, : len(target)] = target
    before = np.concatenate([np.full((len(pairs), 1), start, dtype=np.int64), y[:, :-1]], 1)
    lengths = np.array([(len(source), len(target)) for source, target in pairs])
    tensors = [torch.from_numpy(a).to(device) for a in (x, y, before, lengths[:, 0], lengths[:, 1])]
    return Batch(*tensors)


def epoch(pairs: Sequence[Pair], *, size: int, generator: np.random.Generator) -> Iterator[list[int]]:
    """Indices of all pairs, `size` at a time, in random order but each batch of nearly one length (little padding)."""
    noise = generator.uniform(0, 4, len(pairs))
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1]) + noise[i])
    starts = list(range(0, len(pairs), size))
    generator.shuffle(starts)
    for at in starts:
        yield order[at : at + size]
