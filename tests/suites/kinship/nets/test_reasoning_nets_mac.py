"""Control, read and write, one story at a time, with torch's own attention."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from proband.core.plugins import read_options
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.layers import asked_states
from proband.suites.kinship.nets.options import MacOptions
from proband.suites.kinship.nets.reasoning_nets import Mac


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
