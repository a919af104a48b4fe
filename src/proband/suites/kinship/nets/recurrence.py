r"""The recurrence of G LSTMs at once, each with weights of its own:

i, f, g, o = x_t + W h_{t-1},   c_t = sigma(f) c_{t-1} + sigma(i) tanh(g),   h_t = sigma(o) tanh(c_t)

`x_t` is W_x x + b, computed for all words before. cuDNN runs one LSTM at a time and leaves most of a device idle; here
a step is one product and one point-wise kernel for all of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor


class Recurrence(torch.autograd.Function):
    """x: G × B × T × 4H, w: G × 4H × H; returns G × B × T × H. Under `torch.func.vmap` the nets are more LSTMs, not a
    further dimension. It is differentiable there alone: a net by itself reads with `nn.LSTM`."""

    @staticmethod
    def forward(x: Tensor, w: Tensor) -> Tensor:
        return recur(x, w)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError("the recurrence of a net by itself is nn.LSTM")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, int | None], x: Tensor, w: Tensor) -> tuple[Tensor, int]:
        size = info.batch_size
        x, w = (
            part.expand(size, *part.shape) if dim is None else part.movedim(dim, 0)
            for part, dim in zip((x, w), in_dims)
        )
        h = recur(x.flatten(0, 1), w.flatten(0, 1))
        return h.view(size, -1, *h.shape[1:]), 0


def recur(x: Tensor, w: Tensor) -> Tensor:
    told = x.permute(2, 0, 1, 3).contiguous()  # T × G × B × 4H
    groups, rows = told.shape[1:3]
    weights = w.transpose(1, 2).contiguous()
    h = c = x.new_zeros(groups * rows, w.shape[2])
    cell = fused if x.is_cuda and fused_works(x.device) else plain
    states = []
    for given in told.unbind(0):
        hidden = torch.bmm(h.view(groups, rows, -1), weights)
        h, c = cell(given.flatten(0, 1), hidden.flatten(0, 1), c)
        states.append(h)
    return torch.stack(states, 1).view(groups, rows, len(states), -1)


def plain(given: Tensor, hidden: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    i, f, g, o = (given + hidden).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def fused(given: Tensor, hidden: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The same in one kernel: what `nn.LSTMCell` uses on a CUDA device."""
    h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(given, hidden, c)
    return h, c


@cache
def fused_works(device: torch.device) -> bool:
    """It is not a public function, so it is tried once."""
    random = torch.Generator().manual_seed(0)
    given, hidden, c = (torch.randn(3, size, generator=random).to(device) for size in (20, 20, 5))
    try:
        found = fused(given, hidden, c)
    except (AttributeError, RuntimeError, TypeError):
        return False
    return all(torch.allclose(a, b, atol=1e-5) for a, b in zip(found, plain(given, hidden, c)))
