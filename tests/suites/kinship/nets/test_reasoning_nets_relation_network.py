"""The sum over pairs of sentences, pair by pair."""

from __future__ import annotations

import torch
from torch import nn

from proband.core.plugins import read_options
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.layers import asked_states
from proband.suites.kinship.nets.options import RelationNetworkOptions
from proband.suites.kinship.nets.reasoning_nets import RelationNetwork


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
