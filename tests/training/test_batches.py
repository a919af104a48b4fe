"""Batches of any kind are moved and compared by their shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from proband.training.batches import mapped, shape, tensors


class Named(NamedTuple):
    x: Tensor
    kind: str


@dataclass(frozen=True)
class Graph:
    nodes: Tensor
    edges: tuple[Tensor, Tensor]
    count: int


def graph(size: int, count: int = 3) -> Graph:
    return Graph(torch.ones(size), (torch.zeros(2, dtype=torch.long), torch.ones(1)), count)


def test_a_batch_keeps_its_kind() -> None:
    made = mapped([Named(torch.ones(2), "a"), {"g": graph(4)}], lambda t: t + 1)
    assert made[0].x.tolist() == [2, 2]
    assert made[0].kind == "a"
    assert made[1]["g"].edges[0].tolist() == [1, 1]
    assert [tuple(t.shape) for t in tensors(made)] == [(2,), (4,), (2,), (1,)]


def test_one_recording_serves_batches_of_one_shape() -> None:
    assert shape(graph(4)) == shape(mapped(graph(4), lambda t: t * 7))
    assert len({shape(graph(4)), shape(graph(5)), shape(graph(4, count=2)), shape(graph(4).nodes.int())}) == 4
