"""Stories as mentions of people, with what the text states of each two of them and of each one's gender."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proband.suites.kinship.nets.batches import NEVER, pad_states, padded_size
from proband.suites.kinship.nets.stories import ENDS, UNTYPED, Story, placeholders
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, NEUTRAL, NEUTRALS, RELATIONS
from proband.training.vocabulary import PADDING, UNKNOWN, Vocabulary

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


def stated_relations(story: Story) -> list[list[int]]:
    """Of j to i, and turned around of i to j; NEVER on the diagonal, and where something is stated but not what (noise
    without a relation).

    >>> from proband.suites.kinship.nets.stories import NUMBER
    >>> story = Story("a", (), 2, ((0, NUMBER["son"], 1),), (0, 1), None, "train")
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


def stated_genders(story: Story) -> list[int]:
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
    stories: Sequence[Story], vocabulary: Vocabulary, *, pool: int, draw: random.Random | None = None,
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


def sentences_apart(story: Story) -> list[int]:
    """Of each fact: how many sentences lie between the nearest mentions of its people; facts of people who are not
    named are left out.

    >>> words, facts = (0, "left", ".", 1, "met", 2, "."), ((0, 1, 1), (1, 1, 2))
    >>> sentences_apart(Story("a", words, 3, facts, (0, 1), None, "train"))
    [1, 0]
    """
    owners = [word for word in story.words if isinstance(word, int)]
    mentions: dict[int, list[int]] = {}
    for owner, sentence in zip(owners, sentences_of_mentions(story.words)):
        mentions.setdefault(owner, []).append(sentence)
    named = [(mentions[i], mentions[j]) for i, _, j in story.edges if i in mentions and j in mentions]
    return [min(abs(a - b) for a in first for b in second) for first, second in named]


def _numbers(story: Story, vocabulary: Vocabulary, own: Sequence[int], draw: random.Random | None) -> list[int]:
    number, after = vocabulary.number, len(vocabulary)
    return [
        after + own[w]
        if isinstance(w, int)
        else UNKNOWN
        if draw and draw.random() < FORGOTTEN
        else number.get(w, UNKNOWN)
        for w in story.words
    ]
