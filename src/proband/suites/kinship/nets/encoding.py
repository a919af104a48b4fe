"""Stories as a frozen encoder sees them: the state of every word, averaged over its sub-words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from proband.core.progress import Progress
from proband.core.protocols import EmbedsWords
from proband.suites.kinship.nets.stories import NetStory, placeholders

TOGETHER = 64  # stories

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
            filled = [[*row, *[row[-1]] * (longest - len(row))] for row in spans]  # every text as many spans
            states = encoder.embed(texts, filled, layers=[-1])[:, :, 0]
            for story, row, own in zip(part, states, spans):
                states_of[story.id] = row[: len(own)].astype(np.float16)
            bar.advance(len(part))
    return states_of


def spell(story: NetStory, pool: int) -> tuple[str, list[tuple[int, int]]]:
    """The anonymised text, and where its words stand.

    >>> story = NetStory("a", (0, "left", "."), 1, (), (0, 0), None, "train")
    >>> spell(story, pool=1)
    ('@entity-0 left .', [(0, 9), (10, 14), (15, 16)])
    """
    slots = placeholders(story, pool)
    words = [f"@entity-{slots[word]}" if isinstance(word, int) else word for word in story.words]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return " ".join(words), [(int(end) - len(word), int(end)) for word, end in zip(words, ends)]
