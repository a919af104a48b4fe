"""Choosing the examples of a batch, applying functions to its tensors, and moving it to a device.

A batch may be a tensor, or a tuple, a dictionary or a dataclass of tensors and plain values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

LENGTH_NOISE = 4.0  # tokens: examples change batches from epoch to epoch, for so much more padding at most


def of_similar_length(
    lengths: Sequence[int], *, size: int, generator: np.random.Generator, places: np.random.Generator | None = None
) -> Iterator[list[int]]:
    """All examples in random order, but each batch of nearly one length, so that there is little padding. `places`
    draws the order of the batches; fits with the same `places` process similar lengths at the same time.

    >>> list(of_similar_length([9, 1, 9, 1], size=2, generator=np.random.default_rng(0)))
    [[3, 1], [2, 0]]
    """
    noise = generator.uniform(0, LENGTH_NOISE, len(lengths))
    order = sorted(range(len(lengths)), key=lambda i: lengths[i] + noise[i])
    starts = list(range(0, len(lengths), size))
    (places or generator).shuffle(starts)
    for at in starts:
        yield order[at : at + size]


def mapped(batch: Any, change: Callable[[Tensor], Any]) -> Any:
    """The batch with every tensor changed, in the order of its fields.

    >>> mapped({"x": Tensor([1, 2]), "n": 3}, lambda t: t + 1)
    {'x': tensor([2., 3.]), 'n': 3}
    """
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {key: mapped(value, change) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        made = [mapped(value, change) for value in batch]
        return type(batch)(*made) if hasattr(batch, "_fields") else type(batch)(made)
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        fields = {f.name: getattr(batch, f.name) for f in dataclasses.fields(batch) if f.init}
        return dataclasses.replace(batch, **{name: mapped(value, change) for name, value in fields.items()})
    return batch


def tensors(batch: Any) -> list[Tensor]:
    """The tensors of a batch, in the order of its fields."""
    results: list[Tensor] = []
    mapped(batch, results.append)
    return results


def shape(batch: Any) -> Hashable:
    """The structure of a batch without the numbers in its tensors; batches of equal shape can share a recording."""
    plain = repr(mapped(batch, lambda tensor: None))
    return plain, tuple((tuple(tensor.shape), tensor.dtype) for tensor in tensors(batch))


def to_device(batch: Any, device: str) -> Any:
    return mapped(batch, lambda tensor: tensor.to(device, non_blocking=True))


def device_of(device: str) -> str:
    return device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
