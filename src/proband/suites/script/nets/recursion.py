r"""The recursion over monotone alignments (equation 7), once, in any semiring.

Equation 4 lets the alignment of word j move from k to i by i - k shifts and one emit. Taken one action at a time the
actions draw a path through a grid: `shift` goes from source position i to i + 1, `emit` from word j to j + 1. With

    A[j, i] = weight of all ways to have emitted words 0..j-1 and to stand at position i, about to shift or emit

equation 7 becomes a sum of two terms instead of i terms, which no longer needs an m × m matrix of transitions:

    A[j, i] = (A[j, i-1] ⊗ shift[j, i-1]) ⊕ (A[j-1, i] ⊗ emit[j-1, i])                                              (7')

    shift[j, i] = log p(shift | i, x_1:i, y_1:j-1),  emit[j, i] = log p(emit | i, ...) + log p(y_j | i, ...).

The cells with j + i = d depend only on those with j + i = d - 1, so a whole anti-diagonal, for the whole batch, is one
vector operation: n + m - 1 small steps. Cells beyond a sentence's own lengths never flow into cells within them, so
padding needs no mask: the answer of each sentence is read in its own corner,

    α_m(n) = A[n-1, m-1] ⊗ emit[n-1, m-1]      (the last word is aligned to the last source word).

Example: two words, two positions, every weight 1: the first word comes from position 0 or 1, the last one from 1.

>>> import torch
>>> ones = torch.zeros(1, 2, 2)
>>> lengths = torch.tensor([2])
>>> float(total(ones, ones, words=lengths, positions=lengths, semiring=COUNT))
2.0
>>> float(total(ones, ones, words=lengths, positions=lengths, semiring=LOG).exp())
2.0
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from proband.suites.script.nets.semiring import COUNT, LOG, MAX, NEVER, Semiring

__all__ = ["COUNT", "LOG", "MAX", "best", "drawn", "grid", "posteriors", "rows", "sample", "total", "viterbi"]

# Which of the two ways into a cell was taken, given both weights: true where it was the emit.
Choose = Callable[[Tensor, Tensor], Tensor]


def grid(emit: Tensor, shift: Tensor, *, semiring: Semiring, start: Tensor | None = None) -> Tensor:
    """A[b, j, i] of equation 7' for j < n, as a tensor batch × n × m.

    `emit` and `shift` are log-probabilities, batch × n × m. `start[b, i]` is the weight of standing at position i
    before any word (by default all of it at position 0), so that a sequence can be continued word by word.
    """
    batch, n, m = emit.shape
    times, plus = semiring.times, semiring.plus
    down, right = _skew(semiring.lift(emit), semiring.zero), _skew(semiring.lift(shift), semiring.zero)
    if start is None:
        start = torch.full_like(emit[:, 0], semiring.zero)
        start[:, 0] = semiring.one
    wave = start.clone()
    wave[:, 1:] = semiring.zero
    none = torch.full_like(wave[:, :1], semiring.zero)
    waves = [wave]
    for d in range(1, n + m - 1):
        shifted = torch.cat([none, times(wave[:, :-1], right[d - 1][:, :-1])], 1)
        wave = plus(shifted, times(wave, down[d - 1]))
        if d < m:  # the cell of row 0 on this diagonal may also be where the sequence starts
            wave = torch.cat([wave[:, :d], plus(wave[:, d : d + 1], start[:, d : d + 1]), wave[:, d + 1 :]], 1)
        waves.append(wave)
    return _unskew(torch.stack(waves, 1), n)


def _skew(x: Tensor, fill: float) -> list[Tensor]:
    """The anti-diagonals of batch × n × m: element d holds x[:, d - i, i] at i, and `fill` outside the grid."""
    batch, n, m = x.shape
    wide = torch.nn.functional.pad(x.transpose(1, 2), (0, m), value=fill)  # batch × m × (n + m)
    skewed = wide.reshape(batch, -1)[:, : m * (n + m - 1)].reshape(batch, m, n + m - 1)  # row i moves i to the right
    return list(skewed.permute(2, 0, 1).contiguous().unbind(0))


def _unskew(waves: Tensor, n: int) -> Tensor:
    """Back from batch × diagonals × m to batch × n × m."""
    batch, diagonals, m = waves.shape
    flat = torch.nn.functional.pad(waves.transpose(1, 2).reshape(batch, -1), (0, m))
    return flat.reshape(batch, m, diagonals + 1)[:, :, :n].transpose(1, 2)


def _corner(table: Tensor, words: Tensor, positions: Tensor) -> Tensor:
    each = torch.arange(len(table), device=table.device)
    return table[each, words - 1, positions - 1]


def total(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, semiring: Semiring) -> Tensor:
    """α_m(n) of every sentence of the batch: in LOG the log marginal likelihood, in MAX the score of the best path."""
    cells = grid(emit, shift, semiring=semiring)
    last = semiring.lift(_corner(emit, words, positions))
    return semiring.times(_corner(cells, words, positions), last)


def rows(emit: Tensor, shift: Tensor, *, semiring: Semiring, start: Tensor | None = None) -> Tensor:
    """α_i(j) itself for every prefix: batch × n × m, weight of y_1:j with word j aligned to position i."""
    return semiring.times(grid(emit, shift, semiring=semiring, start=start), semiring.lift(emit))


def posteriors(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor) -> Tensor:
    """p(a_j = i | x, y): the gradient of log α_m(n) in emit[j, i] (Eisner 2016). Rows beyond a sentence are zero."""
    with torch.enable_grad():
        leaf = emit.detach().requires_grad_()
        value = total(leaf, shift.detach(), words=words, positions=positions, semiring=LOG)
        (gradient,) = torch.autograd.grad(value.sum(), leaf)
    return gradient


def viterbi(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor) -> Tensor:
    """The most likely alignment, batch × n, traced back from a_n = m; -1 beyond a sentence."""
    cells = grid(emit, shift, semiring=MAX)
    return _walk(cells, emit, shift, words=words, positions=positions, choose=best)


def sample(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, generator: Generator) -> Tensor:
    """One alignment drawn from p(a | x, y) for every sentence, batch × n; -1 beyond a sentence."""
    cells = grid(emit, shift, semiring=LOG)
    return _walk(cells, emit, shift, words=words, positions=positions, choose=drawn(generator))


def best(emitted: Tensor, shifted: Tensor) -> Tensor:
    return emitted >= shifted


def drawn(generator: Generator) -> Choose:
    """Emit with probability exp(emitted) / (exp(emitted) + exp(shifted))."""
    def choose(emitted: Tensor, shifted: Tensor) -> Tensor:
        coins = torch.rand(emitted.shape, generator=generator, dtype=emitted.dtype, device=emitted.device)
        return coins < torch.sigmoid(emitted - shifted)

    return choose


def _walk(cells: Tensor, emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, choose: Choose) -> Tensor:
    """From each sentence's corner back to the start, asking at every cell which way it was entered."""
    batch, n, m = emit.shape
    came_down = torch.full_like(cells, NEVER)  # into (j, i) from (j-1, i), by emitting word j-1
    came_down[:, 1:] = cells[:, :-1] + emit[:, :-1]
    came_right = torch.full_like(cells, NEVER)  # into (j, i) from (j, i-1), by a shift
    came_right[:, :, 1:] = cells[:, :, :-1] + shift[:, :, :-1]
    down = choose(came_down, came_right)
    down[:, 0] = False
    down[:, 1:, 0] = True
    each = torch.arange(batch, device=emit.device)
    j, i = words - 1, positions - 1
    alignment = torch.full((batch, n), -1, dtype=torch.long, device=emit.device)
    alignment[each, j] = i
    for _ in range(n + m - 2):
        step = down[each, j, i]
        j = (j - step.long()).clamp(min=0)
        i = (i - (~step).long()).clamp(min=0)
        alignment[each, j] = torch.where(step, i, alignment[each, j])
    return alignment
