"""Examples in batches of similar length, and weights in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from proband.core.errors import ProbandError
from proband.core.files import sha256_file
from proband.training.recipe import Recipe
from proband.training.task import WEIGHTS, PaddedTask, load_weights, save_weights, with_weights


class Words(PaddedTask):
    """Texts as lists of numbers."""

    device = "cpu"

    def __init__(self, *, held_together: int = 0) -> None:
        self.train = [[n] * length for n, length in enumerate((1, 9, 2, 8, 3, 7, 4, 6, 5, 5))]
        self.valid = [[0] * length for length in (5, 1, 3)]
        self.size, self.recipe, self.held_together = len(self.train), Recipe(epochs=1, batch=4), held_together

    def length(self, example: Any) -> int:
        return len(example)

    def pad(self, examples: Sequence[Any]) -> Any:
        longest = max(map(len, examples))
        return [each + [0] * (longest - len(each)) for each in examples]

    def network(self) -> nn.Module:
        return nn.Linear(1, 1)

    def loss(self, net: Any, batch: Any) -> Any:
        raise NotImplementedError


def test_an_epoch_has_every_example_once_in_batches_of_similar_length() -> None:
    task = Words()
    batches = [list(each) for each in task.order(epoch=0, seed=1)]
    assert sorted(chain.from_iterable(batches)) == list(range(10))
    assert all(len(each) <= 4 for each in batches)
    spread = [max(task.lengths[i] for i in each) - min(task.lengths[i] for i in each) for each in batches]
    assert sum(spread) < 12, "in the order that they have, four texts differ by eight"
    again, other = ([list(each) for each in task.order(epoch=0, seed=seed)] for seed in (1, 2))
    assert again == batches != other
    assert task.batch([0, 2]) == [[0, 0], [2, 2]]
    assert task.weight([0, 2, 4]) == 3


def test_held_out_examples_are_sorted_by_length() -> None:
    assert [[len(each) for each in batch] for batch in Words(held_together=2).held_out()] == [[3, 3], [5]]
    assert [len(batch) for batch in Words().held_out()] == [3], "as many as are learned from"


def test_weights_come_back_and_those_of_another_net_do_not(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net, other = nn.Linear(3, 2), nn.Linear(3, 2)
    save_weights(net, tmp_path / "net")
    made = with_weights(other, tmp_path / "net")
    assert torch.equal(made["net"].weight, net.weight)
    assert not made["net"].training
    assert (made["name"], made["sha"]) == (f"net:{tmp_path / 'net'}", sha256_file(tmp_path / "net" / WEIGHTS))
    for wrong, folder in ((nn.Linear(4, 2), tmp_path / "net"), (net, tmp_path / "nothing")):
        with pytest.raises(ProbandError, match="has no weights of this net"):
            load_weights(wrong, folder)
