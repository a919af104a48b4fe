r"""BiLSTM with attention: the query asks for words of the story.

e_t = v^T tanh(W [h_t; q_i; q_j]),   a = softmax(e),   s = \sum_t a_t h_t
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.options import LstmOptions
from proband.suites.kinship.nets.text.bilstm_mean import BiLstmMean


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
