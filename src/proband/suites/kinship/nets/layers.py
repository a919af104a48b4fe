r"""Shared parts of the text nets: embeddings with fixed placeholders, bidirectional LSTM, query, classifier.

    story encoding s, states h_1 .. h_T of its words, query (i, j):
    q_i = sum of h_t over the mentions t of i
    P(relation | story, i, j) = softmax(W_2 relu(W_1 [s; q_i; q_j]))

Section 3.4 joins the story with "the embeddings of the two target entities"; as in the released program these are the
encoder's states at their mentions.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.world.relations import RELATIONS
from proband.training.vocabulary import PADDING


class Embeddings(nn.Module):
    """Learned word vectors, followed by fixed random vectors of the pool's placeholders."""

    people: Tensor

    def __init__(self, words: int, pool: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=PADDING)
        self.register_buffer("people", torch.randn(pool, width))

    def forward(self, tokens: Tensor) -> Tensor:
        return F.embedding(tokens, torch.cat([self.words.weight, self.people]))  # no net uses the padding


class Lstm(nn.Module):
    """An LSTM over padded rows, in one or both directions. Padding is ignored and has state zero.

    The other direction reads each row turned around, so nothing depends on the padding and no row has to be packed:
    the same code can be recorded on a CUDA device.
    """

    def __init__(self, width: int, hidden: int, layers: int, *, both: bool = True) -> None:
        super().__init__()
        self.sides = 2 if both else 1
        widths = [width] + [hidden * self.sides] * (layers - 1)
        self.cells = nn.ModuleList(nn.LSTM(w, hidden, batch_first=True) for w in widths for _ in range(self.sides))
        self.width = hidden * self.sides

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        inside = places < lengths[:, None]
        turned = torch.where(inside, lengths[:, None] - 1 - places, places)
        for at in range(0, len(self.cells), self.sides):
            cells, inputs = self.cells[at : at + self.sides], [x, turn(x, turned) if self.sides == 2 else x]
            states = self._in_turn(cells, inputs)
            x = states[0] if self.sides == 1 else torch.cat([states[0], turn(states[1], turned)], -1)
        return x * inside[..., None]

    def _in_turn(self, cells: Any, inputs: list[Tensor]) -> list[Tensor]:
        """Use torch's own LSTM, because oneDNN's takes 1.5 times as long to train on a CPU."""
        library: Any = torch.backends.mkldnn
        before, library.enabled = library.enabled, False
        try:
            return [cell(y)[0] for cell, y in zip(cells, inputs)]
        finally:
            library.enabled = before


def turn(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(1, places[..., None].expand(-1, -1, x.shape[-1]))


def asked_states(states: Tensor, batch: Batch, words: int) -> Tensor:
    """B × 2D: [q_i; q_j], the sums of the states at the mentions. `words`: size of the vocabulary."""
    slots = batch.slots.gather(1, batch.query)  # B × 2: placeholders of the two people
    mentions = (batch.tokens.flatten(1)[:, None] == words + slots[..., None]).float()  # B × 2 × T
    return torch.bmm(mentions, states.flatten(1, -2)).flatten(1)


def pair_states(x: Tensor, batch: Batch) -> Tensor:
    """B × D: the states of the asked pairs, from states of all pairs of people, B × N × N × D."""
    return x[torch.arange(len(x), device=x.device), batch.query[:, 0], batch.query[:, 1]]


def mean(states: Tensor, mask: Tensor) -> Tensor:
    """The mean over the words of a row; padding is zero."""
    return (states * mask[..., None]).sum(-2) / mask.sum(-1, keepdim=True).clamp(min=1)


class Classifier(nn.Sequential):
    """Two layers with 22 relations as output."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, len(RELATIONS)))

    def logits(self, x: Tensor) -> Tensor:
        encoded: Tensor = self(x)
        return encoded
