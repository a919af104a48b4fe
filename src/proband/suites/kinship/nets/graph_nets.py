r"""Nets over the fact graph: the GAT of the thesis, and two that compose (Edge Transformer, composer)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import NO_EDGE, Batch
from proband.suites.kinship.nets.layers import Classifier, pair_states
from proband.suites.kinship.nets.options import ComposerOptions, EdgeTransformerOptions, GatOptions
from proband.suites.kinship.nets.stories import GENDERS, UNTYPED
from proband.suites.kinship.world.relations import GENDER, RELATIONS

# ---- Graph attention network with relations on its edges (Velickovic et al. 2018; node 100, message 100, edge 20) ---
#
# For a fact (i, r, j), "j is the r of i", person i gets a message from j; everyone gets one from themselves, r = 0:
#
#     e_ij  = LeakyReLU(a^T [W x_i; W x_j; r])          per head, slope 0.2
#     alpha = softmax of e_ij over the facts of i
#     x_i' = U mean over heads of \sum_j alpha_ij [W x_j; r] + b
#
# A round is a layer of three heads, ELU, and a layer of one head, with dropout of 0.6 before each; the same two layers
# serve all three rounds. The graph is the mean of its people, joined with the states of the two that are asked for. The
# vector of a person is fixed and random: that of a placeholder (men and women have a pool each).
#
# Facts may be stated from either side, so messages along them have no common direction. With `hears = "both"`, the
# inverse of every fact is an edge too, with its own relation.


class Gat(nn.Module):
    graph = True
    people: Tensor

    def __init__(self, options: GatOptions, words: int) -> None:
        super().__init__()
        self.options, width = options, options.width
        self.register_buffer("people", F.normalize(torch.randn(2 * options.pool, width), dim=-1))
        self.relations = nn.Embedding(NO_EDGE * (2 if options.hears == "both" else 1), options.edge)
        self.first = GatLayer(width, options.edge, heads=options.heads)
        self.second = GatLayer(width, options.edge, heads=1)
        self.classifier = Classifier(3 * width, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        x = self.people[batch.slots]
        i, j, real, relation = looped(batch, both=self.options.hears == "both")
        r = F.embedding(relation, F.pad(self.relations.weight, (0, 0, 0, 1)))  # the last is zero, for loops
        for _ in range(self.options.rounds):
            for layer in (self.first, self.second):
                x = layer(F.dropout(x, self.options.dropout, self.training), i, j, r, real)
                x = F.elu(x) if layer is self.first else x
        graph = (x * batch.there[..., None]).sum(1) / batch.people[:, None]
        pair = x.gather(1, batch.query[..., None].expand(-1, -1, x.shape[-1])).flatten(1)
        return self.classifier.logits(torch.cat([graph, pair], -1))


def looped(batch: Batch, *, both: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(i, j, whether it is no padding, relation) of the facts, of the inverse facts (`both`; they have their own
    relations), and of a loop for every person."""
    n = batch.slots.shape[1]
    loops = torch.arange(n, device=batch.edges.device).expand(len(batch.edges), -1)
    i, relation, j = batch.edges.unbind(-1)
    given = relation != NO_EDGE
    if both:
        i, j, given = torch.cat([i, j], 1), torch.cat([j, i], 1), torch.cat([given, given], 1)
        relation = torch.cat([relation.clamp(max=NO_EDGE - 1), relation.clamp(max=NO_EDGE - 1) + NO_EDGE], 1)
    real = torch.cat([given, torch.ones_like(loops, dtype=torch.bool)], 1)
    relation = torch.cat([relation, torch.full_like(loops, NO_EDGE * (2 if both else 1))], 1)
    return torch.cat([i, loops], 1), torch.cat([j, loops], 1), real, relation


class GatLayer(nn.Module):
    def __init__(self, width: int, edge: int, *, heads: int, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.w = nn.Linear(width, heads * width, bias=False)
        self.a_i, self.a_j, self.a_r = (nn.Parameter(torch.empty(heads, size)) for size in (width, width, edge))
        self.u = nn.Linear(width + edge, width)
        for a in (self.a_i, self.a_j, self.a_r):
            nn.init.xavier_uniform_(a)

    def forward(self, x: Tensor, i: Tensor, j: Tensor, r: Tensor, real: Tensor) -> Tensor:
        """x: B × N × D; i, j, real: B × E; r: B × E × D_r."""
        v = self.w(x).unflatten(-1, (self.heads, -1))  # B × N × H × D
        people = torch.arange(x.shape[1], device=x.device)
        of, to = (((who[:, None] == people[:, None]) & real[:, None]).to(x.dtype) for who in (i, j))  # B × N × E
        heard = (to.transpose(1, 2) @ v.flatten(2)).unflatten(-1, (self.heads, -1))  # B × E × H × D: W x_j
        e = of.transpose(1, 2) @ (v * self.a_i).sum(-1) + (heard * self.a_j).sum(-1) + r @ self.a_r.T
        e = F.leaky_relu(e, self.slope).masked_fill(~real[..., None], -1e9)
        weight = torch.exp(e - e.detach().amax(1, keepdim=True))
        alpha = weight / (of.transpose(1, 2) @ (of @ weight)).clamp(min=1e-30)  # B × E × H
        message = torch.cat([heard, r[:, :, None].expand(-1, -1, self.heads, -1)], -1)
        summed = of @ (alpha[..., None] * message).mean(2)
        out: Tensor = self.u(summed)
        return out


# ---- Edge Transformer (Bergen, O'Donnell and Bahdanau 2021): attention over triangles, states on pairs of people ----
#
#     alpha_ilj = softmax_l(q_il . k_lj / sqrt(d)),   A_ij = W \sum_l alpha_ilj (v_il * u_lj)
#
# `EdgeTransformer` is that of the released program: one layer applied `rounds` times to embeddings of the stated
# facts,
#
#     x := norm(x),  x_ij := x_ij + A_ij,  x := norm(x),  x_ij := x_ij + MLP(x_ij)
#
# with dropout on alpha and before each sum; the pairs (i, i) have the gender of i. In the released program x_ij
# starts with the fact about (i, j) alone, so a fact that is stated from its other side cannot be used; here it also
# starts with the fact about (j, i).


class EdgeTransformer(nn.Module):
    graph = True
    kept_by = "loss"

    def __init__(self, options: EdgeTransformerOptions, words: int) -> None:
        super().__init__()
        d, self.rounds, self.dropout = options.width, options.rounds, options.dropout
        self.relation, self.genders = nn.Embedding(NO_EDGE + 1, d), nn.Embedding(3, d)
        self.converse = nn.Embedding(NO_EDGE + 1, d)
        self.attention = TriangularAttention(d, options.heads, dropout=options.dropout)
        self.before_attention, self.before_mlp = nn.LayerNorm(d), nn.LayerNorm(d)
        self.wide, self.narrow = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        self.classifier = Classifier(d, options.classifier)

    def forward(self, batch: Batch) -> Tensor:
        numbers = stated_numbers(batch)
        x = self.relation(numbers) + loops(self.genders(batch.genders)) + self.converse(numbers.transpose(1, 2))
        for _ in range(self.rounds):
            x = self.before_attention(x)
            x = x + self._dropped(self.attention(x, batch.there))
            x = self.before_mlp(x)
            x = x + self._dropped(self.narrow(self._dropped(F.relu(self.wide(x)))))
        return self.classifier.logits(pair_states(x, batch))

    def _dropped(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


def loops(people: Tensor) -> Tensor:
    """B × N × N × D: the vectors of people, B × N × D, on the pairs (i, i)."""
    return torch.diag_embed(people.transpose(1, 2)).permute(0, 2, 3, 1)


def stated_numbers(batch: Batch) -> Tensor:
    """B × N × N: the stated relation of each pair, or NO_EDGE."""
    size, n = batch.slots.shape
    i, relation, j = batch.edges.unbind(-1)
    rows = torch.arange(size, device=i.device)[:, None].expand_as(i)
    numbers = torch.full((size, n, n), NO_EDGE, device=i.device)
    last = torch.where(relation == NO_EDGE, n - 1, i), torch.where(relation == NO_EDGE, n - 1, j)
    return numbers.index_put((rows, *last), relation)  # padding writes NO_EDGE to the pair of the last person


class TriangularAttention(nn.Module):
    def __init__(self, width: int, heads: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.scale, self.dropout = heads, (width // heads) ** -0.5, dropout
        self.q, self.k, self.v, self.u, self.out = (nn.Linear(width, width, bias=False) for _ in range(5))

    def forward(self, x: Tensor, there: Tensor) -> Tensor:
        """x: B × N × N × D; there: B × N, which people exist."""
        q, k, v, u = (layer(x).unflatten(-1, (self.heads, -1)) for layer in (self.q, self.k, self.v, self.u))
        e = torch.einsum("bilhd,bljhd->bhilj", q, k) * self.scale
        alpha = e.masked_fill(~there[:, None, None, :, None], float("-inf")).softmax(3)
        alpha = F.dropout(alpha, self.dropout, self.training)
        joined = torch.einsum("bhilj,bilhd,bljhd->bijhd", alpha, v, u)
        out: Tensor = self.out(joined.flatten(-2))
        return out


# ---- Composer: a learned table of compositions and one of converses, closed over all triangles ---------------------
#
# P_ij(r): the probability that j is the r of i. A stated fact has probability 1; its converse follows from a table V
# for a person i of gender g, so the side from which a fact is stated does not matter. s scores whether two words are
# converses, and w which words a gender can have:
#
#     V_g[r, c] = softmax_c(s[r, c] + s[c, r] + w[g, c]),     P_ji(c) = \sum_r P_ij(r) V_{g_i}[r, c]
#
# (`converses = false` leaves this out, for chains that lead from the asker to the asked, as CLUTRR's do.) Everything
# else follows from a table of compositions T[a, b, c] = P(c | a, b) = softmax_c, with one outcome more for "nothing":
#
#     M_ij(c) = \sum_l \sum_{a,b} P_il(a) T[a, b, c] P_lj(b),     P_ij := M_ij / max(1, \sum_c M_ij(c))
#
# as many times as there are people, so every bracketing of a chain is tried and agreeing ones add up. The tables are
# the whole net: no parameter depends on the length of a story. They are learned from answers alone. Chains of two
# teach single entries; longer ones teach which pairs compose to nothing, which is also the start value of unseen
# pairs. To answer, the likeliest outcome counts 1 and the others 0: a learned rule base. A word that contradicts the
# given gender of j has probability 0.


R, G = len(RELATIONS), len(GENDERS) + 1
LEAST = 1e-4  # gives a relation without support a logarithm
FITS = torch.tensor([[1.0] * R, *([float(GENDER[word] == gender) for word in RELATIONS] for gender in GENDERS)])


class Composer(nn.Module):
    graph = True
    kept_by = "loss"  # accuracy is perfect long before the table is

    def __init__(self, options: ComposerOptions, words: int) -> None:
        super().__init__()
        start = 0.1 * torch.randn(R, R, R + 1)
        start[..., R] += 1  # the outcome "nothing"
        self.table = nn.Parameter(start)
        self.turns = options.converses
        if self.turns:
            self.sides, self.of_gender = nn.Parameter(0.1 * torch.randn(R, R)), nn.Parameter(torch.zeros(G, R))

    def forward(self, batch: Batch) -> Tensor:
        facts, fits = stated_facts(batch), FITS.to(batch.genders.device)[batch.genders][:, None]
        if self.turns:
            facts = (facts + fits * turned(facts, batch.genders, self._settled(self.other_side))).clamp(max=1)
        closed = compose(facts, self._settled(self.table)[..., :R], fits)
        return pair_states(closed + LEAST * fits, batch).clamp(min=LEAST**2).log()

    @property
    def other_side(self) -> Tensor:
        """G × R × R"""
        return self.sides + self.sides.T + self.of_gender[:, None]

    def _settled(self, table: Tensor) -> Tensor:
        """Probabilities in training, the likeliest outcome otherwise."""
        if self.training:
            return table.softmax(-1)
        return F.one_hot(table.argmax(-1), table.shape[-1]).to(table.dtype)


def stated_facts(batch: Batch) -> Tensor:
    """B × N × N × R: the stated facts. Facts without a relation are ignored."""
    size, n = len(batch.edges), batch.slots.shape[1]
    i, relation, j = batch.edges.unbind(-1)
    known = (relation < UNTYPED).to(torch.float32)
    facts = torch.zeros(size, n, n, R, device=i.device)
    rows = torch.arange(size, device=i.device)[:, None].expand_as(i)
    return facts.index_put((rows, i, j, relation.clamp(max=R - 1)), known, accumulate=True).clamp(max=1)


def turned(facts: Tensor, genders: Tensor, other_side: Tensor) -> Tensor:
    """B × N × N × R: the converses of the facts."""
    people = F.one_hot(genders, G).to(facts.dtype)
    return torch.einsum("bijr,big,grc->bjic", facts, people, other_side)


def compose(facts: Tensor, table: Tensor, fits: Tensor | float = 1.0) -> Tensor:
    """B × N × N × R: the closure of facts P_ij under a table. `fits` is 0 for words that the gender of j rules out."""
    n = facts.shape[1]
    others = 1 - torch.eye(n, device=facts.device)[..., None]
    open_ = 1 - facts.sum(-1, keepdim=True).clamp(max=1)  # stated facts are not derived again
    known = facts
    for _ in range(n - 1):
        half = torch.einsum("bila,axc->bilxc", known, table)
        m = torch.einsum("bilxc,bljx->bijc", half, known) * others * fits
        known = facts + open_ * m / m.sum(-1, keepdim=True).clamp(min=1)
    return known
