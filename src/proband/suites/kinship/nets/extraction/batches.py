"""Stories as mentions of people, with the relation that the text states between each two of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from proband.suites.kinship.nets.batches import NEVER, ROUNDED
from proband.suites.kinship.nets.stories import NUMBER, UNTYPED, Story, placeholders
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL, RELATIONS, word
from proband.training.vocabulary import PADDING, Vocabulary

NONE = len(RELATIONS)  # nothing is stated


@dataclass(frozen=True)
class Mentions:
    """B stories of T words, with N people and M mentions of them at most."""

    tokens: Tensor  # B × T
    lengths: Tensor  # B
    slots: Tensor  # B × N
    places: Tensor  # B × M: which word a mention is; -1 at the padding
    owners: Tensor  # B × M: whose it is; -1 at the padding
    stated: Tensor  # B × N × N: number of the relation of j to i, NONE, or NEVER where it is not known


def stated_relations(story: Story) -> list[list[int]]:
    """Of j to i: as told, or turned around where the gender of i is known from other facts; NEVER on the diagonal, and
    where something is stated but not what (noise without a relation, converses without a gender).

    >>> story = Story("a", (), 2, ((0, NUMBER["son"], 1), (1, NUMBER["mother"], 0)), (0, 1), None, "train")
    >>> [[RELATIONS[r] if 0 <= r < NONE else r for r in row] for row in stated_relations(story)]
    [[-100, 'son'], ['mother', -100]]
    """
    n = story.people
    table = [[NEVER if i == j else NONE for j in range(n)] for i in range(n)]
    genders = told_genders(story)
    for i, relation, j in story.edges:
        gender = genders[i]
        known = relation != UNTYPED
        back = word(INVERSE[NEUTRAL[RELATIONS[relation]]], gender) if known and gender else None
        if table[j][i] in (NONE, NEVER):
            table[j][i] = NUMBER[back] if back else NEVER
        table[i][j] = relation if known else NEVER
    return table


def told_genders(story: Story) -> list[str | None]:
    genders: list[str | None] = [None] * story.people
    for i, relation, j in story.edges:
        if relation != UNTYPED:
            genders[j] = GENDER[RELATIONS[relation]]
            if NEUTRAL[RELATIONS[relation]] == "spouse" and genders[i] is None:
                genders[i] = MALE if genders[j] == FEMALE else FEMALE
    return genders


def pad_mentions(
    stories: Sequence[Story], vocabulary: Vocabulary, *, pool: int, draw: random.Random | None = None,
    rounded: bool = False,
) -> Mentions:  # fmt: skip
    """`draw`: new placeholders every time (for training), instead of those of the story."""

    def size(longest: int) -> int:
        return -(-longest // ROUNDED) * ROUNDED if rounded else max(longest, 1)

    number, after = vocabulary.number, len(vocabulary)
    where = [[t for t, w in enumerate(story.words) if isinstance(w, int)] for story in stories]
    t, m = size(max(len(s.words) for s in stories)), size(max(map(len, where)))
    n = size(max(s.people for s in stories))
    tokens = np.full((len(stories), t), PADDING, dtype=np.int64)
    slots, stated = np.zeros((len(stories), n), dtype=np.int64), np.full((len(stories), n, n), NEVER, dtype=np.int64)
    places, owners = (np.full((len(stories), m), -1, dtype=np.int64) for _ in range(2))
    for b, story in enumerate(stories):
        own = draw.sample(range(pool), story.people) if draw else placeholders(story, pool)
        tokens[b, : len(story.words)] = [
            after + own[w] if isinstance(w, int) else number.get(w, 0) for w in story.words
        ]
        slots[b, : story.people] = own
        places[b, : len(where[b])] = where[b]
        owners[b, : len(where[b])] = [story.words[at] for at in where[b]]
        stated[b, : story.people, : story.people] = stated_relations(story)
    lengths = torch.tensor([len(s.words) for s in stories])
    return Mentions(*map(torch.as_tensor, (tokens, lengths, slots, places, owners, stated)))
