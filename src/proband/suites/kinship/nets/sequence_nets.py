"""Text nets that read a story as a sequence: two over a BiLSTM, two over a frozen encoder (BERT)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import LstmOptions, NetOptions

# ---- BERT and BERT-LSTM: nets over the states h of a frozen encoder, any that gives word embeddings in context -----
#
# BERT: s = (1/T) \sum_t h_t and the two-layer classifier.
#
# BERT-LSTM: a two-layer LSTM, from left to right, over them. The fixed placeholder vectors replace the encoder's
# states at the mentions of people, as in the released program: x_t = e_k if word t is @entity-k, else h_t.


class Bert(nn.Module):
    encoded = True

    def __init__(self, options: NetOptions, words: int) -> None:
        """`options.width` is the width of the encoder."""
        super().__init__()
        self.words = words
        self.classifier = Classifier(3 * options.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        assert batch.states is not None
        return self.classifier.logits(mean_and_query(batch.states, batch, self.words))


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
        return self.classifier.logits(mean_and_query(h, batch, self.words))


def mean_and_query(h: Tensor, batch: Batch, words: int) -> Tensor:
    """[s; q_i; q_j] with the mean of the states as s."""
    return torch.cat([mean(h, batch.mask), asked_states(h, batch, words)], -1)


# ---- BiLSTM --------------------------------------------------------------------------------------------------------
#
# BiLSTM with mean pooling (Hochreiter and Schmidhuber 1997):
#
# h_1 .. h_T = BiLSTM(x_1 .. x_T),   s = (1/T) \sum_t h_t
#
# and with attention of the query to the words of the story:
#
# e_t = v^T tanh(W [h_t; q_i; q_j]),   a = softmax(e),   s = \sum_t a_t h_t


class BiLstmMean(nn.Module):
    def __init__(self, options: LstmOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.lstm = Lstm(options.width, options.hidden, options.layers)
        self.classifier = Classifier(3 * self.lstm.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        h = self.lstm(self.embeddings(batch.tokens), batch.lengths)
        return self.classifier.logits(self.joined(h, batch))

    def joined(self, h: Tensor, batch: Batch) -> Tensor:
        return mean_and_query(h, batch, self.words)


class BiLstmAttention(BiLstmMean):
    def __init__(self, options: LstmOptions, words: int) -> None:
        super().__init__(options, words)
        self.attention = AdditiveAttention(self.lstm.width, 2 * self.lstm.width)

    def joined(self, h: Tensor, batch: Batch) -> Tensor:
        q = asked_states(h, batch, self.words)
        return torch.cat([self.attention(h, q, batch.mask), q], -1)


class AdditiveAttention(nn.Module):
    """W [h; q] is W_h h + W_q q, so the query is multiplied once per story, not once per word."""

    def __init__(self, width: int, query: int) -> None:
        super().__init__()
        self.of_state = nn.Linear(width, width)
        self.of_query = nn.Linear(query, width, bias=False)
        self.v = nn.Linear(width, 1, bias=False)

    def forward(self, h: Tensor, q: Tensor, mask: Tensor) -> Tensor:
        e = self.v(torch.tanh(self.of_state(h) + self.of_query(q)[:, None])).squeeze(-1)
        a = e.masked_fill(~mask, float("-inf")).softmax(-1)
        return torch.bmm(a[:, None], h).squeeze(1)
