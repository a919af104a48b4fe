"""Additive attention as the equation has it, one story and one word at a time."""

from __future__ import annotations

import torch
from torch import nn

from proband.suites.kinship.nets.sequence_nets import AdditiveAttention


def test_attention_over_words_and_query_joined() -> None:
    torch.manual_seed(0)
    own = AdditiveAttention(4, 6)
    joined = nn.Linear(4 + 6, 4)  # W of [h; q]
    with torch.no_grad():
        joined.weight.copy_(torch.cat([own.of_state.weight, own.of_query.weight], 1))
        joined.bias.copy_(own.of_state.bias)
    h, q, lengths = torch.randn(3, 5, 4), torch.randn(3, 6), [5, 1, 3]
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]
    found = own(h, q, mask)
    for b, length in enumerate(lengths):
        e = torch.stack([own.v(torch.tanh(joined(torch.cat([h[b, t], q[b]])))) for t in range(length)])
        torch.testing.assert_close(found[b], (e.softmax(0) * h[b, :length]).sum(0))
