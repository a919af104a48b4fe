r"""BiLSTM with mean pooling (Hochreiter and Schmidhuber 1997):

h_1 .. h_T = BiLSTM(x_1 .. x_T),   s = (1/T) \sum_t h_t

and with attention, where the query asks for words of the story:

e_t = v^T tanh(W [h_t; q_i; q_j]),   a = softmax(e),   s = \sum_t a_t h_t
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


class BiLstmAttention(BiLstmMean):
    def __init__(self, options: LstmOptions, words: int) -> None:
        super().__init__(options, words)
        self.attention = AdditiveAttention(self.lstm.width, 2 * self.lstm.width)

    def joined(self, h: Tensor, q: Tensor, batch: Batch) -> Tensor:
        return torch.cat([self.attention(h, q, batch.mask), q], -1)


class AdditiveAttention(nn.Module):
    """W [h; q] is W_h h + W_q q, so that the query is multiplied once per story and not once per word."""

    def __init__(self, width: int, query: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(width, width)
        self.of_query = nn.Linear(query, width, bias=False)
        self.v = nn.Linear(width, 1, bias=False)

    def forward(self, h: Tensor, q: Tensor, mask: Tensor) -> Tensor:
        e = self.v(torch.tanh(self.of_state(h) + self.of_query(q)[:, None])).squeeze(-1)
        a = e.masked_fill(~mask, float("-inf")).softmax(-1)
        return torch.bmm(a[:, None], h).squeeze(1)
