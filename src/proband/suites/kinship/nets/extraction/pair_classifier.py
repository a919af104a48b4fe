r"""What does the text state of two people? A classifier of pairs of mentions.

    h = dilated convolutions over the words        (each sees some thirty words to either side, and nothing further)
    s(m, m') = W relu(A h_m + B h_m' + d(m' - m))  a score per neutral relation r, for mentions m of i and m' of j
    P(r | i, j) = softmax over r of log \sum_{m, m'} exp s_r(m, m') + exp s_{r converse}(m', m), "nothing stated" at 0
    P(i is a woman) = sigmoid(\sum_m g h_m)

A fact and its converse are one statement, so both directions add up; the gender of a person is told by every mention
("his", "her", a kin word), not by one fact alone. Everything is local: a story of ten facts is read like one of two,
and of mentions more than `near` sentences apart nothing is read. The words are learned vectors, or the states of a
frozen encoder.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.suites.kinship.nets.extraction.batches import CONVERSE, Mentions
from proband.suites.kinship.nets.layers import Embeddings
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.world.relations import NEUTRALS

FAR = 40  # words; of mentions further apart nothing is stated
NOWHERE = -1e4


class PairClassifier(nn.Module):
    converse: Tensor

    def __init__(self, options: ExtractorOptions, words: int, encoder: int = 0) -> None:
        """`encoder`: dimension of the frozen states; 0: learned vectors."""
        super().__init__()
        d = options.width
        self.words = words
        self.vectors = nn.Linear(encoder, d) if encoder else Embeddings(words, options.pool, d)
        self.encoded = encoder > 0
        self.person = nn.Parameter(torch.randn(d))
        self.blocks = nn.ModuleList(Block(d, 2 ** (n % 4), options.dropout) for n in range(options.blocks))
        self.norm, self.dropout = nn.LayerNorm(d), nn.Dropout(options.dropout)
        self.left, self.right = nn.Linear(d, d), nn.Linear(d, d, bias=False)
        self.near, self.distance = options.near, nn.Embedding(2 * FAR + 1, d)
        self.out, self.female = nn.Linear(d, len(NEUTRALS)), nn.Linear(d, 1)
        self.register_buffer("converse", torch.tensor(CONVERSE), persistent=False)
        nn.init.constant_(self.out.bias, -3.0)  # most pairs are not related by the text

    def forward(self, batch: Mentions) -> tuple[Tensor, Tensor]:
        """B × N × N × 12: logits of the neutral relations of j to i, and last of none; B × N: of being a woman."""
        h, people = self.states(batch), batch.slots.shape[1]
        at = batch.places.clamp(min=0)
        own = self.dropout(h.gather(1, at[..., None].expand(-1, -1, h.shape[-1])))
        steps = at[:, None, :] - at[:, :, None]
        pairs = self.left(own)[:, :, None] + self.right(own)[:, None] + self.distance(steps.clamp(-FAR, FAR) + FAR)
        never = steps.abs() > FAR
        if not self.training:  # in training too it read worse (one seed, experiments/kinship/extractor.md)
            never |= (batch.sentences[:, None, :] - batch.sentences[:, :, None]).abs() > self.near
        scores = self.out(F.relu(pairs)).masked_fill(never[..., None], NOWHERE)  # B × M × M × 11
        female = torch.einsum("bim,bm->bi", belongs(batch.owners, people), self.female(own).squeeze(-1))
        return with_none(pooled(scores, batch.owners, people, self.converse)), female

    def states(self, batch: Mentions) -> Tensor:
        mask = (torch.arange(batch.tokens.shape[1], device=batch.tokens.device) < batch.lengths[:, None])[..., None]
        x = self.words_of(batch)
        for block in self.blocks:
            x = block(x * mask)
        return self.norm(x)  # type: ignore[no-any-return]

    def words_of(self, batch: Mentions) -> Tensor:
        x: Tensor = self.vectors(self.dropout(batch.states) if self.encoded else batch.tokens)
        return x + (batch.tokens >= self.words)[..., None] * self.person


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


def belongs(owners: Tensor, people: int) -> Tensor:
    """B × N × M: 1 where a mention is one's own; `owners` is -1 at the padding."""
    return (owners[:, None] == torch.arange(people, device=owners.device)[:, None]).float()


def pooled(scores: Tensor, owners: Tensor, people: int, converse: Tensor) -> Tensor:
    """B × N × N × 11: log of the summed exponentials over the mentions of i and of j, and of the converse of j to i;
    `converse` numbers the converses."""
    of = belongs(owners, people)
    top = scores.detach().amax((1, 2, 3), keepdim=True)
    ahead = torch.einsum("bim,bmkr,bjk->bijr", of, torch.exp(scores - top), of)
    summed = ahead + ahead.transpose(1, 2)[..., converse]
    return torch.where(summed > 0, summed.clamp(min=1e-30).log() + top, NOWHERE)


def with_none(logits: Tensor) -> Tensor:
    return torch.cat([logits, torch.zeros_like(logits[..., :1])], -1)
