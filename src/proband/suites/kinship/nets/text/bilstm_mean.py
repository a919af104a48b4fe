r"""BiLSTM with mean pooling (Hochreiter and Schmidhuber 1997):

h_1 .. h_T = BiLSTM(x_1 .. x_T),   s = (1/T) \sum_t h_t
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import LstmOptions


class BiLstmMean(nn.Module):
    def __init__(self, options: LstmOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.lstm = Lstm(options.width, options.hidden, options.layers)
        self.classifier = Classifier(3 * self.lstm.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        h = self.lstm(self.embeddings(batch.tokens), batch.lengths)
        q = asked_states(h, batch, self.words)
        logits: Tensor = self.classifier(self.joined(h, q, batch))
        return logits

    def joined(self, h: Tensor, q: Tensor, batch: Batch) -> Tensor:
        """[s; q_i; q_j]"""
        return torch.cat([mean(h, batch.mask), q], -1)
