r"""Composer: a table of compositions and one of converses, both learned, closed over all triangles.

P_ij(r): how surely j is the r of i. A told fact is sure; from its other side it is what a table V says for a person i
of gender g, so that it does not matter which side a fact is told from. Two words are each other's other side or not,
and w says what people of a gender can be called:

    V_g[r, c] = softmax_c(s[r, c] + s[c, r] + w[g, c]),     P_ji(c) = \sum_r P_ij(r) V_{g_i}[r, c]

(`converses = false` leaves this out, for chains that lead from the asker to the asked, as CLUTRR's do.) Everything else
follows from a table of compositions T[a, b, c] = P(c | a, b) = softmax_c, with one outcome more for "nothing":

    M_ij(c) = \sum_l \sum_{a,b} P_il(a) T[a, b, c] P_lj(b),     P_ij := M_ij / max(1, \sum_c M_ij(c))

as many times as there are people, so that every bracketing of a chain is tried and what agrees adds up. The tables are
the whole net: nothing in it knows how long a story is. They are learned from the answers alone; chains of two teach
single entries, longer ones which pairs compose to nothing, which is also what a pair that was never seen begins with.
For answering, the likeliest outcome counts 1 and the others 0: a rule base that was learned, and that can be printed
(`rules`, `converses`).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import Batch
from proband.suites.kinship.nets.layers import pair_states
from proband.suites.kinship.nets.options import ComposerOptions
from proband.suites.kinship.nets.stories import GENDERS, UNTYPED
from proband.suites.kinship.world.relations import RELATIONS

R, G = len(RELATIONS), len(GENDERS) + 1
LEAST = 1e-4  # so that a relation without any support has a logarithm


class Composer(nn.Module):
    graph = True
    kept_by = "loss"  # accuracy is perfect long before the table is sharp

    def __init__(self, options: ComposerOptions, words: int) -> None:
        super().__init__()
        start = 0.1 * torch.randn(R, R, R + 1)
        start[..., R] += 1  # nothing
        self.table = nn.Parameter(start)
        self.turns = options.converses
        if self.turns:
            self.sides, self.of_gender = nn.Parameter(0.1 * torch.randn(R, R)), nn.Parameter(torch.zeros(G, R))

    def forward(self, batch: Batch) -> Tensor:
        facts = told_facts(batch)
        if self.turns:
            facts = (facts + turned(facts, batch.genders, self._settled(self.other_side))).clamp(max=1)
        closed = compose(facts, self._settled(self.table)[..., :R])
        return (pair_states(closed, batch) + LEAST).log()

    @property
    def other_side(self) -> Tensor:
        """G × R × R"""
        return self.sides + self.sides.T + self.of_gender[:, None]

    def _settled(self, table: Tensor) -> Tensor:
        """Probabilities, to learn; the likeliest outcome, to answer."""
        if self.training:
            return table.softmax(-1)
        return F.one_hot(table.argmax(-1), table.shape[-1]).to(table.dtype)

    def rules(self) -> dict[tuple[str, str], str]:
        """The hard table of compositions."""
        outcomes = self.table.detach().argmax(-1).tolist()
        return {
            (RELATIONS[a], RELATIONS[b]): RELATIONS[c]
            for a, row in enumerate(outcomes)
            for b, c in enumerate(row)
            if c < R
        }

    def converses(self) -> dict[tuple[str, str], str]:
        """The hard table of converses: (word, gender of whose relation it is) -> the word from the other side."""
        if not self.turns:
            return {}
        outcomes = self.other_side.detach().argmax(-1).tolist()
        return {
            (word, name): RELATIONS[outcomes[g][r]] for r, word in enumerate(RELATIONS) for name, g in GENDERS.items()
        }


def told_facts(batch: Batch) -> Tensor:
    """B × N × N × R: the told facts. Facts without a relation say nothing."""
    size, n = len(batch.edges), batch.slots.shape[1]
    i, relation, j = batch.edges.unbind(-1)
    known = (relation < UNTYPED).to(torch.float32)
    told = torch.zeros(size, n, n, R, device=i.device)
    rows = torch.arange(size, device=i.device)[:, None].expand_as(i)
    return told.index_put((rows, i, j, relation.clamp(max=R - 1)), known, accumulate=True).clamp(max=1)


def turned(facts: Tensor, genders: Tensor, other_side: Tensor) -> Tensor:
    """B × N × N × R: the facts from their other side."""
    people = F.one_hot(genders, G).to(facts.dtype)
    return torch.einsum("bijr,big,grc->bjic", facts, people, other_side)


def compose(facts: Tensor, table: Tensor) -> Tensor:
    """B × N × N × R: the closure of facts P_ij under a table."""
    n = facts.shape[1]
    others = 1 - torch.eye(n, device=facts.device)[..., None]
    open_ = 1 - facts.sum(-1, keepdim=True).clamp(max=1)  # what is told is not derived again
    known = facts
    for _ in range(n - 1):
        half = torch.einsum("bila,axc->bilxc", known, table)
        m = torch.einsum("bilxc,bljx->bijc", half, known) * others
        known = facts + open_ * m / m.sum(-1, keepdim=True).clamp(min=1)
    return known
