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

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.core.files import group_by_key
from proband.suites.kinship.nets.batches import NEVER, pad_states, padded_size
from proband.suites.kinship.nets.layers import Embeddings
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import ENDS, UNTYPED, NetStory, placeholders
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, NEUTRAL, NEUTRALS, RELATIONS
from proband.training.vocabulary import PADDING, UNKNOWN, Vocabulary

FAR = 40  # words; of mentions further apart nothing is stated
NOWHERE = -1e4


class MentionPairClassifier(nn.Module):
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


# ---- stories as mentions of people, with what the text states of each two of them and of each one's gender ----------

NONE = len(NEUTRALS)  # nothing is stated
NEUTRAL_NUMBER = {name: n for n, name in enumerate(NEUTRALS)}
CONVERSE = [NEUTRAL_NUMBER[INVERSE[name]] for name in NEUTRALS]
FORGOTTEN = 0.1  # share of the words that training hides, so that unknown ones are not new to it


@dataclass(frozen=True)
class Mentions:
    """B stories of T words, with N people and M mentions of them at most."""

    tokens: Tensor  # B × T
    lengths: Tensor  # B
    slots: Tensor  # B × N
    places: Tensor  # B × M: which word a mention is; -1 at the padding
    owners: Tensor  # B × M: whose it is; -1 at the padding
    sentences: Tensor  # B × M: number of the sentence it is in
    stated: Tensor  # B × N × N: number of the neutral relation of j to i, NONE, or NEVER where it is not known
    female: Tensor  # B × N: 1 or 0, NEVER where it is not known
    states: Tensor | None = None  # B × T × D, of a frozen encoder


def stated_relations(story: NetStory) -> list[list[int]]:
    """Of j to i, and turned around of i to j; NEVER on the diagonal, and where something is stated but not what (noise
    without a relation).

    >>> from proband.suites.kinship.nets.stories import NUMBER
    >>> story = NetStory("a", (), 2, ((0, NUMBER["son"], 1),), (0, 1), None, "train")
    >>> [[NEUTRALS[r] if 0 <= r < NONE else r for r in row] for row in stated_relations(story)]
    [[-100, 'child'], ['parent', -100]]
    """
    n = story.people
    table = [[NEVER if i == j else NONE for j in range(n)] for i in range(n)]
    for i, relation, j in story.edges:
        if relation == UNTYPED:
            table[i][j] = table[j][i] = NEVER
        else:
            table[i][j] = NEUTRAL_NUMBER[NEUTRAL[RELATIONS[relation]]]
            table[j][i] = CONVERSE[table[i][j]]
    return table


def stated_genders(story: NetStory) -> list[int]:
    """1 for women, 0 for men, NEVER for those of whom no kin word is said: j is a son, i the spouse of a woman."""
    female = [NEVER] * story.people
    for i, relation, j in story.edges:
        if relation != UNTYPED:
            word = RELATIONS[relation]
            female[j] = int(GENDER[word] == FEMALE)
            if NEUTRAL[word] == "spouse":
                female[i] = 1 - female[j]
    return female


def pad_mentions(
    stories: Sequence[NetStory], vocabulary: Vocabulary, *, pool: int, draw: random.Random | None = None,
    rounded: bool = False, states: Mapping[str, Any] | None = None,
) -> Mentions:  # fmt: skip
    """`draw`, for training: new placeholders every time instead of those of the story, and words that are hidden.
    `states`: of a frozen encoder, by the story's id."""
    where = [[t for t, w in enumerate(story.words) if isinstance(w, int)] for story in stories]
    longest = max(len(s.words) for s in stories), max(map(len, where)), max(s.people for s in stories)
    b, (t, m, n) = len(stories), (padded_size(size, rounded) for size in longest)
    tokens, slots = np.full((b, t), PADDING, dtype=np.int64), np.zeros((b, n), dtype=np.int64)
    stated, female = np.full((b, n, n), NEVER, dtype=np.int64), np.full((b, n), NEVER, dtype=np.int64)
    places, owners, sentences = (np.full((b, m), -1, dtype=np.int64) for _ in range(3))
    for row, (story, mentions) in enumerate(zip(stories, where)):
        own = draw.sample(range(pool), story.people) if draw else [place % pool for place in placeholders(story, pool)]
        tokens[row, : len(story.words)] = _numbers(story, vocabulary, own, draw)
        slots[row, : story.people] = own
        places[row, : len(mentions)] = mentions
        owners[row, : len(mentions)] = [story.words[at] for at in mentions]
        sentences[row, : len(mentions)] = sentences_of_mentions(story.words)
        stated[row, : story.people, : story.people] = stated_relations(story)
        female[row, : story.people] = stated_genders(story)
    return Mentions(
        tokens=torch.from_numpy(tokens),
        lengths=torch.tensor([len(s.words) for s in stories]),
        slots=torch.from_numpy(slots),
        places=torch.from_numpy(places),
        owners=torch.from_numpy(owners),
        sentences=torch.from_numpy(sentences),
        stated=torch.from_numpy(stated),
        female=torch.from_numpy(female),
        states=None if states is None else pad_states([states[s.id] for s in stories], t),
    )


def sentences_of_mentions(words: Sequence[int | str]) -> list[int]:
    """
    >>> sentences_of_mentions([0, "met", 1, ".", 0, "left", "."])
    [0, 0, 1]
    """
    numbers, sentence = [], 0
    for word in words:
        if isinstance(word, int):
            numbers.append(sentence)
        sentence += word in ENDS
    return numbers


def sentences_apart(story: NetStory) -> list[int]:
    """Of each fact: how many sentences lie between the nearest mentions of its people; facts of people who are not
    named are left out.

    >>> words, facts = (0, "left", ".", 1, "met", 2, "."), ((0, 1, 1), (1, 1, 2))
    >>> sentences_apart(NetStory("a", words, 3, facts, (0, 1), None, "train"))
    [1, 0]
    """
    owners = [word for word in story.words if isinstance(word, int)]
    mentions = group_by_key(zip(owners, sentences_of_mentions(story.words)))
    named = [(mentions[i], mentions[j]) for i, _, j in story.edges if i in mentions and j in mentions]
    return [min(abs(a - b) for a in first for b in second) for first, second in named]


def _numbers(story: NetStory, vocabulary: Vocabulary, own: Sequence[int], draw: random.Random | None) -> list[int]:
    number, after = vocabulary.number, len(vocabulary)
    return [
        after + own[w]
        if isinstance(w, int)
        else UNKNOWN
        if draw and draw.random() < FORGOTTEN
        else number.get(w, UNKNOWN)
        for w in story.words
    ]
