r"""Relational memory core (Santoro et al. 2018): a memory of two rows that attends to itself and to each word.

    A    = softmax(Q K^T / sqrt(d_k)) V,  Q from M, K and V from [M; x_t]            (equations 1 and 2)
    M'   = LN(M + A),  M'' = LN(M' + MLP(M'))
    i, f = sigmoid(W_x x_t + W_m tanh(M) + bias)                                     (equations 4 and 5)
    M   := i * tanh(M'') + f * M                                                     (equation 7)

Only the rows of the memory are asked for (what the input would attend to is thrown away), and everything that depends
on x_t alone is computed for all words at once. The story is the memory after its last word, the query the memory at the
mentions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, asked_states
from proband.suites.kinship.nets.options import RmcOptions
from proband.suites.kinship.nets.text.rmc_at_once import Size, Unrolled


class Rmc(nn.Module):
    def __init__(self, options: RmcOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, options.pool, options.width)
        self.memory = RelationalMemory(options)
        self.classifier = Classifier(3 * options.slots * self.memory.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        states = self.memory(self.embeddings(batch.tokens), batch.mask)
        q = asked_states(states, batch, self.words)
        logits: Tensor = self.classifier(torch.cat([states[:, -1], q], -1))
        return logits


class RelationalMemory(nn.Module):
    side_by_side = False  # set where seeds are trained as one computation

    def __init__(self, options: RmcOptions) -> None:
        super().__init__()
        self.slots, self.heads, self.key, self.head = options.slots, options.heads, options.key, options.head
        self.width = d = options.heads * options.head
        self.biases = options.input_bias, options.forget_bias
        self.of_input = nn.Linear(options.width, d)
        self.queries = nn.Linear(d, options.heads * options.key)
        self.keys_values = nn.Linear(d, options.heads * (options.key + options.head))
        self.after_attention, self.after_mlp = nn.LayerNorm(d), nn.LayerNorm(d)
        layers = [layer for _ in range(options.attention_layers) for layer in (nn.Linear(d, d), nn.ReLU())]
        self.mlp = nn.Sequential(*layers)
        self.gate_input, self.gate_memory = nn.Linear(d, 2 * d), nn.Linear(d, 2 * d, bias=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """B × T × (slots · width): the memory after each word, laid flat; it stays as it is at the padding."""
        inputs = self.of_input(x)
        keys_values, gates = self.keys_values(inputs), self.gate_input(inputs)
        if self.side_by_side:
            return self._at_once(keys_values, gates, mask)
        memory = torch.eye(self.slots, self.width, device=x.device, dtype=x.dtype).expand(len(x), -1, -1)
        after = []
        for known, gate, there in zip(keys_values.unbind(1), gates.unbind(1), mask.unbind(1)):
            new = self.step(memory, known[:, None], gate[:, None])
            memory = torch.where(there[:, None, None], new, memory)
            after.append(memory.flatten(1))
        return torch.stack(after, 1)

    def _at_once(self, keys_values: Tensor, gates: Tensor, mask: Tensor) -> Tensor:
        every = [(self.queries, self.keys_values), *((m,) for m in self.mlp if isinstance(m, nn.Linear))]
        matrices = [torch.cat([layer.weight for layer in layers]) for layers in every] + [self.gate_memory.weight]
        biases = [torch.cat([layer.bias for layer in layers]) for layers in every]
        biases.append(biases[0].new_zeros(2 * self.width))  # the gates' is in `gates`
        norms = [part for norm in (self.after_attention, self.after_mlp) for part in (norm.weight, norm.bias)]
        size = Size(self.slots, self.heads, self.key, *self.biases)
        given = [part[None] for part in (keys_values, gates, mask)], [w[None] for w in (*matrices, *biases, *norms)]
        found = Unrolled.apply(*given[0], size, len(matrices), *given[1])  # type: ignore[no-untyped-call]
        states: Tensor = found[0].unflatten(0, (-1, self.slots))  # B × slots × T × D
        return states.transpose(1, 2).flatten(2)

    def step(self, memory: Tensor, keys_values: Tensor, gates: Tensor) -> Tensor:
        known = torch.cat([self.keys_values(memory), keys_values], 1)
        m = self.after_attention(memory + self.attended(self.queries(memory), known))
        m = self.after_mlp(m + self.mlp(m))
        i, f = (gates + self.gate_memory(torch.tanh(memory))).chunk(2, -1)
        return torch.sigmoid(i + self.biases[0]) * torch.tanh(m) + torch.sigmoid(f + self.biases[1]) * memory

    def attended(self, queries: Tensor, keys_values: Tensor) -> Tensor:
        """B × slots × width: multi-head attention of the memory's rows to themselves and the input."""
        q = queries.view(*queries.shape[:2], self.heads, self.key).transpose(1, 2)
        both = keys_values.view(*keys_values.shape[:2], self.heads, -1).transpose(1, 2)
        k, v = both[..., : self.key], both[..., self.key :]
        attention = (q @ k.transpose(2, 3) / self.key**0.5).softmax(-1)
        found: Tensor = (attention @ v).transpose(1, 2).flatten(2)
        return found
