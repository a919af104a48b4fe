"""The loop on a small classification: the same twice, kill and resume, early stopping, several fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.training.conftest import RECIPE, Killed, Sides, quick, same
from torch import Tensor

from proband.core.errors import ProbandError
from proband.training.recipe import Recipe


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


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_killed_fit_goes_on_to_the_same_weights(average: float, tmp_path: Path) -> None:
    recipe = replace(RECIPE, average=average)

    first_part: list[float] = []

    def stop(line: Mapping[str, float]) -> None:
        first_part.append(line["seconds"])
        if line["epoch"] == 2:
            raise Killed

    whole = quick(Sides(recipe), seed=1)
    with pytest.raises(Killed):
        quick(Sides(recipe), seed=1, folder=tmp_path, of="this", on_epoch=stop)
    epochs: list[float] = []
    on_epoch = lambda line: epochs.append(line["epoch"])  # noqa: E731
    again = quick(Sides(recipe), seed=1, folder=tmp_path, of="this", on_epoch=on_epoch)
    assert epochs == [3, 4, 5]
    seconds = [line["seconds"] for line in again.curve]
    assert seconds == sorted(seconds)
    assert seconds[3] > first_part[-1] > 0  # the time before the end of the process counts
    assert same(whole, again)
    assert [line["valid"] for line in again.curve] == [line["valid"] for line in whole.curve]
    with pytest.raises(ProbandError, match="other settings"):
        quick(Sides(recipe), seed=1, folder=tmp_path, of="that")


def test_the_best_epoch_is_kept_and_patience_ends_a_fit() -> None:
    trained = quick(Sides(Recipe(epochs=60, batch=8, rate=0.05, patience=4)), seed=0)
    scores = [line["valid"] for line in trained.curve]
    assert len(scores) < 60
    assert trained.valid == max(scores) == scores[trained.kept]
    task = Sides()
    total = [task.score(trained.net, batch) for batch in task.held_out()]
    assert sum(int(right) for right, _ in total) / sum(count for _, count in total) == pytest.approx(max(scores))


def test_a_loss_that_is_no_number_ends_a_fit_in_one_line(tmp_path: Path) -> None:
    class Diverges(Sides):
        def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
            return super().loss(net, batch) * float("nan")

    with pytest.raises(ProbandError, match="is not a number in epoch 0; lower the rate"):
        quick(Diverges(), seed=0, folder=tmp_path, of="this")
    assert not list(tmp_path.iterdir())


def test_without_held_out_examples_the_last_weights_are_kept() -> None:
    trained = quick(Sides(held=0), seed=0)
    assert (trained.kept, trained.valid) == (5, None)


def test_a_number_of_steps_may_end_within_an_epoch() -> None:
    class Counted(Sides):
        steps = 0

        def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
            self.steps += 1
            return super().loss(net, batch)

    task = Counted(Recipe(epochs=5, steps=17, batch=8))  # seven steps an epoch
    trained = quick(task, seed=0)
    assert task.steps == 17
    assert len(trained.curve) == 3


def test_stages_have_their_own_losses() -> None:
    class Staged(Sides):
        def objective(self, epoch: int) -> Any:
            return self.loss if epoch < 2 else self.backwards

        def backwards(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
            return self.loss(net, (batch[0], 1 - batch[1]))

    trained = quick(Staged(Recipe(epochs=12, batch=8, rate=0.05), held=0), seed=0)
    task = Sides()
    right, count = task.score(trained.net, task.batch(range(50)))
    assert right / count < 0.3
