"""The picked word's log-probability and its gradients against a whole log-softmax by autograd."""

from __future__ import annotations

import pytest
import torch

from proband.suites.script.nets.layers import word_log_probability

ROWS, WIDTH, WORDS = 23, 6, 40


def problem() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(0)
    h, weight, bias = (
        (torch.randn(shape, generator=g, dtype=torch.float64) * 3).requires_grad_()
        for shape in ((ROWS, WIDTH), (WORDS, WIDTH), (WORDS,))
    )
    return h, weight, bias, torch.randint(0, WORDS, (ROWS,), generator=g)


@pytest.mark.parametrize("block", [1, 7, 23, 100])
@pytest.mark.parametrize("gradient", ["ones", "mixed", "sparse", "none"])
def test_values_and_gradients_are_those_of_the_whole_softmax(block: int, gradient: str) -> None:
    h, weight, bias, words = problem()
    above = torch.randn(ROWS, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    if gradient == "ones":
        above = torch.ones_like(above)
    elif gradient == "sparse":  # rows without a gradient are skipped
        above[::3] = 0.0
    elif gradient == "none":
        above = torch.zeros_like(above)
    whole = torch.log_softmax(h @ weight.T + bias, 1)[torch.arange(ROWS), words]
    expected = torch.autograd.grad(whole, (h, weight, bias), above)
    picked = word_log_probability(h, weight, bias, words, block=block)
    torch.testing.assert_close(picked, whole)
    for found, right in zip(torch.autograd.grad(picked, (h, weight, bias), above), expected):
        torch.testing.assert_close(found, right, rtol=1e-6, atol=1e-7)


def test_large_scores_do_not_overflow() -> None:
    h, weight, bias, words = problem()
    whole = torch.log_softmax((h.float() * 100) @ weight.float().T + bias.float(), 1)[torch.arange(ROWS), words]
    picked = word_log_probability(h.float() * 100, weight.float(), bias.float(), words)
    torch.testing.assert_close(picked, whole, rtol=1e-4, atol=1e-2)
    assert torch.isfinite(torch.autograd.grad(picked.sum(), h)[0]).all()
