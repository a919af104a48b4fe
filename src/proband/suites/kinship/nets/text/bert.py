r"""BERT and BERT-LSTM: nets over the states h of a frozen encoder, any that gives word embeddings in context.

BERT: s = (1/T) \sum_t h_t and the two-layer classifier.

BERT-LSTM: a two-layer LSTM, from left to right, over them. At the mentions of people their fixed placeholder vectors
stand instead of the encoder's states, as in the released program: x_t = e_k where word t is @entity-k, else h_t.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import LstmOptions, NetOptions


class Bert(nn.Module):
    encoded = True

    def __init__(self, options: NetOptions, words: int) -> None:
        """`options.width` is the encoder's."""
        super().__init__()
        self.words = words
        self.classifier = Classifier(3 * options.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        assert batch.states is not None
        q = asked_states(batch.states, batch, self.words)
        logits: Tensor = self.classifier(torch.cat([mean(batch.states, batch.mask), q], -1))
        return logits


class BertLstm(nn.Module):
    encoded = True
    people: Tensor

    def __init__(self, options: LstmOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.register_buffer("people", torch.randn(2 * options.pool, options.width))
        self.lstm = Lstm(options.width, options.hidden, options.layers, both=False)
        self.classifier = Classifier(3 * self.lstm.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        assert batch.states is not None
        mentioned = batch.tokens >= self.words
        placed = self.people[(batch.tokens - self.words).clamp(min=0)]
        h = self.lstm(torch.where(mentioned[..., None], placed, batch.states), batch.lengths)
        q = asked_states(h, batch, self.words)
        logits: Tensor = self.classifier(torch.cat([mean(h, batch.mask), q], -1))
        return logits
