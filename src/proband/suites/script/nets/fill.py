r"""Slot filling (A.4): the blanks of a text from left to right, with the number of words in each given.

At every blank the net sees the abstract line and the text before. *Oracle*: what it reads on with is the gold word;
*greedy*: its own. At the start of each slot a transducer takes its alignment anew from the best alignment of the whole
prefix, so earlier decisions can be revised. A sampled text is one of five drawn at temperature 0.1, the one with the
highest probability as a whole, since each draw saw only its left context.

All texts are read side by side, one word at a time; a score over the vocabulary is computed only where a blank stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proband.suites.script.nets.batches import Batch, Pair, pad
from proband.suites.script.nets.vocabulary import PADDING, START

# (log-probabilities of some rows, their gold words, which rows, which column) -> the words to read on with
Choose = Callable[[Tensor, Tensor, Tensor, int], Tensor]


def gold(scores: Tensor, words: Tensor, rows: Tensor, column: int) -> Tensor:
    return words


def greedy(scores: Tensor, words: Tensor, rows: Tensor, column: int) -> Tensor:
    return scores.argmax(1)


def sampled(uniforms: Tensor, temperature: float = 0.1) -> Choose:
    """Draws from softmax(scores / temperature) by its inverse distribution function, one number in [0, 1) per word:
    `uniforms` is batch × n, so that each text brings its own randomness and no other text changes it."""

    def choose(scores: Tensor, words: Tensor, rows: Tensor, column: int) -> Tensor:
        summed = (scores / temperature).softmax(1).double().cumsum(1)
        at = uniforms[rows, column][:, None].double() * summed[:, -1:]
        return torch.searchsorted(summed, at, right=True)[:, 0].clamp(max=scores.shape[1] - 1)

    return choose


@dataclass(frozen=True)
class Filled:
    """What was said in each blank: per text and word position (batch × n)."""

    words: Tensor  # the text as read on with
    first: Tensor  # the likeliest word
    five: Tensor  # the five likeliest, batch × n × 5
    rank: Tensor  # of the gold word, from 1
    surprisal: Tensor  # of the gold word, in nats
    said: Tensor  # log-probability of the word read on with
    moves: Tensor  # -log-probability of a transducer's shifts and emits


@torch.no_grad()
def fill(net: Any, batch: Batch, blank: Tensor, *, choose: Choose, allowed: Tensor) -> Filled:
    """Read every text of the batch, choosing the words where `blank` is true among those `allowed`.

    Where a gold word is not allowed its rank is one beyond the last and its surprisal that of the unlikeliest word.
    """
    size, n = batch.y.shape
    words = batch.y.clone()
    first, rank = torch.zeros_like(words), torch.zeros_like(words)
    five = torch.zeros(size, n, 5, dtype=torch.long, device=words.device)
    surprisal = torch.zeros(size, n, device=words.device)
    said, moves = torch.zeros_like(surprisal), torch.zeros_like(surprisal)
    prefix = net.begin(batch)
    starts = blank & ~torch.nn.functional.pad(blank[:, :-1], (1, 0))
    last = int(blank.any(0).nonzero().max()) if bool(blank.any()) else -1
    columns = blank.any(0).tolist()
    for j in range(last + 1):
        if columns[j]:
            rows = blank[:, j].nonzero()[:, 0]
            prefix = net.place(prefix, starts[:, j])
            scores = net.next_logits(prefix, rows).masked_fill(~allowed, float("-inf")).log_softmax(1)
            right = batch.y[rows, j]
            words[rows, j] = choose(scores, right, rows, j)
            first[rows, j] = scores.argmax(1)
            five[rows, j] = scores.topk(5, 1).indices
            own = scores.gather(1, right[:, None])
            rank[rows, j] = (scores > own).sum(1) + 1
            worst = scores.masked_fill(~allowed, float("inf")).min(1).values
            surprisal[rows, j] = -torch.where(own[:, 0].isinf(), worst, own[:, 0])
            moves[rows, j] = net.moves(prefix, starts[:, j])[rows]
            said[rows, j] = scores.gather(1, words[rows, j][:, None])[:, 0]
        if j < last:
            prefix = net.read(prefix, words[:, j])
    return Filled(words, first, five, rank, surprisal, said, moves)


@torch.no_grad()
def best_of(net: Any, batch: Batch, blank: Tensor, *, uniforms: Tensor, allowed: Tensor) -> Filled:
    """Of several sampled texts the one to which the net gives the highest probability as a whole.

    `uniforms`: batch × draws × n numbers in [0, 1), see `sampled`.
    """
    size, draws, n = uniforms.shape
    many, noise = repeated(batch, draws), uniforms.reshape(size * draws, n)
    drawn = fill(net, many, blank.repeat_interleave(draws, 0), choose=sampled(noise), allowed=allowed)
    before = torch.cat([many.before[:, :1], drawn.words[:, :-1]], 1)
    score = net.best_log_likelihood(replace(many, y=drawn.words, before=before))
    best = score.view(size, draws).argmax(1) + torch.arange(size, device=score.device) * draws
    return Filled(**{name: getattr(drawn, name)[best] for name in Filled.__dataclass_fields__})


def repeated(batch: Batch, times: int) -> Batch:
    """Every row of the batch several times, side by side."""

    def tile(x: Tensor) -> Tensor:
        return x.repeat_interleave(times, 0)

    lengths = batch.lengths and (np.repeat(batch.lengths[0], times), np.repeat(batch.lengths[1], times))
    return Batch(
        tile(batch.x), tile(batch.y), tile(batch.before), tile(batch.positions), tile(batch.words), lengths
    )  # fmt: skip


def blank_mask(spans: Sequence[Sequence[Sequence[int]]], n: int, *, device: str = "cpu") -> Tensor:
    """True at the words of each text's blanks: batch × n.

    >>> blank_mask([[[1, 3]], [[0, 1], [2, 3]]], 3).int().tolist()
    [[0, 1, 1], [1, 0, 1]]
    """
    mask = np.zeros((len(spans), n), dtype=bool)
    for row, blanks in enumerate(spans):
        for start, end in blanks:
            mask[row, start:end] = True
    return torch.from_numpy(mask).to(device)


def padded(pairs: Sequence[Pair], spans: Sequence[Sequence[Sequence[int]]], *, device: str) -> tuple[Batch, Tensor]:
    batch = pad(pairs, start=START, padding=PADDING, device=device)
    return batch, blank_mask(spans, batch.y.shape[1], device=device)
