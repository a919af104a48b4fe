"""The emissions of the grid's cells and their gradients against a whole log-softmax by autograd."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from proband.suites.script.nets.dropping import drawn
from proband.suites.script.nets.joint import cell_log_probability

BATCH, WORDS, POSITIONS, WIDTH, VOCABULARY = 3, 11, 7, 6, 30


def problem() -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], Tensor, Tensor]:
    g = torch.Generator().manual_seed(0)
    shapes = ((BATCH, WORDS, WIDTH), (BATCH, POSITIONS, WIDTH), (VOCABULARY, WIDTH), (VOCABULARY,))
    d, e, weight, bias = ((torch.randn(s, generator=g, dtype=torch.float64) * 2).requires_grad_() for s in shapes)
    words = torch.randint(0, VOCABULARY, (BATCH, WORDS), generator=g)
    cells = torch.rand(BATCH * WORDS * POSITIONS, generator=g).lt(0.8).nonzero()[:, 0]
    return (d, e, weight, bias), words, cells


def whole(d: Tensor, e: Tensor, weight: Tensor, bias: Tensor, words: Tensor, kept: Tensor) -> Tensor:
    hidden = (d[:, :, None] + e[:, None]).relu() * kept
    scores = torch.log_softmax(hidden @ weight.T + bias, 3)
    return scores.gather(3, words[:, :, None, None].expand(-1, -1, POSITIONS, 1)).reshape(-1)


@pytest.mark.parametrize("gradient", ["ones", "mixed", "sparse"])
@pytest.mark.parametrize("drop", [0.0, 0.4])
def test_values_and_gradients(gradient: str, drop: float) -> None:
    inputs, words, cells = problem()
    above = torch.randn(len(cells), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    if gradient == "ones":
        above = torch.ones_like(above)
    elif gradient == "sparse":
        above[::3] = 0.0
    torch.manual_seed(5)
    found = cell_log_probability(*inputs, words, cells, drop=drop)
    torch.manual_seed(5)
    kept = torch.ones(BATCH * WORDS * POSITIONS, WIDTH, dtype=torch.float64)
    if drop:
        mask, scale = drawn((len(cells), WIDTH), drop)
        kept[cells] = mask.double() * scale
    right = whole(*inputs, words, kept.view(BATCH, WORDS, POSITIONS, WIDTH))[cells]
    torch.testing.assert_close(found, right)
    expected = torch.autograd.grad(right, inputs, above)
    for mine, theirs in zip(torch.autograd.grad(found, inputs, above), expected):
        torch.testing.assert_close(mine, theirs, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("offset", [300.0, -300.0])
def test_scores_beyond_what_exp_can_hold(offset: float) -> None:
    inputs, words, cells = problem()
    d, e, weight, bias = (x.detach().float() for x in inputs)
    bias = (bias + offset).requires_grad_()
    found = cell_log_probability(d, e, weight, bias, words, cells, drop=0.0)
    right = whole(d, e, weight, bias, words, torch.ones(BATCH, WORDS, POSITIONS, WIDTH))[cells]
    torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(
        *(torch.autograd.grad(value.sum(), bias)[0] for value in (found, right)), rtol=1e-3, atol=1e-3
    )  # fmt: skip
