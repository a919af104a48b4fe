"""Our LSTM layer against torch's: states, final states, and gradients of everything."""

from __future__ import annotations

import pytest
import torch

from proband.suites.script.nets.lstm import states


@pytest.mark.parametrize("words", [1, 2, 7])
@pytest.mark.parametrize("started", [False, True])
def test_states_and_gradients_are_those_of_torch(words: int, started: bool) -> None:
    torch.manual_seed(0)
    layer = torch.nn.LSTM(5, 6, batch_first=True).double()
    x = torch.randn(3, words, 5, dtype=torch.float64, requires_grad=True)
    h, c = (torch.randn(1, 3, 6, dtype=torch.float64, requires_grad=True) for _ in range(2))
    theirs, (_, last) = layer(x, (h, c) if started else None)
    mine, cells = states(x, *layer.parameters(), start=(h[0], c[0]) if started else None)
    torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(cells[:, -1], last[0])
    weights = torch.randn(3, words, 6, dtype=torch.float64)
    inputs = [x, *layer.parameters(), *([h, c] if started else [])]
    right = torch.autograd.grad((theirs * weights).sum() + 2 * last.square().sum(), inputs)
    found = torch.autograd.grad((mine * weights).sum() + 2 * cells[:, -1].square().sum(), inputs)
    for one, other in zip(found, right, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("which", [0, 1])
def test_only_one_of_the_outputs_is_used(which: int) -> None:
    torch.manual_seed(1)
    layer = torch.nn.LSTM(2, 3, batch_first=True).double()
    x = torch.randn(2, 4, 2, dtype=torch.float64)
    out, (_, last) = layer(x)
    right = torch.autograd.grad((out if which == 0 else last).square().sum(), list(layer.parameters()))
    hs, cs = states(x, *layer.parameters())
    found = torch.autograd.grad((hs if which == 0 else cs[:, -1]).square().sum(), list(layer.parameters()))
    for one, other in zip(found, right, strict=True):
        torch.testing.assert_close(one, other)
