"""One step: against torch's own AdamW, in parts when memory is short, decay of matrices alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from proband.training.recipe import Recipe
from proband.training.steps import Steps, optimiser
from proband.training.task import Task


class Line(Task):
    """A line through points; examples weigh differently. Batches above `room` do not fit into memory."""

    def __init__(self, recipe: Recipe, *, room: int = 100) -> None:
        self.recipe, self.size, self.room = recipe, 12, room
        g = torch.Generator().manual_seed(0)
        self.x, self.y, self.w = torch.randn(12, 3, generator=g), torch.randn(12, generator=g), torch.arange(1.0, 13.0)

    def network(self) -> nn.Module:
        torch.manual_seed(0)
        return nn.Linear(3, 1)

    def batch(self, indices: Sequence[int]) -> Any:
        return self.x[indices], self.y[indices], self.w[indices]

    def weight(self, indices: Sequence[int]) -> float:
        return float(self.w[indices].sum())

    def loss(self, net: Any, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        x, y, w = batch
        if len(x) > self.room:
            raise RuntimeError("DefaultCPUAllocator: not enough memory")
        total: Tensor = (w * (net(x)[:, 0] - y).square()).sum() / w.sum()
        return total


def stepped(task: Task, *, count: int = 5) -> tuple[nn.Module, float]:
    net = task.network()
    steps = Steps(task, net, device="cpu")
    for _ in range(count):
        steps.learn(task.loss, range(12), rate=0.1, share=1.0)
    return net, steps.loss()


def test_a_step_is_that_of_torch() -> None:
    task = Line(Recipe(batch=12, decay=0.1, clip=0.5))
    net, loss = stepped(task)
    other = task.network()
    adam, losses = torch.optim.AdamW(other.parameters(), lr=0.1, weight_decay=0.1), []
    for _ in range(5):
        value = task.loss(other, task.batch(range(12)))
        adam.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(other.parameters(), 0.5)
        adam.step()
        losses.append(float(value.detach()))
    for mine, theirs in zip(net.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    assert loss == pytest.approx(sum(losses) / 5)


def test_parts_give_the_gradient_and_the_loss_of_the_whole() -> None:
    recipe = Recipe(batch=12, clip=0.0)
    whole, parts = stepped(Line(recipe)), stepped(Line(recipe, room=4))
    for mine, theirs in zip(whole[0].parameters(), parts[0].parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    assert whole[1] == pytest.approx(parts[1])
    with pytest.raises(RuntimeError, match="not enough memory"):
        stepped(Line(recipe, room=0))


def test_decay_may_spare_vectors() -> None:
    task = Line(Recipe(decay=0.5, decay_vectors=False))
    net = task.network()
    made = optimiser(task, net.parameters(), recorded=False, device="cpu")
    assert [(len(g["params"]), g["weight_decay"]) for g in made.param_groups] == [(1, 0.5), (1, 0.0)]
