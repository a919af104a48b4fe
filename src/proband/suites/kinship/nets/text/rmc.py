r"""Relational memory core (Santoro et al. 2018): a memory of two rows that attends to itself and to each word.

    A    = softmax(Q K^T / sqrt(d_k)) V,  Q from M, K and V from [M; x_t]            (equations 1 and 2)
    M'   = LN(M + A),  M'' = LN(M' + MLP(M'))
    i, f = sigmoid(W_x x_t + W_m tanh(M) + bias)                                     (equations 4 and 5)
    M   := i * tanh(M'') + f * M                                                     (equation 7)

Only the rows of the memory are asked for (what the input would attend to is thrown away). What depends on x_t alone is
computed once for each different word of a batch, and a story that has ended takes no further steps. The story is the
memory after its last word, the query the memory at the mentions.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import Classifier, Embeddings, asked_states
from proband.suites.kinship.nets.options import RmcOptions


class Rmc(nn.Module):
    def __init__(self, options: RmcOptions, words: int) -> None:
        super().__init__()
        self.words = words
        self.embeddings = Embeddings(words, 2 * options.pool, options.width)
        self.memory = RelationalMemory(options)
        self.classifier = Classifier(3 * options.slots * self.memory.width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        words, places = torch.unique(batch.tokens, return_inverse=True)
        states = self.memory(self.embeddings(words), places, batch.lengths)
        q = asked_states(states, batch, self.words)
        logits: Tensor = self.classifier(torch.cat([states[:, -1], q], -1))
        return logits


class RelationalMemory(nn.Module):
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

    def forward(self, x: Tensor, places: Tensor, lengths: Tensor) -> Tensor:
        """B × T × (slots · width): the memory after each word, laid flat; after the last one it stays as it is. Word t
        of story b is x[places[b, t]]."""
        stories = pack_padded_sequence(places, lengths.cpu(), batch_first=True, enforce_sorted=False)
        told = F.embedding(stories.data, torch.cat(self._of_words(x), -1))
        memory = torch.eye(self.slots, self.width, device=x.device, dtype=x.dtype)[None]  # at first the same for all
        after = []
        for part in torch.split(told, stories.batch_sizes.tolist()):  # of the stories that go on, the longest first
            keys_values, gates = part[:, None].tensor_split([self.keys_values.out_features], -1)
            memory = torch.cat([self.step(memory[: len(part)], keys_values, gates), memory[len(part) :]])
            after.append(memory.flatten(1))
        after += after[-1:] * (places.shape[1] - len(after))
        return torch.stack(after, 1)[stories.unsorted_indices]

    def _of_words(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values, and gates, as far as they depend on the words."""
        inputs = self.of_input(x)
        return self.keys_values(inputs), self.gate_input(inputs)

    def step(self, memory: Tensor, keys_values: Tensor, gates: Tensor) -> Tensor:
        known = torch.cat([self.keys_values(memory).expand(len(keys_values), -1, -1), keys_values], 1)
        m = self.after_attention(memory + self.attended(self.queries(memory), known))
        m = self.after_mlp(m + self.mlp(m))
        i, f = (gates + self.gate_memory(torch.tanh(memory))).chunk(2, -1)
        return torch.sigmoid(i + self.biases[0]) * torch.tanh(m) + torch.sigmoid(f + self.biases[1]) * memory

    def attended(self, queries: Tensor, keys_values: Tensor) -> Tensor:
        """B × slots × width: multi-head attention of the memory's rows to themselves and the input."""
        q = queries.view(*queries.shape[:2], 1, self.heads, self.key)
        both = keys_values.view(len(keys_values), 1, -1, self.heads, self.key + self.head)
        k, v = both.tensor_split([self.key], -1)
        attention = ((q * k).sum(-1) / self.key**0.5).softmax(2)  # B × slots × rows × heads; small products, so no bmm
        found: Tensor = (attention[..., None] * v).sum(2).flatten(2)
        return found
