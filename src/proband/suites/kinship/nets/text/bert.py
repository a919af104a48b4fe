r"""BERT: the states of a frozen encoder, mean pooling, the two-layer classifier.

s = (1/T) \sum_t h_t,  h = encoder(story). Any encoder that gives word embeddings in context will do
(`train -m MODEL`).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, asked_states, mean
from proband.suites.kinship.nets.options import NetOptions


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
