"""Stories as numbers, and as padded batches of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from proband.suites.kinship.nets.stories import UNTYPED, NetStory, placeholders, sentences
from proband.training.vocabulary import PADDING, Vocabulary

NO_EDGE = UNTYPED + 1  # padding of the list of facts
ROUNDED = 8  # for recorded steps, texts are padded up to multiples of this
NEVER = -100  # a target that does not count


@dataclass(frozen=True, slots=True)
class Numbers:
    """A story ready for a net: `rows` are its sentences, or one row with the whole text; people are placeholders, which
    come after the words of the vocabulary."""

    rows: tuple[tuple[int, ...], ...]
    slots: tuple[int, ...]  # placeholder of each person
    edges: tuple[tuple[int, int, int], ...]
    query: tuple[int, int]
    target: int
    states: NDArray[np.float16] | None = None  # of a frozen encoder, one per word
    genders: tuple[int, ...] = ()  # 1: male, 2: female; nothing where they are not given


def numbered(story: NetStory, vocabulary: Vocabulary, *, pool: int, by_sentence: bool, states: Any = None) -> Numbers:
    slots, number, after = placeholders(story, pool), vocabulary.number, len(vocabulary)

    def row(words: Sequence[int | str]) -> tuple[int, ...]:
        return tuple([after + slots[word] if isinstance(word, int) else number.get(word, 0) for word in words])

    rows = tuple(row(part) for part in sentences(story.words)) if by_sentence else (row(story.words),)
    target = NEVER if story.target is None else story.target
    return Numbers(rows, tuple(slots), story.edges, story.query, target, states, story.genders)


@dataclass(frozen=True)
class Batch:
    """B stories of T words (or S sentences of T words), N people and E facts at most, padded."""

    tokens: Tensor  # B × T, or B × S × T
    lengths: Tensor  # B, or B × S
    slots: Tensor  # B × N: placeholder of each person
    people: Tensor  # B: how many
    edges: Tensor  # B × E × 3: person, relation, person; the relation is NO_EDGE where there is none
    query: Tensor  # B × 2: numbers of the two people
    target: Tensor  # B
    genders: Tensor  # B × N: 0 unknown, 1 male, 2 female
    states: Tensor | None = None  # B × T × D

    @property
    def mask(self) -> Tensor:
        """Where there is a word."""
        return torch.arange(self.tokens.shape[-1], device=self.tokens.device) < self.lengths[..., None]

    @property
    def there(self) -> Tensor:
        """B × N: which people there are."""
        return torch.arange(self.slots.shape[1], device=self.slots.device) < self.people[:, None]


def pad(stories: Sequence[Numbers], *, by_sentence: bool = False, text: bool = True, rounded: bool = False) -> Batch:
    """
    >>> one = Numbers(((7, 9),), (2, 0), ((0, 3, 1),), (0, 1), 5)
    >>> two = Numbers(((7, 8, 9),), (1,), (), (0, 0), 5)
    >>> batch = pad([one, two])
    >>> batch.tokens.tolist(), batch.lengths.tolist(), batch.edges.tolist()
    ([[7, 9, 1], [7, 8, 9]], [2, 3], [[[0, 3, 1]], [[0, 23, 0]]])
    """
    rows = max(len(story.rows) for story in stories)
    longest = max([1, *(len(row) for story in stories for row in story.rows)]) if text else 1
    longest = -(-longest // ROUNDED) * ROUNDED if rounded and text else longest
    n, e = max(len(story.slots) for story in stories), max(1, *(len(story.edges) for story in stories))
    tokens = np.full((len(stories), rows, longest), PADDING, dtype=np.int64)
    lengths = np.zeros((len(stories), rows), dtype=np.int64)
    slots, genders = (np.zeros((len(stories), n), dtype=np.int64) for _ in range(2))
    edges = np.zeros((len(stories), e, 3), dtype=np.int64)
    edges[:, :, 1] = NO_EDGE
    for b, story in enumerate(stories):
        for s, row in enumerate(story.rows if text else ()):
            tokens[b, s, : len(row)] = row
            lengths[b, s] = len(row)
        slots[b, : len(story.slots)] = story.slots
        genders[b, : len(story.genders)] = story.genders
        if story.edges:
            edges[b, : len(story.edges)] = story.edges
    states = None
    if (first := stories[0].states) is not None:  # of a frozen encoder
        states = torch.zeros(len(stories), longest, first.shape[1])
        for b, story in enumerate(stories):
            if story.states is not None:
                states[b, : len(story.states)] = torch.from_numpy(story.states.astype(np.float32))
    if not by_sentence:
        tokens, lengths = tokens[:, 0], lengths[:, 0]
    return Batch(
        tokens=torch.from_numpy(tokens),
        lengths=torch.from_numpy(lengths),
        slots=torch.from_numpy(slots),
        people=torch.tensor([len(s.slots) for s in stories]),
        edges=torch.from_numpy(edges),
        query=torch.tensor([s.query for s in stories]),
        target=torch.tensor([s.target for s in stories]),
        genders=torch.from_numpy(genders),
        states=states,
    )
