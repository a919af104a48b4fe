"""The published layer against loops, and its settings."""

from __future__ import annotations

import math

import torch

from proband.core.plugins import read_options
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.graph_nets import EdgeTransformer, TriangularAttention
from proband.suites.kinship.nets.options import EdgeTransformerOptions
from proband.suites.kinship.nets.task import recipe_of


@torch.no_grad()
def test_attention_is_that_of_the_paper_triangle_by_triangle() -> None:
    """alpha_ilj over l, v_il * u_lj, a head after the other; the third person does not exist."""
    torch.manual_seed(0)
    layer, x, there = TriangularAttention(4, 2), torch.randn(1, 3, 3, 4), [0, 1]
    found = layer(x, torch.tensor([[True, True, False]]))[0]
    q, k, v, u = (each(x)[0] for each in (layer.q, layer.k, layer.v, layer.u))
    for i in there:
        for j in there:
            heads = []
            for head in (slice(0, 2), slice(2, 4)):
                weights = [math.exp(float(q[i, l, head] @ k[l, j, head]) / math.sqrt(2)) for l in there]
                parts = [w * v[i, l, head] * u[l, j, head] for w, l in zip(weights, there)]
                heads.append(torch.stack(parts).sum(0) / sum(weights))
            torch.testing.assert_close(found[i, j], layer.out(torch.cat(heads)))


def test_the_settings_are_those_of_the_released_program() -> None:
    options = read_options(EdgeTransformerOptions, {}, of="edge-transformer")
    defaults = (
        options.width,
        options.heads,
        options.rounds,
        options.dropout,
        options.epochs,
        options.batch,
        options.clip,
    )
    assert defaults == (200, 4, 8, 0.2, 50, 400, 1.0)
    recipe = recipe_of(options)
    assert [recipe.rate_at(step, 1100) for step in (0, 50, 100, 600, 1100)] == [0, 0.0005, 0.001, 0.0005, 0]


def test_it_sees_what_is_told_and_nothing_else() -> None:
    """A fact read backwards has no vector of its own, unlike in the small net: the order of people does not matter."""
    torch.manual_seed(0)
    net = EdgeTransformer(read_options(EdgeTransformerOptions, {"width": 8, "heads": 2}, of="net"), 5).eval()
    one = Numbers(((),), (0, 1, 2), ((0, 2, 1), (1, 3, 2)), (0, 2), 0)
    turned = Numbers(((),), (0, 1, 2), ((2, 2, 1), (1, 3, 0)), (2, 0), 0)
    both = net(pad([one, turned], text=False))
    torch.testing.assert_close(both[0], both[1])
