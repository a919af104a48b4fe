"""The loop on a small classification: the same twice, kill and resume, early stopping, several fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.training.fit import Fitted, fit
from proband.training.folder import train_into
from proband.training.recipe import Recipe
from proband.training.task import CHECKPOINT, Task, load_weights

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


def quick(task: Task, **settings: Any) -> Fitted:
    return fit(task, **settings)


def same(one: Fitted, other: Fitted) -> bool:
    mine, theirs = one.net.state_dict(), other.net.state_dict()
    return all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_one_seed_one_result() -> None:
    torch.manual_seed(0)
    first = quick(Sides(), seed=3)
    torch.manual_seed(1)  # the global generator decides nothing, and is left as it was
    state = torch.get_rng_state()
    second, other = quick(Sides(), seed=3), quick(Sides(), seed=4)
    assert torch.equal(torch.get_rng_state(), state)
    assert same(first, second)
    assert not same(first, other)
    assert [line["loss"] for line in first.curve] == [line["loss"] for line in second.curve]


class Killed(Exception):
    pass


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_killed_fit_goes_on_to_the_same_weights(average: float, tmp_path: Path) -> None:
    recipe = replace(RECIPE, average=average)

    def stop(line: Mapping[str, float]) -> None:
        if line["epoch"] == 2:
            raise Killed

    whole = quick(Sides(recipe), seed=1)
    with pytest.raises(Killed):
        quick(Sides(recipe), seed=1, folder=tmp_path, of="this", on_epoch=stop)
    epochs: list[float] = []
    on_epoch = lambda line: epochs.append(line["epoch"])  # noqa: E731
    again = quick(Sides(recipe), seed=1, folder=tmp_path, of="this", on_epoch=on_epoch)
    assert epochs == [3, 4, 5]
    assert same(whole, again)
    assert [line["valid"] for line in again.curve] == [line["valid"] for line in whole.curve]
    with pytest.raises(ProbandError, match="other settings"):
        quick(Sides(recipe), seed=1, folder=tmp_path, of="that")


def test_a_finished_net_is_left_as_it_is(tmp_path: Path) -> None:
    class Ends(Sides):
        def held_out(self) -> Iterator[Any]:
            raise Killed

    note: dict[str, Any] = {"seed": 0}
    with pytest.raises(Killed):
        train_into(tmp_path, Ends(), seed=0, note=note, versions={})
    made = train_into(tmp_path, Sides(), seed=0, note=note, versions={})
    assert made["epochs"] == 6
    assert same(Fitted(load_weights(Sides().network(), tmp_path), [], 0), quick(Sides(), seed=0))
    assert not (tmp_path / CHECKPOINT).exists()
    assert train_into(tmp_path, Ends(), seed=0, note=note, versions={}) == made  # which is not trained again
    with pytest.raises(ProbandError, match="trained with other settings"):
        train_into(tmp_path, Sides(), seed=1, note={"seed": 1}, versions={})


def test_the_best_epoch_is_kept_and_patience_ends_a_fit() -> None:
    fitted = quick(Sides(Recipe(epochs=60, batch=8, rate=0.05, patience=4)), seed=0)
    scores = [line["valid"] for line in fitted.curve]
    assert len(scores) < 60
    assert fitted.valid == max(scores) == scores[fitted.kept]
    task = Sides()
    total = [task.score(fitted.net, batch) for batch in task.held_out()]
    assert sum(int(right) for right, _ in total) / sum(count for _, count in total) == pytest.approx(max(scores))


def test_without_held_out_examples_the_last_weights_are_kept() -> None:
    fitted = quick(Sides(held=0), seed=0)
    assert (fitted.kept, fitted.valid) == (5, None)


def test_a_number_of_steps_may_end_within_an_epoch() -> None:
    class Counted(Sides):
        steps = 0

        def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
            self.steps += 1
            return super().loss(net, batch)

    task = Counted(Recipe(epochs=5, steps=17, batch=8))  # seven steps an epoch
    fitted = quick(task, seed=0)
    assert task.steps == 17
    assert len(fitted.curve) == 3


def test_stages_have_their_own_losses() -> None:
    class Staged(Sides):
        def objective(self, epoch: int) -> Any:
            return self.loss if epoch < 2 else self.backwards

        def backwards(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
            return self.loss(net, (batch[0], 1 - batch[1]))

    fitted = quick(Staged(Recipe(epochs=12, batch=8, rate=0.05), held=0), seed=0)
    task = Sides()
    right, count = task.score(fitted.net, task.batch(range(50)))
    assert right / count < 0.3
