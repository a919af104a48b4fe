r"""Graph attention network with relations on its edges (Velickovic et al. 2018; node 100, message 100, edge 20).

For a fact (i, r, j), "j is the r of i", person i hears of j; everyone hears of themselves with r = 0:

    e_ij  = LeakyReLU(a^T [W x_i; W x_j; r])          per head, slope 0.2
    alpha = softmax of e_ij over the facts of i
    x_i' = U mean over heads of \sum_j alpha_ij [W x_j; r] + b

A round is a layer of three heads, ELU, and a layer of one head, with dropout of 0.6 before each; the same two layers
serve all three rounds. The graph is the mean of its people, joined with the states of the two that are asked for. The
vector of a person is fixed and random: that of a placeholder (men and women have a pool each), or (`nodes = "place"`,
as the released program has it) that of the person's place in the list, in CLUTRR's rows the place along the chain.

Where facts are stated from either side, messages along them lead nowhere in particular: with `hears = "both"` the other
side of every fact is an edge too, with a relation of its own.

The GAT of uclnlp/ctp, whose figures CTP and R5 print, differs: j hears of i (`hears = "second"`), the vectors of
placeholders are learned and at most of length 1 (`nodes = "learned"`), both layers have three heads
(`second_heads = 3`), and the classifier is one layer (`readout = "linear"`; in the released program it is made after
the optimiser and so never trained, `readout = "random"`).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import NO_EDGE, Batch
from proband.suites.kinship.nets.layers import Classifier
from proband.suites.kinship.nets.options import GatOptions
from proband.suites.kinship.world.relations import RELATIONS


class Gat(nn.Module):
    graph = True
    people: Tensor

    def __init__(self, options: GatOptions, words: int) -> None:
        super().__init__()
        self.options, width = options, options.width
        people = F.normalize(torch.randn(2 * options.pool, width), dim=-1)
        if options.nodes == "learned":
            self.people = nn.Parameter(people)
        else:
            self.register_buffer("people", people)
        self.relations = nn.Embedding(NO_EDGE * (2 if options.hears == "both" else 1), options.edge)
        self.first = GatLayer(width, options.edge, heads=options.heads)
        self.second = GatLayer(width, options.edge, heads=options.second_heads)
        self.classifier: nn.Module = Classifier(3 * width, options.classifier)
        if options.readout != "mlp":
            line = nn.Linear(3 * width, len(RELATIONS))
            self.classifier = line if options.readout == "linear" else Untrained(line)

    def forward(self, batch: Batch) -> Tensor:
        size, n = batch.slots.shape
        people = self.people / self.people.norm(dim=-1, keepdim=True).clamp(min=1)
        x = people[:n].expand(size, -1, -1) if self.options.nodes == "place" else people[batch.slots]
        i, j, told, relation = looped(batch, both=self.options.hears == "both")
        if self.options.hears == "second":
            i, j = j, i
        r = F.embedding(relation, F.pad(self.relations.weight, (0, 0, 0, 1)))  # the last: zero, for loops
        for _ in range(self.options.rounds):
            for layer in (self.first, self.second):
                x = layer(F.dropout(x, self.options.dropout, self.training), i, j, r, told)
                x = F.elu(x) if layer is self.first else x
        graph = (x * batch.there[..., None]).sum(1) / batch.people[:, None]
        asked = x.gather(1, batch.query[..., None].expand(-1, -1, x.shape[-1])).flatten(1)
        logits: Tensor = self.classifier(torch.cat([graph, asked], -1))
        return logits


class Untrained(nn.Module):
    """A linear layer that keeps its weights."""

    weight: Tensor
    bias: Tensor

    def __init__(self, line: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", line.weight.detach())
        self.register_buffer("bias", line.bias.detach())

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


def looped(batch: Batch, *, both: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(i, j, which of them are told, relation) of the facts, of the facts from their other side (`both`: these have
    relations of their own), and a loop for every person."""
    n = batch.slots.shape[1]
    loops = torch.arange(n, device=batch.edges.device).expand(len(batch.edges), -1)
    i, relation, j = batch.edges.unbind(-1)
    given = relation != NO_EDGE
    if both:
        i, j, given = torch.cat([i, j], 1), torch.cat([j, i], 1), torch.cat([given, given], 1)
        relation = torch.cat([relation.clamp(max=NO_EDGE - 1), relation.clamp(max=NO_EDGE - 1) + NO_EDGE], 1)
    told = torch.cat([given, torch.ones_like(loops, dtype=torch.bool)], 1)
    relation = torch.cat([relation, torch.full_like(loops, NO_EDGE * (2 if both else 1))], 1)
    return torch.cat([i, loops], 1), torch.cat([j, loops], 1), told, relation


class GatLayer(nn.Module):
    def __init__(self, width: int, edge: int, *, heads: int, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.w = nn.Linear(width, heads * width, bias=False)
        self.a_i, self.a_j, self.a_r = (nn.Parameter(torch.empty(heads, size)) for size in (width, width, edge))
        self.u = nn.Linear(width + edge, width)
        for a in (self.a_i, self.a_j, self.a_r):
            nn.init.xavier_uniform_(a)

    def forward(self, x: Tensor, i: Tensor, j: Tensor, r: Tensor, told: Tensor) -> Tensor:
        """x: B × N × D; i, j, told: B × E; r: B × E × D_r."""
        v = self.w(x).unflatten(-1, (self.heads, -1))  # B × N × H × D
        people = torch.arange(x.shape[1], device=x.device)
        of, to = (((who[:, None] == people[:, None]) & told[:, None]).to(x.dtype) for who in (i, j))  # B × N × E
        heard = (to.transpose(1, 2) @ v.flatten(2)).unflatten(-1, (self.heads, -1))  # B × E × H × D: W x_j
        e = of.transpose(1, 2) @ (v * self.a_i).sum(-1) + (heard * self.a_j).sum(-1) + r @ self.a_r.T
        e = F.leaky_relu(e, self.slope).masked_fill(~told[..., None], -1e9)
        weight = torch.exp(e - e.detach().amax(1, keepdim=True))
        alpha = weight / (of.transpose(1, 2) @ (of @ weight)).clamp(min=1e-30)  # B × E × H
        message = torch.cat([heard, r[:, :, None].expand(-1, -1, self.heads, -1)], -1)
        summed = of @ (alpha[..., None] * message).mean(2)
        out: Tensor = self.u(summed)
        return out
