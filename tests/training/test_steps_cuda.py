"""On a CUDA device: replayed steps do what plain ones do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from proband.training.fit import TrainedNet, fit
from proband.training.recipe import Recipe
from proband.training.task import Task


class Sums(Task):
    """Which of five numbers is the greatest; batches of two lengths."""

    better = "high"

    def __init__(self, *, drop: float, device: str, recordable: bool = True) -> None:
        self.recordable = recordable
        self.recipe, self.size, self.drop, self.device = Recipe(epochs=4, batch=12, average=0.9), 100, drop, device
        self.x = torch.randn(130, 5, generator=torch.Generator().manual_seed(0))

    def network(self) -> nn.Module:
        return nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Dropout(self.drop), nn.Linear(32, 5))

    def batch(self, indices: Sequence[int]) -> Any:
        return {"x": self.x[indices], "y": self.x[indices].argmax(1)}

    def loss(self, net: Any, batch: dict[str, Tensor]) -> Tensor:
        return nn.functional.cross_entropy(net(batch["x"]), batch["y"])

    def held_out(self) -> Iterator[Any]:
        yield self.batch(range(100, 130))

    def score(self, net: Any, batch: dict[str, Tensor]) -> tuple[Any, Any]:
        return (net(batch["x"]).argmax(1) == batch["y"]).sum(), len(batch["y"])


def apart(one: TrainedNet, other: TrainedNet) -> float:
    return max(
        float((p - q).detach().abs().max()) for p, q in zip(one.net.parameters(), other.net.parameters(), strict=True)
    )


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_replayed_steps_are_plain_ones() -> None:
    plain = fit(Sums(drop=0.0, device="cuda", recordable=False), seed=0)
    assert apart(fit(Sums(drop=0.0, device="cuda"), seed=0), plain) < 1e-3
    assert apart(fit(Sums(drop=0.0, device="cpu"), seed=0), _on_host(plain)) < 1e-2


def _on_host(trained: TrainedNet) -> TrainedNet:
    return TrainedNet(trained.net.cpu(), trained.curve, trained.kept)


def test_plain_steps_on_a_processor_do_not_ask_for_recordings() -> None:
    recorded, plain = (fit(Sums(drop=0.3, device="cpu", recordable=each), seed=0) for each in (True, False))
    assert apart(recorded, plain) == 0.0
