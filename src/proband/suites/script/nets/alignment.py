"""The recursion over monotone alignments (equation 7), once, in any semiring.

Equation 4 lets the alignment of word j move from k to i by i - k shifts and one emit. Taken one action at a time the
actions draw a path through a grid: `shift` goes from source position i to i + 1, `emit` from word j to j + 1. With

    A[j, i] = weight of all ways to have emitted words 0..j-1 and to stand at position i, about to shift or emit

equation 7 becomes a sum of two terms instead of i terms, which no longer needs an m × m matrix of transitions:

    A[j, i] = (A[j, i-1] ⊗ shift[j, i-1]) ⊕ (A[j-1, i] ⊗ emit[j-1, i])                                              (7')

    shift[j, i] = log p(shift | i, x_1:i, y_1:j-1),  emit[j, i] = log p(emit | i, ...) + log p(y_j | i, ...).

The cells with j + i = d depend only on those with j + i = d - 1, so a whole anti-diagonal, for the whole batch, is one
vector operation: n + m - 2 small steps. Cells beyond a sentence's own lengths never flow into cells within them, so
padding needs no mask: the answer of each sentence is read in its own corner,

    α_m(n) = A[n-1, m-1] ⊗ emit[n-1, m-1]      (the last word is aligned to the last source word).

The weight of all ways *out of* a cell obeys the same recursion with both axes reversed, so the gradient of log α_m(n),
which is the posterior of every action, costs no second piece of code: `sweep` runs over the grid and over its mirror
image side by side, as two halves of one batch.

Example: two words, two positions, every weight 1: the first word comes from position 0 or 1, the last one from 1.

>>> from proband.suites.script.nets.alignment import COUNT
>>> ones, two = torch.zeros(1, 2, 2), torch.tensor([2])
>>> [float(total(ones, ones, words=two, positions=two, semiring=s)) for s in (COUNT, MAX)]
[2.0, 0.0]
>>> posteriors(ones, ones, words=two, positions=two).tolist()
[[[0.5, 0.5], [0.0, 1.0]]]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

# ---- what the recursion over alignments adds and multiplies with ---------------------------------------------------
#
# Equation 7 of the paper is written with + and ×. Read them in another semiring and the same lines of code give another
# quantity: in LOG the marginal likelihood (and by its gradient the posteriors), in MAX the Viterbi score of section
# A.4, in REAL plain probabilities, in COUNT the number of alignments. A semiring is an object that is passed in.


NEVER = -1e30  # log 0 that stays finite, so that no gradient is inf - inf


@dataclass(frozen=True)
class Semiring:
    """⊕ (`plus`), ⊗ (`times`), their neutral elements, and `lift`: a log-probability as an element.

    >>> import torch
    >>> half = torch.tensor(0.5).log()
    >>> [round(float(s.plus(s.lift(half), s.lift(half))), 4) for s in (LOG, MAX, REAL, COUNT)]
    [0.0, -0.6931, 1.0, 2.0]
    """

    name: str
    plus: Callable[..., Tensor]  # (a, b), and like torch's own functions `out`
    times: Callable[..., Tensor]
    lift: Callable[[Tensor], Tensor]
    zero: float
    one: float


LOG = Semiring("log", torch.logaddexp, torch.add, lambda x: x, zero=NEVER, one=0.0)
MAX = Semiring("max", torch.maximum, torch.add, lambda x: x, zero=NEVER, one=0.0)
REAL = Semiring("real", torch.add, torch.mul, torch.exp, zero=0.0, one=1.0)
COUNT = Semiring("count", torch.add, torch.mul, lambda x: (x > NEVER / 2).to(x.dtype), zero=0.0, one=1.0)


# ---- the recursion --------------------------------------------------------------------------------------------------


def sweep(by_shift: Tensor, by_emit: Tensor, *, semiring: Semiring, start: Tensor | None = None) -> Tensor:
    """Equation 7' over batch × n × m, given the weight of the arc into each cell by a shift and by an emit.

    All weight starts in cell (0, 0), or (`start`, batch × m) anywhere in row 0. No gradient passes through.
    """
    size, n, m = by_emit.shape
    arcs = _skew(torch.stack([by_shift, by_emit]))  # diagonals × 2 × batch × m
    cells = by_emit.new_full((n + m - 1, size, m + 1), semiring.zero)  # a column of zeros at the left of each wave
    cells[0, :, 1] = semiring.one if start is None else start[:, 0]
    # from_left[d][0] is the wave d moved one position to the right, from_left[d][1] the wave itself
    pairs = cells.as_strided((n + m - 1, 2, size, m), (size * (m + 1), 1, m + 1, 1))
    ways = torch.empty_like(arcs[0])
    for d in range(1, n + m - 1):
        semiring.times(pairs[d - 1], arcs[d], out=ways)
        semiring.plus(ways[0], ways[1], out=cells[d, :, 1:])
        if start is not None and d < m:
            cells[d, :, d + 1] = semiring.plus(cells[d, :, d + 1], start[:, d])
    return _unskew(cells[:, :, 1:], n)


def _skew(x: Tensor) -> Tensor:
    """The anti-diagonals of ... × batch × n × m: element d holds x[..., d - i, i] at i, and something outside it."""
    two, size, n, m = x.shape
    wide = torch.nn.functional.pad(x.transpose(2, 3), (0, m))  # 2 × batch × m × (n + m)
    skewed = wide.reshape(two, size, -1)[:, :, : m * (n + m - 1)].reshape(two, size, m, n + m - 1)
    return skewed.permute(3, 0, 1, 2).contiguous()


def _unskew(waves: Tensor, n: int) -> Tensor:
    """Back from diagonals × batch × m to batch × n × m."""
    diagonals, size, m = waves.shape
    flat = torch.nn.functional.pad(waves.permute(1, 2, 0).reshape(size, -1), (0, m))
    return flat.reshape(size, m, diagonals + 1)[:, :, :n].transpose(1, 2)


def grid(emit: Tensor, shift: Tensor, *, semiring: Semiring, start: Tensor | None = None) -> Tensor:
    """A[b, j, i]. `emit` and `shift` are log-probabilities, batch × n × m."""
    # values that `roll` wraps around are multiplied by a zero of the semiring
    by_shift, by_emit = semiring.lift(shift).roll(1, 2), semiring.lift(emit).roll(1, 1)
    return sweep(by_shift, by_emit, semiring=semiring, start=start)


def _everywhere(emit: Tensor, semiring: Semiring) -> Tensor:
    """Row 0 of alignments that may start at any position with weight one."""
    return emit.new_full((emit.shape[0], emit.shape[2]), semiring.one)


def _corner(table: Tensor, words: Tensor, positions: Tensor) -> Tensor:
    return table[torch.arange(len(table), device=table.device), words - 1, positions - 1]


@torch.no_grad()
def total(
    emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, semiring: Semiring, anywhere: bool = False
) -> Tensor:
    """α_m(n) of every sentence: the log marginal likelihood in LOG, the score of the best alignment in MAX."""
    cells = grid(emit, shift, semiring=semiring, start=_everywhere(emit, semiring) if anywhere else None)
    return semiring.times(_corner(cells, words, positions), semiring.lift(_corner(emit, words, positions)))


def rows(emit: Tensor, shift: Tensor, *, semiring: Semiring, start: Tensor | None = None) -> Tensor:
    """α_i(j) itself for every prefix: batch × n × m, weight of y_1:j with word j aligned to position i.

    With `start` (such a row) a text is continued word by word.
    """
    return semiring.times(grid(emit, shift, semiring=semiring, start=start), semiring.lift(emit))


# ---- the marginal likelihood with its gradient ----------------------------------------------------------------------


def log_total(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, anywhere: bool = False) -> Tensor:
    """log α_m(n), differentiable: its gradients are the posteriors of the emits and of the shifts (Eisner 2016)."""
    value: Tensor = _LogTotal.apply(emit, shift, words, positions, anywhere)  # type: ignore[no-untyped-call]
    return value


class _LogTotal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, emit: Tensor, shift: Tensor, words: Tensor, positions: Tensor, anywhere: bool) -> Tensor:
        value, emitted, shifted = inside_outside(emit, shift, words=words, positions=positions, anywhere=anywhere)
        ctx.save_for_backward(emitted, shifted)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        emitted, shifted = ctx.saved_tensors
        g = gradients[0][:, None, None]
        return g * emitted, g * shifted, None, None, None


def inside_outside(
    emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, anywhere: bool = False
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """log α_m(n), and the posterior probability of every emit and every shift, batch × n × m."""
    size, n, m = emit.shape
    flip = _mirror(words, positions, n=n, m=m)
    into = torch.cat([shift.roll(1, 2), flip(shift)]), torch.cat([emit.roll(1, 1), flip(emit)])
    start = None
    if anywhere:  # of the grid itself; its mirror image starts in the corner
        everywhere, beyond_first = _everywhere(emit, LOG), torch.arange(1, m, device=emit.device)
        start = torch.cat([everywhere, everywhere.index_fill(1, beyond_first, NEVER)])
    both = sweep(*into, semiring=LOG, start=start)
    inside, outside = both[:size], flip(both[size:])  # outside: ways from a cell to the last emit, without that emit
    value = _corner(inside, words, positions) + _corner(emit, words, positions)
    here = inside + (_corner(emit, words, positions) - value)[:, None, None]
    below = torch.nn.functional.pad(outside[:, 1:], (0, 0, 0, 1), value=NEVER)
    right = torch.nn.functional.pad(outside[:, :, 1:], (0, 1), value=NEVER)
    j, i = torch.arange(n, device=emit.device)[None, :, None], torch.arange(m, device=emit.device)[None, None]
    last_word, last_position = words[:, None, None] - 1, positions[:, None, None] - 1
    emitted = torch.where((j < last_word) & (i <= last_position), (here + emit + below).exp(), 0.0)
    emitted = torch.where((j == last_word) & (i == last_position), 1.0, emitted)  # all paths end with that emit
    shifted = torch.where((j <= last_word) & (i < last_position), (here + shift + right).exp(), 0.0)
    return value, emitted, shifted


def _mirror(words: Tensor, positions: Tensor, *, n: int, m: int) -> Callable[[Tensor], Tensor]:
    """Reverse both axes of each sentence's own part of a grid; a second call restores it."""
    j = (words[:, None] - 1 - torch.arange(n, device=words.device)).clamp(min=0)
    i = (positions[:, None] - 1 - torch.arange(m, device=words.device)).clamp(min=0)
    sentence = torch.arange(len(words), device=words.device)[:, None, None]
    return lambda table: table[sentence, j[:, :, None], i[:, None]]


def posteriors(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, anywhere: bool = False) -> Tensor:
    """p(a_j = i | x, y), batch × n × m; rows beyond a sentence are zero."""
    with torch.no_grad():
        return inside_outside(emit, shift, words=words, positions=positions, anywhere=anywhere)[1]


@torch.no_grad()
def viterbi(emit: Tensor, shift: Tensor, *, words: Tensor, positions: Tensor, anywhere: bool = False) -> Tensor:
    """The most likely alignment, batch × n, -1 beyond a sentence. Traced from the corner a_n = m back to the start, by
    testing at every cell whether an emit entered it."""
    size, n, m = emit.shape
    cells = grid(emit, shift, semiring=MAX, start=_everywhere(emit, MAX) if anywhere else None)
    down = (cells + emit).roll(1, 1) >= (cells + shift).roll(1, 2)
    down[:, :, 0] = True
    down[:, 0] = False
    here = torch.arange(n * m, device=emit.device).view(n, m)
    came_from = torch.where(down, here - m, here - 1).clamp_(min=0).view(size, -1)
    trail = [((words - 1) * m + positions - 1)[:, None]]
    for _ in range(n + m - 2):
        trail.append(came_from.gather(1, trail[-1]))
    path = torch.cat(trail, 1)
    # a word is emitted at the last position of the path in its row
    alignment = path.new_full((size, n), -1)
    return alignment.scatter_reduce_(1, path // m, path % m, "amax")
