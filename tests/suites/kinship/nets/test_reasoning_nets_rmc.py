"""The memory's attention is torch's, and a step is the equations of the paper."""

from __future__ import annotations

import torch
from torch import nn

from proband.core.plugins import read_options
from proband.suites.kinship.nets.options import RmcOptions
from proband.suites.kinship.nets.reasoning_nets import RelationalMemory

GIVEN = {"width": 5, "slots": 3, "heads": 2, "head": 4, "key": 4}


def memory_core() -> RelationalMemory:
    torch.manual_seed(0)
    return RelationalMemory(read_options(RmcOptions, GIVEN, of="rmc"))


def torchs(core: RelationalMemory) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with the weights of the core, and nothing after it."""
    found = nn.MultiheadAttention(core.width, core.heads, batch_first=True)
    weight = core.keys_values.weight.view(core.heads, core.key + core.head, core.width)
    bias = core.keys_values.bias.view(core.heads, core.key + core.head)
    k, v = weight[:, : core.key].flatten(0, 1), weight[:, core.key :].flatten(0, 1)
    with torch.no_grad():
        found.in_proj_weight.copy_(torch.cat([core.queries.weight, k, v]))
        found.in_proj_bias.copy_(
            torch.cat([core.queries.bias, bias[:, : core.key].flatten(), bias[:, core.key :].flatten()])
        )
        found.out_proj.weight.copy_(torch.eye(core.width))
        found.out_proj.bias.zero_()
    return found


def test_attention_is_that_of_torch() -> None:
    core = memory_core()
    memory, words = torch.randn(7, 3, core.width), torch.randn(7, 1, core.width)
    both = torch.cat([memory, words], 1)
    expected, _ = torchs(core)(memory, both, both)
    torch.testing.assert_close(core.attended(core.queries(memory), core.keys_values(both)), expected)


def test_a_step_is_equations_4_to_7_and_a_story_that_has_ended_keeps_its_memory() -> None:
    core = memory_core()
    words, places, lengths = torch.randn(4, 5), torch.tensor([[3, 0, 1], [1, 2, 1], [2, 1, 1]]), [2, 3, 1]
    after = core(words, places, torch.tensor(lengths)).unflatten(2, (3, core.width))
    attention = torchs(core)
    for b, length in enumerate(lengths):
        m = torch.eye(3, core.width)[None]
        for t in range(length):
            word = core.of_input(words[places[b, t]])[None, None]
            both = torch.cat([m, word], 1)
            inner = core.after_attention(m + attention(m, both, both)[0])
            inner = core.after_mlp(inner + core.mlp(inner))
            i, f = (core.gate_input(word) + core.gate_memory(m.tanh())).chunk(2, -1)
            m = i.sigmoid() * inner.tanh() + (f + 1).sigmoid() * m
            torch.testing.assert_close(after[b, t], m[0])
        torch.testing.assert_close(after[b, length:], m.expand(3 - length, -1, -1))
