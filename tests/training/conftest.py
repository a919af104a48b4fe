"""A small classification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from proband.training.fit import TrainedNet, fit
from proband.training.recipe import Recipe
from proband.training.task import Task

RECIPE = Recipe(epochs=6, batch=8, rate=0.02, average=0.9, decay=0.01)


class Sides(Task):
    """Points on two sides of a circle, four of them noise; dropout and batch normalisation on the way."""

    better, device = "high", "cpu"

    def __init__(self, recipe: Recipe = RECIPE, *, held: int = 16) -> None:
        self.recipe, self.size, self.held = recipe, 50, held
        g = torch.Generator().manual_seed(1)
        self.x = torch.randn(50 + held, 6, generator=g)
        self.y = (self.x[:, :2].square().sum(1) > 1.4).long()

    def network(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))

    def batch(self, indices: Sequence[int]) -> Any:
        return self.x[indices], self.y[indices]

    def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
        return nn.functional.cross_entropy(net(batch[0]), batch[1])

    def held_out(self) -> Iterator[Any]:
        for at in range(50, 50 + self.held, 10):
            yield self.batch(range(at, min(at + 10, 50 + self.held)))

    def score(self, net: Any, batch: tuple[Tensor, Tensor]) -> tuple[Any, Any]:
        return (net(batch[0]).argmax(1) == batch[1]).sum(), len(batch[1])


def quick(task: Task, **settings: Any) -> TrainedNet:
    return fit(task, **settings)


def same(one: TrainedNet, other: TrainedNet) -> bool:
    mine, theirs = one.net.state_dict(), other.net.state_dict()
    return all(torch.equal(mine[name], theirs[name]) for name in mine)


class Killed(Exception):
    pass
