r"""BERT-LSTM: a two-layer LSTM, from left to right, over the states of a frozen encoder.

At the mentions of people their fixed placeholder vectors stand instead of the encoder's states, as in the released
program: x_t = e_k where word t is @entity-k, else h_t.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import LstmOptions


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
