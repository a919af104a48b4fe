"""Masks of bytes: the share, the scale, independence, the gradient, and the seed."""

from __future__ import annotations

import pytest
import torch

from proband.suites.script.nets.dropping import drawn, dropout


@pytest.mark.parametrize("drop", [0.05, 0.3, 0.5, 0.9])
def test_share_and_scale(drop: float) -> None:
    torch.manual_seed(0)
    mask, scale = drawn((1000, 803), drop)
    kept = mask.double()
    assert set(mask.flatten().tolist()) == {0, 1}
    assert abs(float(kept.mean()) - (1 - drop)) < 0.003 + 1 / 512
    assert abs(float(kept.mean()) * scale - 1) < 0.01
    # neighbours (which share a random number) are as independent as strangers
    spread = float(kept.var())
    for step in (1, 3, 7, 8):
        together = float(((kept[:, step:] - kept.mean()) * (kept[:, :-step] - kept.mean())).mean())
        assert abs(together) < 0.01 * spread


def test_every_byte_of_a_number_is_fair() -> None:
    torch.manual_seed(1)
    mask, _ = drawn((200_000, 8), 0.5)
    assert (mask.double().mean(0) - 0.5).abs().max() < 0.006


def test_gradient_goes_where_the_value_went_and_the_seed_repeats() -> None:
    x = torch.ones(3, 7, requires_grad=True)
    torch.manual_seed(2)
    out = dropout(x, 0.5, True)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    assert torch.equal(gradient, out)
    assert set(out.flatten().tolist()) == {0.0, 2.0}
    torch.manual_seed(2)
    assert torch.equal(dropout(x, 0.5, True), out)
    assert torch.equal(dropout(x, 0.5, False), x)
