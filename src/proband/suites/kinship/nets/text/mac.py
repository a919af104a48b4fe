r"""MAC network (Hudson and Manning 2018): six steps of control, read and write over the states of the words.

    control  u = tanh(W_u tanh(W_q [q_i; q_j])),  cq = tanh(W_c [c_{t-1}; u])
             c_t = sum over e in {i, j} of softmax_e(w^T (cq * q_e)) q_e
    read     I = relu((W_m m_{t-1}) * (W_k h)),  J = W_1 I + W_2 h
             r_t = sum over words of softmax(w^T relu(c_t * J)) h
    write    m_t = W [r_t; m_{t-1}]

The question is shared by all steps. W_k h and W_2 h do not change from step to step and are computed once; one dropout
mask (0.2) serves all steps, as in the paper.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, Lstm, asked_states
from proband.suites.kinship.nets.options import MacOptions


class Mac(nn.Module):
    def __init__(self, options: MacOptions, words: int) -> None:
        super().__init__()
        self.words, self.steps = words, options.steps
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.lstm = Lstm(options.width, options.hidden, options.layers)
        d = self.lstm.width
        self.question = nn.Sequential(nn.Linear(2 * d, d), nn.Tanh(), nn.Linear(d, d), nn.Tanh())
        self.control, self.control_attention = nn.Linear(2 * d, d), nn.Linear(d, 1)
        self.of_memory, self.of_words = nn.Linear(d, d), nn.Linear(d, d)
        self.joined, self.joined_words = nn.Linear(d, d), nn.Linear(d, d, bias=False)
        self.read_attention = nn.Linear(d, 1)
        self.write = nn.Linear(2 * d, d)
        self.first = nn.Parameter(torch.rand(2, d))  # c_0, m_0
        self.dropout = nn.Dropout(options.dropout)
        self.classifier = Classifier(3 * d, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        h = self.lstm(self.embeddings(batch.tokens), batch.lengths)
        q = asked_states(h, batch, self.words)
        people, u, padding = q.view(len(q), 2, -1), self.question(q), ~batch.mask
        words, again = self.dropout(self.of_words(h)), self.joined_words(h)
        kept = self.dropout(torch.ones_like(u))
        c, m = (state.expand(len(q), -1) for state in self.first)
        for _ in range(self.steps):
            c = self.controlled(c, u, people)
            inner = torch.relu(self.of_memory(m * kept)[:, None] * words)
            e = self.read_attention(torch.relu(c[:, None] * (self.joined(inner) + again))).squeeze(-1)
            a = e.masked_fill(padding, float("-inf")).softmax(-1)
            r = torch.bmm(a[:, None], h).squeeze(1)
            m = self.write(torch.cat([self.dropout(r), m], -1))
        logits: Tensor = self.classifier(torch.cat([m, q], -1))
        return logits

    def controlled(self, c: Tensor, u: Tensor, people: Tensor) -> Tensor:
        cq = torch.tanh(self.control(torch.cat([c, u], -1)))
        a: Tensor = self.control_attention(cq[:, None] * people).softmax(1)
        return (a * people).sum(1)
