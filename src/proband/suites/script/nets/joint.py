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

from proband.suites.script.nets.emission import CACHED, NEGLIGIBLE

WINDOW = 2048  # cells whose gradients are kept until they are summed over words and over positions


def cell_log_probability(
    d: Tensor, e: Tensor, weight: Tensor, bias: Tensor, words: Tensor, cells: Tensor, *, drop: float
) -> Tensor:
    """One number per cell; d: batch × n × width, e: batch × m × width, `cells`: rising indices into all, laid flat."""
    n, m = d.shape[1], e.shape[1]
    at = Where(cells, cells // m, cells // (n * m) * m + cells % m)
    kept = torch.empty(len(cells), d.shape[2], dtype=torch.bool).bernoulli_(1 - drop) if drop else None
    out: Tensor = _Cells.apply(d, e, weight, bias, words.reshape(-1)[at.j], at, kept, 1 / (1 - drop))  # type: ignore[no-untyped-call]
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
        right = torch.cat([weight, bias[:, None]], 1).t().contiguous()
        left, space = _spaces(d, weight, len(words))
        picked = d.new_empty(len(words))
        for start in range(0, len(words), CACHED):
            block = slice(start, start + CACHED)
            rows = _rows(left, d, e, at.j[block], at.i[block], kept if kept is None else kept[block], scale)
            scores = torch.mm(rows, right, out=space[: len(rows)])
            picked[block] = scores.gather(1, words[block, None])[:, 0]
            top = scores.amax(1)
            ctx.normaliser[block] = scores.sub_(top[:, None]).exp_().sum(1).log_().add_(top)
        return picked.sub_(ctx.normaliser)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        d, e, weight, bias, words, kept, cell, j, i = ctx.saved_tensors
        (g,) = gradients
        matter = (g.abs() > NEGLIGIBLE * g.abs().max()).nonzero()[:, 0]
        right = torch.cat([weight, bias[:, None]], 1).t().contiguous()
        left, space = _spaces(d, weight, len(matter))
        to_d, to_e, to_weight, to_bias = (torch.zeros_like(x) for x in (d, e, weight, bias))
        for texts, first, some in _windows(matter, cell, d.shape[1] * e.shape[1], len(d)):
            table = d.new_zeros(len(d[texts]), d.shape[1], e.shape[1], d.shape[2])  # of the cells of a few texts
            flat = table.view(-1, d.shape[2])
            for block in torch.split(some, CACHED):
                rows = _rows(left, d, e, j[block], i[block], kept if kept is None else kept[block], ctx.scale)
                size, sign = g[block].abs(), g[block].sign()[:, None]
                offset = (size.log() - ctx.normaliser[block])[:, None]
                slope = torch.mm(rows, right, out=space[: len(rows)]).add_(offset).exp_()  # |g| p(v)
                slope[torch.arange(len(rows)), words[block]] -= size
                alive = (rows[:, :-1] > 0) * (-ctx.scale * sign)  # where neither relu nor dropout put a zero
                flat[cell[block] - first] = (slope @ weight).mul_(alive)
                rows.mul_(sign)
                to_weight.addmm_(slope.t(), rows[:, :-1], alpha=-1)
                to_bias.addmv_(slope.t(), rows[:, -1], alpha=-1)
            to_d[texts], to_e[texts] = table.sum(2), table.sum(1)
        return to_d, to_e, to_weight, to_bias, None, None, None, None


def _windows(matter: Tensor, cell: Tensor, each: int, texts: int) -> Iterator[tuple[slice, int, Tensor]]:
    """A few texts at a time, the first of their cells, and which of them matter; a text has `each` cells."""
    step = max(1, WINDOW // each)
    starts = list(range(0, texts, step))
    cuts = torch.searchsorted(cell[matter], torch.tensor([start * each for start in (*starts, texts)])).tolist()
    for start, low, high in zip(starts, cuts, cuts[1:]):
        if high > low:
            yield slice(start, start + step), start * each, matter[low:high]


def _spaces(d: Tensor, weight: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Room for the hidden rows of one block, with a column of ones for the bias, and for its scores."""
    size = min(CACHED, count)
    return d.new_ones(size, d.shape[2] + 1), d.new_empty(size, len(weight))


def _rows(left: Tensor, d: Tensor, e: Tensor, j: Tensor, i: Tensor, kept: Tensor | None, scale: float) -> Tensor:
    """The hidden layer of some cells, in the room for it."""
    width = d.shape[2]
    rows = (d.reshape(-1, width)[j]).add_(e.reshape(-1, width)[i]).relu_()
    if kept is not None:
        rows.mul_(kept).mul_(scale)
    out = left[: len(j)]
    out[:, :-1], out[:, -1] = rows, 1.0
    return out
