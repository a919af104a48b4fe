r"""The recurrence of G LSTMs at once, each with weights of its own:

i, f, g, o = x_t + W h_{t-1},   c_t = sigma(f) c_{t-1} + sigma(i) tanh(g),   h_t = sigma(o) tanh(c_t)

`x_t` is W_x x + b, computed for all words before. cuDNN runs one LSTM at a time and leaves most of a device idle; here
a step is one product and one point-wise kernel for all of them. So is a step back: the gradient of W is a sum over
steps, one product at the end.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor


class Recurrence(torch.autograd.Function):
    """x: G × B × T × 4H, w: G × 4H × H; returns h: G × B × T × H, and what the way back needs: all c and all gates.
    Under `torch.func.vmap` the nets are more LSTMs, not a further dimension."""

    @staticmethod
    def forward(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        told = x.permute(2, 0, 1, 3).contiguous()  # T × G × B × 4H
        weights = w.transpose(1, 2).contiguous()
        h = c = x.new_zeros(*told.shape[1:3], w.shape[2])
        cell = fused if x.is_cuda and fused_works(x.device) else plain
        steps = []
        for given in told.unbind(0):
            h, c, gates = cell(given, torch.bmm(h, weights), c)
            steps.append((h, c, gates))
        states, cells, gates = (torch.stack(each) for each in zip(*steps))
        return states.permute(1, 2, 0, 3), cells, gates

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(inputs[1], *output)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        w, h, cells, gates = ctx.saved_tensors
        wanted = grads[0].permute(2, 0, 1, 3).contiguous()
        back = fused_back if w.is_cuda and fused_works(w.device) else plain_back
        last, zero = len(wanted) - 1, torch.zeros_like(cells[0])
        dh, dc, steps = wanted[last], zero, []
        for t in range(last, -1, -1):
            d, dc = back(dh, dc, cells[t - 1] if t else zero, cells[t], gates[t])
            steps.append(d)
            if t:
                dh = torch.baddbmm(wanted[t - 1], d, w)
        dx = torch.stack(steps[::-1]).permute(1, 2, 0, 3)  # G × B × T × 4H
        dw = torch.bmm(dx[:, :, 1:].flatten(1, 2).transpose(1, 2), h[:, :, :-1].flatten(1, 2))
        return dx, dw

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, int | None], x: Tensor, w: Tensor) -> Any:
        size = info.batch_size
        x, w = (
            part.expand(size, *part.shape) if dim is None else part.movedim(dim, 0)
            for part, dim in zip((x, w), in_dims)
        )
        h, cells, gates = Recurrence.apply(x.flatten(0, 1), w.flatten(0, 1))  # type: ignore[no-untyped-call]
        return (h.unflatten(0, (size, -1)), cells.unflatten(1, (size, -1)), gates.unflatten(1, (size, -1))), (0, 1, 1)


# ---- one step: `given` is x_t, `hidden` is W h_{t-1}; gates are kept as sigma(i), sigma(f), tanh(g), sigma(o) --------


def plain(given: Tensor, hidden: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    i, f, g, o = (given + hidden).chunk(4, -1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    c = f * c + i * g
    return o * torch.tanh(c), c, torch.cat([i, f, g, o], -1)


def plain_back(dh: Tensor, dc: Tensor, before: Tensor, c: Tensor, gates: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of x_t + W h_{t-1} and of c_{t-1}, which is `before`."""
    i, f, g, o = gates.chunk(4, -1)
    told = torch.tanh(c)
    dc = dc + dh * o * (1 - told**2)
    of_sigmoid = torch.cat([dc * g * i * (1 - i), dc * before * f * (1 - f)], -1)
    return torch.cat([of_sigmoid, dc * i * (1 - g**2), dh * told * o * (1 - o)], -1), dc * f


def fused(given: Tensor, hidden: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    """The same in one kernel: what `nn.LSTMCell` uses on a CUDA device."""
    flat = (part.flatten(0, -2) for part in (given, hidden, c))
    found = torch.ops.aten._thnn_fused_lstm_cell(*flat)
    return tuple(part.view(*c.shape[:-1], -1) for part in found)


def fused_back(dh: Tensor, dc: Tensor, before: Tensor, c: Tensor, gates: Tensor) -> tuple[Tensor, ...]:
    flat = (part.flatten(0, -2) for part in (dh, dc, before, c, gates))
    found = torch.ops.aten._thnn_fused_lstm_cell_backward_impl(*flat, False)[:2]
    return tuple(part.view(*c.shape[:-1], -1) for part in found)


@cache
def fused_works(device: torch.device) -> bool:
    """These are not public functions, so they are tried once."""
    random = torch.Generator().manual_seed(0)
    given, hidden, c = (torch.randn(2, 3, size, generator=random).to(device) for size in (20, 20, 5))
    try:
        one, other = plain(given, hidden, c), fused(given, hidden, c)
        back = [way(c, c + 1, c, *one[1:]) for way in (plain_back, fused_back)]
    except (AttributeError, RuntimeError, TypeError):
        return False
    return all(torch.allclose(a, b, atol=1e-5) for a, b in zip((*one, *back[0]), (*other, *back[1]), strict=True))
