r"""Text nets that reason over objects or a memory: relation network, relational memory core, MAC network."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, Lstm, asked_states, mean
from proband.suites.kinship.nets.options import MacOptions, RelationNetworkOptions, RmcOptions

# ---- Relation network (Santoro et al. 2017): sentences are the objects ---------------------------------------------
#
# o_s = mean of the BiLSTM's states in sentence s,   RN = f_theta( \sum_{s, r} g_theta([o_s; o_r; q_i; q_j]) )
#
# g_theta has four layers of 64, f_theta layers of 256 and 64. The first layer of g_theta is a sum of three products, so
# that what is the same for all pairs is multiplied only once.


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
        h, there = self.read(batch)
        q = asked_states(h, batch, self.words)
        o = mean(h, batch.mask)
        pairs = self.g_left(o)[:, :, None] + self.g_right(o)[:, None] + self.g_query(q)[:, None, None]
        both = there[:, :, None] & there[:, None]
        summed = (self.g_deeper(pairs) * both[..., None]).sum((1, 2))
        return self.classifier.logits(torch.cat([self.f(summed), q], -1))

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """B × S × T × D: the states within each sentence; B × S: which sentences exist."""
        size, there = batch.tokens.shape, batch.lengths > 0
        tokens, lengths = batch.tokens.flatten(0, 1), batch.lengths.flatten()
        if tokens.is_cuda:  # shapes must not depend on the data
            return self.lstm(self.embeddings(tokens), lengths).view(*size, -1), there
        rows = there.flatten()
        states = self.lstm(self.embeddings(tokens[rows]), lengths[rows])
        h = states.new_zeros(len(tokens), *states.shape[1:])
        h[rows] = states
        return h.view(*size, -1), there


# ---- Relational memory core (Santoro et al. 2018): a memory of two rows that attends to itself and to each word
#
#     A    = softmax(Q K^T / sqrt(d_k)) V,  Q from M, K and V from [M; x_t]            (equations 1 and 2)
#     M'   = LN(M + A),  M'' = LN(M' + MLP(M'))
#     i, f = sigmoid(W_x x_t + W_m tanh(M) + [0, 1])                                    (equations 4 and 5)
#     M   := i * tanh(M'') + f * M                                                     (equation 7)
#
# Only the memory's rows have queries (the input's result would be discarded). What depends on x_t alone is
# computed once for each word of the vocabulary. The story is the memory after its last word, the query the memory at
# the mentions.


class Rmc(nn.Module):
    def __init__(self, options: RmcOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.memory = RelationalMemory(options)
        self.classifier = Classifier(3 * options.slots * self.memory.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        words = torch.arange(self.words + len(self.embeddings.people), device=batch.tokens.device)
        states = self.memory(self.embeddings(words), batch.tokens, batch.lengths)
        q = asked_states(states, batch, self.words)
        return self.classifier.logits(torch.cat([states[:, -1], q], -1))


class RelationalMemory(nn.Module):
    def __init__(self, options: RmcOptions) -> None:
        super().__init__()
        self.slots, self.heads, self.key, self.head = options.slots, options.heads, options.key, options.head
        self.width = d = options.heads * options.head
        self.of_input = nn.Linear(options.width, d)
        self.queries = nn.Linear(d, options.heads * options.key)
        self.keys_values = nn.Linear(d, options.heads * (options.key + options.head))
        self.after_attention, self.after_mlp = nn.LayerNorm(d), nn.LayerNorm(d)
        layers = [layer for _ in range(3) for layer in (nn.Linear(d, d), nn.ReLU())]
        self.mlp = nn.Sequential(*layers)
        self.gate_input, self.gate_memory = nn.Linear(d, 2 * d), nn.Linear(d, 2 * d, bias=False)

    def forward(self, x: Tensor, places: Tensor, lengths: Tensor) -> Tensor:
        """B × T × (slots · width): the memory after each word, flattened; it stays constant after the last word. Word t
        of story b is x[places[b, t]]."""
        inputs = self.of_input(x)  # the parts of keys, values and gates that depend on the words
        words = F.embedding(places, torch.cat([self.keys_values(inputs), self.gate_input(inputs)], -1))
        memory = torch.eye(self.slots, self.width, device=x.device, dtype=x.dtype).expand(len(places), -1, -1)
        after = []
        for t in range(places.shape[1]):
            keys_values, gates = words[:, t, None].tensor_split([self.keys_values.out_features], -1)
            memory = torch.where((t < lengths)[:, None, None], self.step(memory, keys_values, gates), memory)
            after.append(memory.flatten(1))
        return torch.stack(after, 1)

    def step(self, memory: Tensor, keys_values: Tensor, gates: Tensor) -> Tensor:
        known = torch.cat([self.keys_values(memory), keys_values], 1)
        m = self.after_attention(memory + self.attended(self.queries(memory), known))
        m = self.after_mlp(m + self.mlp(m))
        i, f = (gates + self.gate_memory(torch.tanh(memory))).chunk(2, -1)
        return torch.sigmoid(i) * torch.tanh(m) + torch.sigmoid(f + 1) * memory

    def attended(self, queries: Tensor, keys_values: Tensor) -> Tensor:
        """B × slots × width: multi-head attention of the memory's rows to themselves and the input."""
        q = queries.view(*queries.shape[:2], 1, self.heads, self.key)
        both = keys_values.view(len(keys_values), 1, -1, self.heads, self.key + self.head)
        k, v = both.tensor_split([self.key], -1)
        attention = ((q * k).sum(-1) / self.key**0.5).softmax(2)  # B × slots × rows × heads; small products, so no bmm
        values: Tensor = (attention[..., None] * v).sum(2).flatten(2)
        return values


# ---- MAC network (Hudson and Manning 2018): six steps of control, read and write over the states of the words ------
#
#     control  u = tanh(W_u tanh(W_q [q_i; q_j])),  cq = tanh(W_c [c_{t-1}; u])
#              c_t = sum over e in {i, j} of softmax_e(w^T (cq * q_e)) q_e
#     read     I = relu((W_m m_{t-1}) * (W_k h)),  J = W_1 I + W_2 h
#              r_t = sum over words of softmax(w^T relu(c_t * J)) h
#     write    m_t = W [r_t; m_{t-1}]
#
# The question is shared by all steps. W_k h and W_2 h do not change from step to step and are computed once; one
# dropout mask (0.2) serves all steps, as in the paper.


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
        return self.classifier.logits(torch.cat([m, q], -1))

    def controlled(self, c: Tensor, u: Tensor, people: Tensor) -> Tensor:
        cq = torch.tanh(self.control(torch.cat([c, u], -1)))
        a: Tensor = self.control_attention(cq[:, None] * people).softmax(1)
        return (a * people).sum(1)
