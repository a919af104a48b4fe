r"""Composer: a composition table, learned, over all triangles.

P_ij(r): how surely j is the r of i. A told fact is sure, and so is, if `converses`, that fact read backwards, which has
a symbol of its own: 22 + r. (The chains of CLUTRR and of our stories lead from the asker to the asked, and need none.)
Everything else follows from a table T[a, b, c] = P(c | a, b) = softmax_c, with one outcome more for "nothing":

    M_ij(c) = \sum_l \sum_{a,b} P_il(a) T[a, b, c] P_lj(b),     P_ij := M_ij / max(1, \sum_c M_ij(c))

as many times as there are people, so that every bracketing of a chain is tried and what agrees adds up. The table is
the whole net: nothing in it knows how long a story is. It is learned from the answers alone; chains of two teach single
entries, longer ones which pairs compose to nothing, which is also what a pair that was never seen begins with. For
answering, the likeliest outcome of a pair counts 1 and the others 0: a rule base that was learned, and that can be
printed (`rules`).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.options import ComposerOptions
from proband.suites.kinship.nets.stories import UNTYPED
from proband.suites.kinship.world.relations import RELATIONS

R = len(RELATIONS)
LEAST = 1e-4  # so that a relation without any support has a logarithm


class Composer(nn.Module):
    graph = True
    kept_by = "loss"  # accuracy is perfect long before the table is sharp

    def __init__(self, options: ComposerOptions, words: int) -> None:
        super().__init__()
        self.symbols = 2 * R if options.converses else R
        start = 0.1 * torch.randn(self.symbols, self.symbols, R + 1)
        start[..., R] += 1  # nothing
        self.table = nn.Parameter(start)

    def forward(self, batch: Batch) -> Tensor:
        told = told_facts(batch)[..., : self.symbols]
        found = compose(told, self.probabilities())
        rows = torch.arange(len(told), device=told.device)
        return (found[rows, batch.query[:, 0], batch.query[:, 1]] + LEAST).log()

    def probabilities(self) -> Tensor:
        if self.training:
            return self.table.softmax(-1)[..., :R]
        relations = torch.arange(R, device=self.table.device)
        return (self.table.argmax(-1)[..., None] == relations).to(self.table.dtype)

    def rules(self) -> dict[tuple[str, str], str]:
        """The hard table between told relations."""
        found = self.table.detach().argmax(-1)[:R, :R].tolist()
        return {
            (RELATIONS[a], RELATIONS[b]): RELATIONS[c]
            for a, row in enumerate(found)
            for b, c in enumerate(row)
            if c < R
        }


def told_facts(batch: Batch) -> Tensor:
    """B × N × N × 2R: the told facts and their converses. Facts without a relation say nothing."""
    size, n = len(batch.edges), batch.slots.shape[1]
    i, relation, j = batch.edges.unbind(-1)
    known = (relation < UNTYPED).to(torch.float32)
    r = relation.clamp(max=R - 1)
    told = torch.zeros(size, n, n, 2 * R, device=i.device)
    rows = torch.arange(size, device=i.device)[:, None].expand_as(i)
    told = told.index_put((rows, i, j, r), known, accumulate=True)
    told = told.index_put((rows, j, i, R + r), known, accumulate=True)
    return told.clamp(max=1)


def compose(told: Tensor, table: Tensor) -> Tensor:
    """B × N × N × R: the closure of facts P_ij under a table; symbols after the first R are facts read backwards."""
    n = told.shape[1]
    others = 1 - torch.eye(n, device=told.device)[..., None]
    facts, converses = told[..., :R], told[..., R:]
    open_ = 1 - facts.sum(-1, keepdim=True).clamp(max=1)  # what is told is not found again
    known = facts
    for _ in range(n - 1):
        p = torch.cat([known, converses], -1)
        half = torch.einsum("bila,axc->bilxc", p, table)
        m = torch.einsum("bilxc,bljx->bijc", half, p) * others
        known = facts + open_ * m / m.sum(-1, keepdim=True).clamp(min=1)
    return known
