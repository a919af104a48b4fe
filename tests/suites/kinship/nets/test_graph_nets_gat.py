"""The layer against torch-geometric's, and graphs of one batch that do not touch each other."""

from __future__ import annotations

import torch

from proband.core.plugins import read_options
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.graph_nets import Gat, GatLayer
from proband.suites.kinship.nets.options import GatOptions


def test_the_layer_is_that_of_torch_geometric() -> None:
    """Where the relation speaks through attention alone (U takes W x_j and leaves r), it is GATConv with edge features
    and the mean of its heads."""
    from torch_geometric.nn import GATConv

    torch.manual_seed(0)
    width, edge, heads, people = 6, 4, 3, 5
    own = GatLayer(width, edge, heads=heads)
    theirs = GATConv(width, width, heads=heads, concat=False, add_self_loops=False, edge_dim=edge)
    x, r = torch.randn(people, width), torch.randn(8, edge)
    i, j = torch.tensor([0, 0, 1, 2, 4, 4, 4, 3]), torch.tensor([1, 2, 2, 3, 0, 1, 4, 3])
    with torch.no_grad():
        own.u.weight.copy_(torch.cat([torch.eye(width), torch.zeros(width, edge)], 1))
        own.u.bias.copy_(theirs.bias)
        own.w.weight.copy_(theirs.lin.weight)
        own.a_i.copy_(theirs.att_dst[0])
        own.a_j.copy_(theirs.att_src[0])
        own.a_r.copy_(torch.einsum("hd,hde->he", theirs.att_edge[0], theirs.lin_edge.weight.view(heads, width, edge)))
    expected = theirs(x, torch.stack([j, i]), r)  # messages go from j to i
    padded = torch.cat([r, torch.randn(1, edge)])[None]
    mask = torch.tensor([[True] * 8 + [False]])
    found = own(x[None], torch.cat([i, i[:1]])[None], torch.cat([j, j[-1:]])[None], padded, mask)
    torch.testing.assert_close(found[0], expected)


def test_a_story_reads_the_same_beside_larger_ones() -> None:
    torch.manual_seed(0)
    net = Gat(read_options(GatOptions, {"width": 8, "edge": 4}, of="gat"), 5).eval()
    one = Numbers(((),), (3, 4), ((0, 2, 1),), (0, 1), 0)
    two = Numbers(((),), (0, 1, 2, 5), ((0, 2, 1), (1, 4, 2), (2, 9, 3)), (0, 3), 0)
    alone, beside = net(pad([one], text=False)), net(pad([two, one], text=False))
    torch.testing.assert_close(alone[0], beside[1])
