"""Encodes stories as numbers, as states of a frozen encoder (one state per word, averaged over its sub-words), and as
padded batches of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from proband.core.progress import Progress
from proband.core.protocols import EmbedsWords
from proband.suites.kinship.nets.stories import UNTYPED, NetStory, placeholders, sentences
from proband.training.vocabulary import PADDING, Vocabulary

NO_EDGE = UNTYPED + 1  # padding of the list of facts
ROUNDED = 8  # for recorded steps, texts are padded up to multiples of this
TOGETHER = 64  # stories that an encoder reads at a time
NEVER = -100  # a target that is ignored


@dataclass(frozen=True, slots=True)
class Numbers:
    """A story as input of a net: `rows` are its sentences, or one row with the whole text. People are placeholders,
    numbered after the words of the vocabulary."""

    rows: tuple[tuple[int, ...], ...]
    slots: tuple[int, ...]  # placeholder of each person
    edges: tuple[tuple[int, int, int], ...]
    query: tuple[int, int]
    target: int
    states: NDArray[np.float16] | None = None  # of a frozen encoder, one per word
    genders: tuple[int, ...] = ()  # 1: male, 2: female; empty if unknown


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
    people: Tensor  # B: number of people
    edges: Tensor  # B × E × 3: person, relation, person; padding has the relation NO_EDGE
    query: Tensor  # B × 2: numbers of the two people
    target: Tensor  # B
    genders: Tensor  # B × N: 0 unknown, 1 male, 2 female
    states: Tensor | None = None  # B × T × D

    @property
    def mask(self) -> Tensor:
        """The positions of words."""
        return torch.arange(self.tokens.shape[-1], device=self.tokens.device) < self.lengths[..., None]

    @property
    def there(self) -> Tensor:
        """B × N: which people exist."""
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


States = NDArray[np.float16]


def encoded_states(encoder: EmbedsWords, stories: Sequence[NetStory], *, pool: int) -> Mapping[str, States]:
    """Id of a story -> words × width, the states of the last layer."""
    states_of: dict[str, States] = {}
    order = sorted(stories, key=lambda story: (len(story.words), story.id))
    with Progress("stories through the encoder", total=len(order)) as bar:
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            texts, spans = zip(*(spell(story, pool) for story in part))
            longest = max(len(row) for row in spans)
            filled = [[*row, *[row[-1]] * (longest - len(row))] for row in spans]  # equally many spans in every text
            states = encoder.embed(texts, filled, layers=[-1])[:, :, 0]
            for story, row, own in zip(part, states, spans):
                states_of[story.id] = row[: len(own)].astype(np.float16)
            bar.advance(len(part))
    return states_of


def spell(story: NetStory, pool: int) -> tuple[str, list[tuple[int, int]]]:
    """The anonymised text, and the positions of its words.

    >>> story = NetStory("a", (0, "left", "."), 1, (), (0, 0), None, "train")
    >>> spell(story, pool=1)
    ('@entity-0 left .', [(0, 9), (10, 14), (15, 16)])
    """
    slots = placeholders(story, pool)
    words = [f"@entity-{slots[word]}" if isinstance(word, int) else word for word in story.words]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return " ".join(words), [(int(end) - len(word), int(end)) for word, end in zip(words, ends)]
