r"""The relational memory (`rmc`) of S nets at once, each with weights of its own.

A step is the same as there, written with the leading dimension S. What differs is the way back: only the memories are
kept, a step is taken again where its gradient is asked for, and the gradient of a weight matrix is added up in place,
`dW += dY^T X` for the product Y = X W^T + bias. On a CUDA device both ways are compiled, so that all that is
point-wise between two products is one kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from proband.core.progress import say

Tensors = Sequence[Tensor]


class Size(NamedTuple):
    slots: int
    heads: int
    key: int
    input_bias: float
    forget_bias: float


class Unrolled(torch.autograd.Function):
    """known: S × B × T × heads·(key + head), gates: S × B × T × 2D, there: S × B × T; then `size`, the number of
    products P, P matrices, P biases, and the gains and offsets of the two norms. The products are, in order, queries
    with keys and values, the layers of the perceptron, the gates. Returns the memory after each word:
    S × B·slots × T × D. Under `torch.func.vmap` the nets are the leading dimension."""

    @staticmethod
    def forward(known: Tensor, gates: Tensor, there: Tensor, size: Size, products: int, *weights: Tensor) -> Tensor:
        matrices, biases, norms = weights[:products], weights[products:-4], weights[-4:]
        memory = first(known, size, norms[0].shape[-1])
        take, after = compiled(step, known.device), []
        for parts in words(known, gates, there):
            memory = take(memory, *parts, [bias[:, None] for bias in biases], matrices, norms, size)[0]
            after.append(memory)
        return torch.stack(after).movedim(0, 2)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        known, gates, there, ctx.size, ctx.products, *weights = inputs
        ctx.save_for_backward(known, gates, there, output, *weights)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        known, gates, there, states, *weights = ctx.saved_tensors
        states, wanted = states.movedim(2, 0), grads[0].movedim(2, 0)
        matrices, biases, norms = weights[: ctx.products], weights[ctx.products : -4], weights[-4:]
        start, take = first(known, ctx.size, norms[0].shape[-1]), compiled(step_back, known.device)
        sums = [torch.zeros_like(weight) for weight in weights]
        of_matrices, of_others = sums[: ctx.products], sums[ctx.products :]
        of_known, of_gates, d = [], [], torch.zeros_like(start)
        for t, parts in reversed(list(enumerate(words(known, gates, there)))):
            before = states[t - 1] if t else start
            found = take(d + wanted[t], before, *parts, biases, matrices, norms, ctx.size)
            (d, dk, dg), inputs, outputs, others = found
            of_known.append(dk)
            of_gates.append(dg)
            for total, x, dy in zip(of_matrices, inputs, outputs, strict=True):
                total.baddbmm_(dy.mT, x)
            torch._foreach_add_(of_others, others)
        back = (torch.stack(each[::-1], 2) for each in (of_known, of_gates))
        return *back, None, None, None, *sums

    @staticmethod
    def vmap(info: Any, in_dims: Sequence[int | None], *given: Any) -> tuple[Tensor, int]:
        def flat(part: Any, dim: int | None) -> Any:
            if not isinstance(part, Tensor):
                return part
            part = part.expand(info.batch_size, *part.shape) if dim is None else part.movedim(dim, 0)
            return part.flatten(0, 1)

        found = Unrolled.apply(*map(flat, given, in_dims))  # type: ignore[no-untyped-call]
        return found.unflatten(0, (info.batch_size, -1)), 0


def first(known: Tensor, size: Size, width: int) -> Tensor:
    """S × B·slots × D"""
    rows = torch.eye(size.slots, width, device=known.device, dtype=known.dtype)
    return rows.repeat(known.shape[1], 1).expand(len(known), -1, -1).contiguous()


def words(known: Tensor, gates: Tensor, there: Tensor) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Of each word: S × B × ..."""
    return list(zip(*(part.movedim(2, 0).contiguous().unbind(0) for part in (known, gates, there))))


def step(
    memory: Tensor, known: Tensor, gate: Tensor, there: Tensor, biases: Tensors, matrices: Tensors, norms: Tensors,
    size: Size,
) -> tuple[Tensor, Tensors]:  # fmt: skip
    """The memory after a word, and the left side of each product. A bias is S × 1 × O, or as large as its product."""
    inputs: list[Tensor] = []

    def product(x: Tensor) -> Tensor:
        inputs.append(x)
        return torch.baddbmm(biases[len(inputs) - 1], x, matrices[len(inputs) - 1].mT)

    nets, rows, width = memory.shape
    asked = product(memory)
    q = asked[..., : size.heads * size.key].reshape(nets, -1, size.slots, 1, size.heads, size.key)
    own = asked[..., size.heads * size.key :].reshape(nets, -1, size.slots, size.heads, size.key + width // size.heads)
    both = torch.cat([own, known.reshape(nets, -1, 1, *own.shape[3:])], 2)[:, :, None]
    k, v = both[..., : size.key], both[..., size.key :]
    attention = ((q * k).sum(-1) / size.key**0.5).softmax(3)
    attended = (attention[..., None] * v).sum(3).reshape(nets, rows, width)
    m = normed(memory + attended, *norms[:2])
    inner = m
    for _ in range(len(matrices) - 2):
        inner = torch.relu(product(inner))
    m = normed(m + inner, *norms[2:])
    i, f = (gate.repeat_interleave(size.slots, 1) + product(torch.tanh(memory))).chunk(2, -1)
    new = torch.sigmoid(i + size.input_bias) * torch.tanh(m) + torch.sigmoid(f + size.forget_bias) * memory
    return torch.where(there.repeat_interleave(size.slots, 1)[..., None], new, memory), inputs


def normed(x: Tensor, gain: Tensor, offset: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:]) * gain[:, None] + offset[:, None]


def step_back(
    d: Tensor, memory: Tensor, known: Tensor, gate: Tensor, there: Tensor, biases: Tensors, matrices: Tensors,
    norms: Tensors, size: Size,
) -> tuple[tuple[Tensor, Tensor, Tensor], Tensors, Tensors, Tensors]:  # fmt: skip
    """Gradients of memory, known and gate; both sides of `dW = dY^T X` for each product; gradients of all biases and
    norms."""

    def forth(*given: Any) -> tuple[Tensor, Tensors]:
        memory, known, gate, whole, norms = given
        return step(memory, known, gate, there, whole, matrices, norms, size)

    whole = [bias[:, None].expand(-1, memory.shape[1], -1) for bias in biases]
    pulled: Any = torch.func.vjp(forth, memory, known, gate, whole, list(norms), has_aux=True)
    _, pull, inputs = pulled
    of_memory, of_known, of_gate, of_products, of_norms = pull(d)
    sums = [dy.sum(1) for dy in of_products]
    return (of_memory, of_known, of_gate), inputs, of_products, [*sums, *of_norms]


@cache
def compiled(work: Callable[..., Any], device: torch.device) -> Callable[..., Any]:
    return or_plain(work) if device.type == "cuda" else work


def or_plain(work: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled; as it is, if torch finds nothing to compile with."""
    from torch._dynamo.exc import TorchDynamoException  # takes a second to import

    way: list[Callable[..., Any]] = [torch.compile(work)]

    def take(*given: Any) -> Any:
        try:
            return way[0](*given)
        except TorchDynamoException as error:
            say(f"RMC's steps are not compiled, which makes them slower: {str(error).splitlines()[0]}")
            way[0] = work
            return work(*given)

    return take
