r"""Relation Network (Santoro et al. 2017): sentences are the objects.

o_s = mean of the BiLSTM's states in sentence s,   RN = f_theta( \sum_{s, r} g_theta([o_s; o_r; q_i; q_j]) )

g_theta has four layers of 64, f_theta layers of 256 and 64. The first layer of g_theta is a sum of three products, so
that nothing is multiplied once per pair that is the same for all pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import RelationNetworkOptions


class RelationNetwork(nn.Module):
    by_sentence = True

    def __init__(self, options: RelationNetworkOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.lstm = Lstm(options.width, options.hidden, options.layers)
        width, g = self.lstm.width, options.g
        self.g_left, self.g_right = nn.Linear(width, g), nn.Linear(width, g, bias=False)
        self.g_query = nn.Linear(2 * width, g, bias=False)
        deeper = [layer for _ in range(3) for layer in (nn.ReLU(), nn.Linear(g, g))]
        self.g_deeper = nn.Sequential(*deeper, nn.ReLU())
        self.f = nn.Sequential(nn.Linear(g, options.f1), nn.ReLU(), nn.Linear(options.f1, options.f2), nn.ReLU())
        self.classifier = Classifier(options.f2 + 2 * width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        h, told = self.read(batch)
        q = asked_states(h, batch, self.words)
        o = mean(h, batch.mask)
        pairs = self.g_left(o)[:, :, None] + self.g_right(o)[:, None] + self.g_query(q)[:, None, None]
        both = told[:, :, None] & told[:, None]
        summed = (self.g_deeper(pairs) * both[..., None]).sum((1, 2))
        logits: Tensor = self.classifier(torch.cat([self.f(summed), q], -1))
        return logits

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """B × S × T × D: the states within each sentence; B × S: which sentences there are."""
        size, told = batch.tokens.shape, batch.lengths > 0
        tokens, lengths = batch.tokens.flatten(0, 1), batch.lengths.flatten()
        if tokens.is_cuda:  # shapes must not depend on the data
            return self.lstm(self.embeddings(tokens), lengths).view(*size, -1), told
        there = told.flatten()
        read = self.lstm(self.embeddings(tokens[there]), lengths[there])
        h = read.new_zeros(len(tokens), *read.shape[1:])
        h[there] = read
        return h.view(*size, -1), told
