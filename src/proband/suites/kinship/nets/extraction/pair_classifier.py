r"""Which relation does the text state between two people? A classifier of pairs of mentions.

    h = dilated convolutions over the words        (each sees some thirty words to either side, and nothing further)
    s(m, m') = W relu(A h_m + B h_m' + d(m' - m))  a score per relation, for mentions m of i and m' of j
    P(r | i, j) = softmax over r of log \sum_{m, m'} exp s_r(m, m'), with "nothing stated" at 0

Everything is local, so a story of ten facts is read like one of two.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.extraction.batches import Mentions
from proband.suites.kinship.nets.layers import Embeddings
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.world.relations import RELATIONS

FAR = 40  # words; mentions further apart count as this far
NOWHERE = -1e4


class PairClassifier(nn.Module):
    def __init__(self, options: ExtractorOptions, words: int) -> None:
        super().__init__()
        d = options.width
        self.words = words
        self.embeddings = Embeddings(words, options.pool, d)
        self.person = nn.Parameter(torch.randn(d))
        self.blocks = nn.ModuleList(Block(d, 2 ** (n % 4), options.dropout) for n in range(options.blocks))
        self.norm = nn.LayerNorm(d)
        self.left, self.right = nn.Linear(d, d), nn.Linear(d, d, bias=False)
        self.distance = nn.Embedding(2 * FAR + 1, d)
        self.out = nn.Linear(d, len(RELATIONS))
        nn.init.constant_(self.out.bias, -3.0)  # most pairs are not related by the text

    def forward(self, batch: Mentions) -> Tensor:
        """B × N × N × 23: logits of the relations of j to i, and last of none."""
        h = self.states(batch)
        places, owners = batch.places, batch.owners  # B × M
        at = places.clamp(min=0)
        own = h.gather(1, at[..., None].expand(-1, -1, h.shape[-1]))
        steps = (at[:, None, :] - at[:, :, None]).clamp(-FAR, FAR) + FAR
        pairs = self.left(own)[:, :, None] + self.right(own)[:, None] + self.distance(steps)
        scores = self.out(F.relu(pairs))  # B × M × M × 22
        return with_none(pooled(scores, owners, batch.slots.shape[1]))

    def states(self, batch: Mentions) -> Tensor:
        mask = (torch.arange(batch.tokens.shape[1], device=batch.tokens.device) < batch.lengths[:, None])[..., None]
        x = self.embeddings(batch.tokens) + (batch.tokens >= self.words)[..., None] * self.person
        for block in self.blocks:
            x = block(x * mask)
        return self.norm(x)  # type: ignore[no-any-return]


class Block(nn.Module):
    """x + W relu(convolution of LN(x))."""

    def __init__(self, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.convolution = nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation)
        self.out, self.dropout = nn.Linear(width, width), nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.convolution(self.norm(x).transpose(1, 2)).transpose(1, 2))
        return x + self.dropout(self.out(y))  # type: ignore[no-any-return]


def pooled(scores: Tensor, owners: Tensor, people: int) -> Tensor:
    """B × N × N × 22: log of the summed exponentials over the mentions of i and of j; `owners` is -1 at the padding."""
    of = owners[:, None] == torch.arange(people, device=owners.device)[:, None]  # B × N × M
    of = of.to(scores.dtype)
    top = scores.detach().amax((1, 2), keepdim=True)
    summed = torch.einsum("bim,bmkr,bjk->bijr", of, torch.exp(scores - top), of)
    return torch.where(summed > 0, summed.clamp(min=1e-30).log() + top, NOWHERE)


def with_none(logits: Tensor) -> Tensor:
    return torch.cat([logits, torch.zeros_like(logits[..., :1])], -1)
