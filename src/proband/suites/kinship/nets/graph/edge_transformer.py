r"""Edge Transformer (Bergen, O'Donnell and Bahdanau 2021): attention over triangles, states on pairs of people.

    alpha_ilj = softmax_l(q_il . k_lj / sqrt(d)),   A_ij = W \sum_l alpha_ilj (v_il * u_lj)

`EdgeTransformer` is that of the released program: one layer applied `rounds` times to the embeddings of the told facts,

    x := norm(x),  x_ij := x_ij + A_ij,  x := norm(x),  x_ij := x_ij + MLP(x_ij)

with dropout on alpha and before each sum, and on the pairs (i, i) the gender of i. In the released program x_ij starts
with what is told of (i, j) alone (`converses = false`), so that a fact stated from its other side cannot be used; here
also with what is told of (j, i). `SmallEdgeTransformer` is ours: the sums are of what was not normed, and the layer is
applied as many times as there are people, so that longer chains get more steps.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import NO_EDGE, Batch
from proband.suites.kinship.nets.layers import Classifier, pair_states
from proband.suites.kinship.nets.options import EdgeTransformerOptions, SmallEdgeTransformerOptions


class EdgeTransformer(nn.Module):
    graph = True
    kept_by = "loss"

    def __init__(self, options: EdgeTransformerOptions, words: int) -> None:
        super().__init__()
        d, self.rounds, self.dropout = options.width, options.rounds, options.dropout
        self.told, self.genders = nn.Embedding(NO_EDGE + 1, d), nn.Embedding(3, d)
        self.converse = nn.Embedding(NO_EDGE + 1, d) if options.converses else None
        self.attention = TriangularAttention(d, options.heads, bias=False, dropout=options.dropout)
        self.before_attention, self.before_mlp = nn.LayerNorm(d), nn.LayerNorm(d)
        self.wide, self.narrow = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        self.classifier = Classifier(d, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        numbers = told_numbers(batch)
        x = self.told(numbers) + loops(self.genders(batch.genders))
        if self.converse is not None:
            x = x + self.converse(numbers.transpose(1, 2))
        for _ in range(self.rounds):
            x = self.before_attention(x)
            x = x + self._dropped(self.attention(x, batch.there))
            x = self.before_mlp(x)
            x = x + self._dropped(self.narrow(self._dropped(F.relu(self.wide(x)))))
        logits: Tensor = self.classifier(pair_states(x, batch))
        return logits

    def _dropped(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class SmallEdgeTransformer(nn.Module):
    graph = True
    kept_by = "loss"

    def __init__(self, options: SmallEdgeTransformerOptions, words: int) -> None:
        super().__init__()
        d = options.width
        self.told, self.converse = nn.Embedding(NO_EDGE + 1, d), nn.Embedding(NO_EDGE + 1, d)
        self.genders = nn.Embedding(3, d)
        self.attention = TriangularAttention(d, options.heads)
        self.before_attention, self.before_mlp, self.last = (nn.LayerNorm(d) for _ in range(3))
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))
        self.classifier = Classifier(d, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        numbers = told_numbers(batch)
        x = self.told(numbers) + self.converse(numbers.transpose(1, 2)) + loops(self.genders(batch.genders))
        for _ in range(batch.slots.shape[1]):
            x = x + self.attention(self.before_attention(x), batch.there)
            x = x + self.mlp(self.before_mlp(x))
        logits: Tensor = self.classifier(self.last(pair_states(x, batch)))
        return logits


def loops(people: Tensor) -> Tensor:
    """B × N × N × D: the vectors of people, B × N × D, on the pairs (i, i)."""
    return torch.diag_embed(people.transpose(1, 2)).permute(0, 2, 3, 1)


def told_numbers(batch: Batch) -> Tensor:
    """B × N × N: the relation that is told of each pair; NO_EDGE where there is none."""
    size, n = batch.slots.shape
    i, relation, j = batch.edges.unbind(-1)
    rows = torch.arange(size, device=i.device)[:, None].expand_as(i)
    numbers = torch.full((size, n, n), NO_EDGE, device=i.device)
    last = torch.where(relation == NO_EDGE, n - 1, i), torch.where(relation == NO_EDGE, n - 1, j)
    return numbers.index_put((rows, *last), relation)  # padding writes NO_EDGE onto the pair of the last person


class TriangularAttention(nn.Module):
    def __init__(self, width: int, heads: int, *, bias: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.scale, self.dropout = heads, (width // heads) ** -0.5, dropout
        self.q, self.k, self.v, self.u, self.out = (nn.Linear(width, width, bias=bias) for _ in range(5))

    def forward(self, x: Tensor, there: Tensor) -> Tensor:
        """x: B × N × N × D; there: B × N, which people exist."""
        q, k, v, u = (layer(x).unflatten(-1, (self.heads, -1)) for layer in (self.q, self.k, self.v, self.u))
        e = torch.einsum("bilhd,bljhd->bhilj", q, k) * self.scale
        alpha = e.masked_fill(~there[:, None, None, :, None], float("-inf")).softmax(3)
        alpha = F.dropout(alpha, self.dropout, self.training)
        joined = torch.einsum("bhilj,bilhd,bljhd->bijhd", alpha, v, u)
        out: Tensor = self.out(joined.flatten(-2))
        return out
