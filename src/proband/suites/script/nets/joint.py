r"""The emissions of every cell of the grid (equation 3) from what they are made of, a block of cells at a time.

    h_ij = dropout(relu(d_j + e_i)),   log p(y_j | a_j = i) = h_ij · w_y + b_y - log Σ_v exp(h_ij · w_v + b_v)

Not even the hidden layer of all cells is kept (words × positions × width), only which of its units dropout left: both
passes make the rows of a block anew from d and e. So a step holds little more than a net without alignments does. On a
processor this is also quicker than keeping them, for a block never leaves the cache.

>>> import torch
>>> d, e, w, b = torch.randn(1, 3, 4), torch.randn(1, 2, 4), torch.randn(9, 4), torch.randn(9)
>>> y, cells = torch.tensor([[7, 0, 3]]), torch.tensor([0, 1, 2, 4])
>>> whole = torch.log_softmax((d[:, :, None] + e[:, None]).relu() @ w.T + b, 3)[0, [0, 0, 1, 2], [0, 1, 0, 0]]
>>> mine = cell_log_probability(d, e, w, b, y, cells, drop=0.0)
>>> bool(torch.allclose(mine, whole[range(4), [7, 7, 0, 3]], atol=1e-5))
True
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from proband.suites.script.nets.dropping import drawn
from proband.suites.script.nets.emission import CACHED, NEGLIGIBLE

TINY = 1e-30  # a sum below this has lost digits
WINDOW = 2048  # cells whose gradients are kept until they are summed over words and over positions


def cell_log_probability(
    d: Tensor, e: Tensor, weight: Tensor, bias: Tensor, words: Tensor, cells: Tensor, *, drop: float
) -> Tensor:
    """One number per cell; d: batch × n × width, e: batch × m × width, `cells`: rising indices into all, laid flat."""
    n, m = d.shape[1], e.shape[1]
    at = Where(cells, cells // m, cells // (n * m) * m + cells % m)
    kept, scale = drawn((len(cells), d.shape[2]), drop) if drop else (None, 1.0)
    out: Tensor = _Cells.apply(d, e, weight, bias, words.reshape(-1)[at.j], at, kept, scale)  # type: ignore[no-untyped-call]
    return out


class Where(NamedTuple):
    """Cells, and for each the row of d and the row of e it joins."""

    cell: Tensor
    j: Tensor
    i: Tensor


class _Cells(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, d: Tensor, e: Tensor, weight: Tensor, bias: Tensor, words: Tensor, at: Where, kept: Any, scale: float
    ) -> Tensor:
        ctx.save_for_backward(d, e, weight, bias, words, kept, *at)
        ctx.scale, ctx.normaliser = scale, d.new_empty(len(words))
        right, left, space = _spaces(d, weight, bias, scale)
        picked = d.new_empty(len(words))
        for start in range(0, len(words), CACHED):
            block = slice(start, start + CACHED)
            rows = _rows(left, d, e, at.j[block], at.i[block], kept if kept is None else kept[block])
            rows[:, -1] = 0.0
            scores = torch.mm(rows, right, out=space[: len(rows)])
            picked[block] = scores.gather(1, words[block, None])[:, 0]
            summed = scores.exp_().sum(1)
            if bool((summed > TINY).all() & summed.isfinite().all()):
                ctx.normaliser[block] = summed.log_()
            else:  # scores too large or too small for plain numbers
                ctx.normaliser[block] = torch.mm(rows, right, out=space[: len(rows)]).logsumexp(1)
        return picked.sub_(ctx.normaliser)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        d, e, weight, bias, words, kept, cell, j, i = ctx.saved_tensors
        (g,) = gradients
        matter = (g.abs() > NEGLIGIBLE * g.abs().max()).nonzero()[:, 0]
        right, left, space = _spaces(d, weight, bias, ctx.scale)
        to_d, to_e, to_weight, to_bias = (torch.zeros_like(x) for x in (d, e, right[: d.shape[2]], bias))
        for texts, first, some in _windows(matter, cell, d.shape[1] * e.shape[1], len(d)):
            table = d.new_zeros(len(d[texts]), d.shape[1], e.shape[1], d.shape[2])  # of the cells of a few texts
            flat = table.view(-1, d.shape[2])
            for block in torch.split(some, CACHED):
                rows = _rows(left, d, e, j[block], i[block], kept if kept is None else kept[block])
                size, sign = g[block].abs(), g[block].sign()[:, None]
                rows[:, -1] = size.log() - ctx.normaliser[block]
                slope = torch.mm(rows, right, out=space[: len(rows)]).exp_()  # |g| p(v)
                slope.scatter_add_(1, words[block, None], -size[:, None])
                # zero where relu or dropout put a zero
                joint = torch.ops.aten.threshold_backward(slope @ weight, rows[:, :-2], 0)
                flat[cell[block] - first] = joint.mul_(-ctx.scale * sign)
                to_weight.addmm_((rows[:, :-2] * sign).t(), slope, alpha=-ctx.scale)
                to_bias.addmv_(slope.t(), sign[:, 0], alpha=-1)
            to_d[texts], to_e[texts] = table.sum(2), table.sum(1)
        return to_d, to_e, to_weight.t(), to_bias, None, None, None, None


def _windows(matter: Tensor, cell: Tensor, each: int, texts: int) -> Iterator[tuple[slice, int, Tensor]]:
    """A few texts at a time, the first of their cells, and which of them matter; a text has `each` cells."""
    step = max(1, WINDOW // each)
    starts = list(range(0, texts, step))
    cuts = torch.searchsorted(cell[matter], torch.tensor([start * each for start in (*starts, texts)])).tolist()
    for start, low, high in zip(starts, cuts, cuts[1:]):
        if high > low:
            yield slice(start, start + step), start * each, matter[low:high]


def _spaces(d: Tensor, weight: Tensor, bias: Tensor, scale: float) -> tuple[Tensor, Tensor, Tensor]:
    """What the rows of a block are multiplied with, room for them, and for their scores. A row has two columns more: a
    one for the bias, and a number that is added to all of its scores."""
    right = torch.cat([weight.t() * scale, bias[None], torch.ones_like(bias)[None]])
    return right, d.new_ones(CACHED, d.shape[2] + 2), d.new_empty(CACHED, len(weight))


def _rows(left: Tensor, d: Tensor, e: Tensor, j: Tensor, i: Tensor, kept: Tensor | None) -> Tensor:
    """The hidden layer of some cells but for dropout's factor, in the room for it."""
    width = d.shape[2]
    out = left[: len(j)]
    hidden = out[:, :width]
    torch.add(d.reshape(-1, width).index_select(0, j), e.reshape(-1, width).index_select(0, i), out=hidden).relu_()
    if kept is not None:
        hidden.mul_(kept)
    return out
