"""Shared layers of the nets: word vectors, an LSTM reader, and the layer that predicts a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from proband.suites.script.nets.batches import ScriptBatch

State = tuple[Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class NetShape:
    """The sizes and regularisation of a net; stored in its net.json."""

    vocabulary: int
    dimension: int = 100  # of the word vectors
    hidden: int = 128  # of each LSTM layer
    width: int = 100  # of the hidden layer of equation 3
    dropout: float = 0.5  # on that layer
    input_dropout: float = 0.0  # on word vectors
    state_dropout: float = 0.0  # on the outputs of the LSTMs
    learned: bool = False  # the word vectors are learned with the net (where no ready ones were given)
    shift: float = 0.0  # fixed log-odds of shift against emit (transducer with fixed transitions)
    anywhere: bool = False  # alignments start at any position, not at the first (transducers)
    lag: bool = False  # a word has the alignment of the word before it (transducers)
    block: int = 0  # rows of equation 3 in memory at a time; 0: as suits the device


class Vectors(nn.Module):
    """Word vectors. Given ones cannot move: they are a buffer, not a parameter, so that no optimiser ever sees them."""

    def __init__(self, table: Tensor, *, drop: float, learned: bool = False) -> None:
        super().__init__()
        self.table: Tensor
        if learned:
            self.register_parameter("table", nn.Parameter(table.clone()))
        else:
            self.register_buffer("table", table.clone())
        self.drop = drop

    def forward(self, words: Tensor) -> Tensor:
        return dropout(self.table[words], self.drop, self.training)


class TokenReader(nn.Module):
    """An LSTM over word vectors. Padding is at the right, so that states before it do not depend on it."""

    def __init__(self, shape: NetShape) -> None:
        super().__init__()
        self.lstm = nn.LSTM(shape.dimension, shape.hidden, batch_first=True)
        self.drop = shape.state_dropout

    def forward(self, vectors: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        out, state = self.lstm(vectors, state)
        return dropout(out, self.drop, self.training), state

    def encode(self, vectors: Tensor, batch: ScriptBatch, *, final: bool = True) -> tuple[Tensor, State | None]:
        """Hidden states batch × m × hidden and, where `final` is wanted, the state after each sentence's last word."""
        if not final:
            return self(vectors)[0], None
        if batch.lengths is None:
            out, state = self.unroll(vectors, batch.positions)
            return dropout(out, self.drop, self.training), state
        counts = torch.from_numpy(batch.lengths[0])
        packed = nn.utils.rnn.pack_padded_sequence(vectors, counts, batch_first=True, enforce_sorted=False)
        out, state = self.lstm(packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=vectors.shape[1])
        return dropout(padded, self.drop, self.training), state

    def unroll(self, vectors: Tensor, positions: Tensor) -> tuple[Tensor, State]:
        """Encode word by word and keep every state, so that the host needs no lengths."""
        weights = [p for _, p in self.lstm.named_parameters()]
        h = c = vectors.new_zeros(len(vectors), self.lstm.hidden_size)
        states: list[State] = []
        for word in vectors.unbind(1):
            h, c = torch.lstm_cell(word, (h, c), *weights[:4])
            states.append((h, c))
        hs, cs = (torch.stack(each, 1) for each in zip(*states))
        last = (positions - 1)[:, None, None].expand(-1, 1, hs.shape[2])
        return hs, (hs.gather(1, last).transpose(0, 1), cs.gather(1, last).transpose(0, 1))


class Output(nn.Module):
    """softmax(W relu(...) + b): equation 3 after its first layer."""

    def __init__(self, shape: NetShape) -> None:
        super().__init__()
        self.linear = nn.Linear(shape.width, shape.vocabulary)
        self.drop, self.block = shape.dropout, shape.block or None

    def word_log_p(self, hidden: Tensor, words: Tensor) -> Tensor:
        """log p of each row's own word; hidden rows × width before the nonlinearity."""
        h = dropout(hidden.relu(), self.drop, self.training)
        return word_log_probability(h, self.linear.weight, self.linear.bias, words, block=self.block)

    def logits(self, hidden: Tensor) -> Tensor:
        out: Tensor = self.linear(dropout(hidden.relu(), self.drop, self.training))
        return out


# ---- log p(y_j | a_j = i) for every word and position (equation 3), without the words × positions × vocabulary tensor


NEGLIGIBLE = 1e-8
CACHED = 128  # rows: with 2,000 words a block of one megabyte, which a core's second cache holds


def word_log_probability(h: Tensor, weight: Tensor, bias: Tensor, words: Tensor, *, block: int | None = None) -> Tensor:
    r"""log p(words[r]) under softmax(weight h[r] + bias), for every row r; `block` rows are in memory at a time.

    Only one entry of each softmax is needed, that of the given word:

        log p(y) = h · w_y + b_y - log Σ_v exp(h · w_v + b_v)
        ∂/∂logit_v log p(y) = [v = y] - p(v)

    so the rows h are taken a few at a time, and the backward pass recomputes each block's probabilities instead of
    keeping them. A block stays in the cache, which pays for the second multiplication. A row whose gradient is exactly
    zero, or too small to change a float32 sum (below `NEGLIGIBLE` of the largest), is left out of it: in the marginal
    likelihood that gradient is the posterior of an alignment, and most are such.

    >>> import torch
    >>> h, w, b = torch.randn(6, 4), torch.randn(9, 4), torch.randn(9)
    >>> y = torch.tensor([0, 3, 8, 1, 1, 5])
    >>> whole = torch.log_softmax(h @ w.T + b, 1)[torch.arange(6), y]
    >>> bool(torch.allclose(word_log_probability(h, w, b, y, block=4), whole, atol=1e-5))
    True
    """
    if block is None:
        block = CACHED if h.device.type == "cpu" else 1 << 17
    out: Tensor = Picked.apply(h, weight, bias, words, block)  # type: ignore[no-untyped-call]
    return out


class Picked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, bias: Tensor, words: Tensor, block: int) -> Tensor:
        normaliser = h.new_empty(len(h))
        space = h.new_empty(min(block, len(h)), len(weight))  # one block of scores, reused
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
        if not g.is_cuda:  # counting rows would synchronise the device
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
