"""Relation network, relational memory core and MAC against their equations, one pair or step at a time."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from proband.core.plugins import read_options
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.layers import asked_states
from proband.suites.kinship.nets.options import MacOptions, RelationNetworkOptions, RmcOptions
from proband.suites.kinship.nets.reasoning_nets import Mac, RelationalMemory, RelationNetwork

# ---- relation network ------------------------------------------------------------------------------------------------


def test_every_pair_of_sentences_goes_through_g_once() -> None:
    torch.manual_seed(0)
    given = {"width": 6, "hidden": 5, "layers": 1, "g": 7, "f1": 8, "f2": 9, "classifier": 10}
    net = RelationNetwork(read_options(RelationNetworkOptions, given, of="relation-network"), 12)
    stories = [
        Numbers(((6, 13, 7), (14, 8), (9, 13, 10, 14)), (1, 2), (), (0, 1), 0),
        Numbers(((15, 11, 16),), (3, 4), (), (1, 0), 0),
    ]
    batch = pad(stories, by_sentence=True)
    joined = nn.Linear(2 * 10 + 2 * 10, 7)  # the first layer of g, on [o_s; o_r; q_i; q_j]
    with torch.no_grad():
        joined.weight.copy_(torch.cat([net.g_left.weight, net.g_right.weight, net.g_query.weight], 1))
        joined.bias.copy_(net.g_left.bias)
    h, _ = net.read(batch)
    q = asked_states(h, batch, 12)
    found = net(batch)
    for b, story in enumerate(stories):
        o = [h[b, s, : len(row)].mean(0) for s, row in enumerate(story.rows)]
        summed = sum(net.g_deeper(joined(torch.cat([left, right, q[b]]))) for left in o for right in o)
        torch.testing.assert_close(found[b], net.classifier(torch.cat([net.f(summed), q[b]])))


# ---- relational memory core ------------------------------------------------------------------------------------------


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


# ---- MAC: control, read and write, one story at a time, with torch's own attention -----------------------------------


def test_six_steps_of_control_read_and_write() -> None:
    torch.manual_seed(0)
    net = Mac(read_options(MacOptions, {"width": 6, "hidden": 4, "layers": 1, "classifier": 9}, of="mac"), 12).eval()
    stories = [
        Numbers(((6, 13, 7, 14, 8),), (1, 2), (), (0, 1), 0),
        Numbers(((15, 11, 16),), (3, 4), (), (1, 0), 0),
    ]
    batch = pad(stories)
    found, states = net(batch), net.lstm(net.embeddings(batch.tokens), batch.lengths)
    asked = asked_states(states, batch, 12)
    for b, story in enumerate(stories):
        h, people = states[b, : len(story.rows[0])], asked[b].view(2, -1)
        u = net.question(asked[b])
        c, m = net.first
        for _ in range(6):
            cq = torch.tanh(net.control(torch.cat([c, u])))
            c = attended((cq * people) @ net.control_attention.weight[0], people)
            i = torch.relu(net.of_memory(m) * net.of_words(h))
            j = net.joined(i) + net.joined_words(h)
            m = net.write(torch.cat([attended(torch.relu(c * j) @ net.read_attention.weight[0], h), m]))
        torch.testing.assert_close(found[b], net.classifier(torch.cat([m, asked[b]])))


def attended(scores: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Softmax of the scores over the rows, by torch's scaled attention: a query of 1 and the scores as keys."""
    return F.scaled_dot_product_attention(torch.ones(1, 1, 1), scores[None, :, None], rows[None], scale=1.0)[0, 0]
