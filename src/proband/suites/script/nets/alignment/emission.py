r"""log p(y_j | a_j = i) for every word and position (equation 3), without the words × positions × vocabulary tensor.

Of each softmax only one entry is wanted, the one of the word that stands there:

    log p(y) = h · w_y + b_y - log Σ_v exp(h · w_v + b_v)
    ∂/∂logit_v log p(y) = [v = y] - p(v)

so the rows h are taken a few at a time, and the backward pass computes each block's probabilities anew instead
of keeping them. A block stays in the cache, which pays for the second multiplication. A row whose gradient is exactly
zero, or too small to change a float32 sum (below `NEGLIGIBLE` of the largest), is left out of it: in the marginal
likelihood that gradient is the posterior of an alignment, and most are such.

>>> import torch
>>> h, w, b = torch.randn(6, 4), torch.randn(9, 4), torch.randn(9)
>>> y = torch.tensor([0, 3, 8, 1, 1, 5])
>>> whole = torch.log_softmax(h @ w.T + b, 1)[torch.arange(6), y]
>>> bool(torch.allclose(word_log_probability(h, w, b, y, block=4), whole, atol=1e-5))
True
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

NEGLIGIBLE = 1e-8
CACHED = 128  # rows: with 2,000 words a block of one megabyte, which a core's second cache holds


def word_log_probability(h: Tensor, weight: Tensor, bias: Tensor, words: Tensor, *, block: int | None = None) -> Tensor:
    """log p(words[r]) under softmax(weight h[r] + bias), for every row r; `block` rows are in memory at a time."""
    if block is None:
        block = CACHED if h.device.type == "cpu" else 1 << 17
    out: Tensor = Picked.apply(h, weight, bias, words, block)  # type: ignore[no-untyped-call]
    return out


class Picked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, bias: Tensor, words: Tensor, block: int) -> Tensor:
        normaliser = h.new_empty(len(h))
        space = h.new_empty(min(block, len(h)), len(weight))  # one block of scores, used again and again
        for at in range(0, len(h), block):
            rows = h[at : at + block]
            scores = torch.addmm(bias, rows, weight.t(), out=space[: len(rows)])
            top = scores.amax(1)
            normaliser[at : at + block] = scores.sub_(top[:, None]).exp_().sum(1).log_().add_(top)
        ctx.save_for_backward(h, weight, bias, words, normaliser)
        ctx.block = block
        return (h * weight[words]).sum(1) + bias[words] - normaliser

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        h, weight, bias, words, normaliser = ctx.saved_tensors
        (g,) = gradients
        to_h, to_weight, to_bias = torch.zeros_like(h), torch.zeros_like(weight), torch.zeros_like(bias)
        count = len(g)
        if not g.is_cuda:  # to count rows would make a device wait
            matter = (g.abs() > NEGLIGIBLE * g.abs().max()).nonzero()[:, 0]
            count = len(matter)
        space = h.new_empty(min(ctx.block, count), len(weight))
        for at in range(0, count, ctx.block):
            these = slice(at, at + ctx.block) if g.is_cuda else matter[at : at + ctx.block]
            rows, weights = h[these], g[these, None]
            # -g p(v), in place; then the entry of the word itself
            slope = torch.addmm(bias, rows, weight.t(), out=space[: len(rows)])
            slope.sub_(normaliser[these, None]).exp_().mul_(-weights)
            slope.scatter_add_(1, words[these, None], weights)
            to_h[these] = slope @ weight
            to_weight.addmm_(slope.t(), rows)
            to_bias += slope.sum(0)
        return to_h, to_weight, to_bias, None, None
