"""Beam search (footnote 3): of all texts with blanks filled from left to right, the few likeliest so far are read on.

A text's likelihood so far is that of all its words, between the blanks too; a transducer's is along the best alignment
of the prefix. At the end the text with the highest likelihood as a whole is kept, as of several draws (A.4).
"""

from __future__ import annotations

import torch
from torch import Tensor

from proband.suites.script.nets.lm import Prefix
from proband.suites.script.nets.slot_filling import Asked, Blanks, Filled, fill

DEAD = -1e30  # the likelihood of what is no text yet


def beam_search(blanks: Blanks, *, width: int) -> Filled:
    """Every text as the search fills it, and what the net thinks of the gold words in that text."""
    words = searched(blanks, width=width)
    net, batch, blank, allowed = blanks.net, blanks.batch, blanks.blank, blanks.allowed

    def say(asked: Asked) -> Tensor:
        return words[asked.texts, asked.column][:, None].expand_as(asked.rows)

    return fill(net, batch, blank, choose=say, allowed=allowed, ends_unread=blanks.ends_unread)


@torch.no_grad()
def searched(blanks: Blanks, *, width: int) -> Tensor:
    """The words of the likeliest text that the search finds, batch × n."""
    net, batch = blanks.net, blanks.batch
    size, n = batch.y.shape
    texts = torch.arange(size, device=batch.y.device).repeat_interleave(width)
    words = batch.y[texts]
    prefix = blanks.begin().only(texts)
    alive = torch.full((size, width), DEAD, device=words.device).index_fill(1, texts.new_zeros(1), 0.0).view(-1)
    final = torch.full((size * width,), DEAD, device=words.device)
    chosen = words.clone()
    for j in range(n):
        if bool(blanks.blank[:, j].any()):
            prefix = blanks.place(prefix, texts, j)
            rows, said, lives = _next(blanks, prefix, alive, texts, j)
            asked = blanks.blank[texts, j]
            prefix, words, alive = prefix.only(rows), words[rows], torch.where(asked, lives, alive)
            words[:, j] = torch.where(asked, said, words[:, j])
        prefix = blanks.read(prefix, words[:, j], texts, j)
        ended = batch.words[texts] == j + 1
        final = torch.where(ended, net.closed(prefix) + alive, final)
        chosen = torch.where(ended[:, None], words, chosen)
    best = final.view(size, width).argmax(1)
    return chosen.view(size, width, n)[torch.arange(size, device=best.device), best]


def _next(
    blanks: Blanks, prefix: Prefix, alive: Tensor, texts: Tensor, column: int
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """For every place in the beam the row that it goes on from, the word it says there, and whether it is alive."""
    net, size = blanks.net, len(blanks.blank)
    width = len(texts) // size
    every = torch.arange(len(texts), device=texts.device)
    scores = net.next_logits(net.seen(prefix), every).log_softmax(1).masked_fill(~blanks.allowed, DEAD)
    totals = (net.so_far(prefix) + alive)[:, None] + scores
    values, top = totals.view(size, -1).topk(width, 1)
    rows = torch.arange(size, device=texts.device)[:, None] * width + top // scores.shape[1]
    rows = torch.where(blanks.blank[texts, column], rows.view(-1), every)
    return rows, (top % scores.shape[1]).view(-1), torch.where(values > DEAD / 2, 0.0, DEAD).view(-1)
