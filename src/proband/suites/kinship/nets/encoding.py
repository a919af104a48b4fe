"""Stories as a frozen encoder sees them: the state of every word, averaged over its sub-words.

For the extractor with names that men and women have, for a language model knows names better than placeholders; whose
name is whose is drawn anew for every story.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proband.core.progress import Progress
from proband.core.protocols import EmbedsWords
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import NetStory, placeholders

TOGETHER = 64  # stories

States = NDArray[np.float16]


def entity(placeholder: int) -> str:
    return f"@entity-{placeholder}"


def encoded_states(
    encoder: EmbedsWords,
    stories: Sequence[NetStory],
    *,
    pool: int,
    named: Callable[[int], str] = entity,
    layer: int = -1,
) -> Mapping[str, States]:
    """Id of a story -> words × width, the states of a layer. `named`: what stands for a placeholder in the text."""
    states_of: dict[str, States] = {}
    order = sorted(stories, key=lambda story: (len(story.words), story.id))
    with Progress("stories through the encoder", total=len(order)) as bar:
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            texts, spans = zip(*(spell(story, pool, named) for story in part))
            longest = max(len(row) for row in spans)
            filled = [[*row, *[row[-1]] * (longest - len(row))] for row in spans]  # every text as many spans
            states = encoder.embed(texts, filled, layers=[layer])[:, :, 0]
            for story, row, own in zip(part, states, spans):
                states_of[story.id] = row[: len(own)].astype(np.float16)
            bar.advance(len(part))
    return states_of


def spell(story: NetStory, pool: int, named: Callable[[int], str] = entity) -> tuple[str, list[tuple[int, int]]]:
    """The anonymised text, and where its words stand.

    >>> story = NetStory("a", (0, "left", "."), 1, (), (0, 0), None, "train")
    >>> spell(story, pool=1)
    ('@entity-0 left .', [(0, 9), (10, 14), (15, 16)])
    """
    slots = placeholders(story, pool)
    words = [named(slots[word]) if isinstance(word, int) else word for word in story.words]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return " ".join(words), [(int(end) - len(word), int(end)) for word, end in zip(words, ends)]


# fmt: off
NAMES = (
    "Alex", "Sam", "Jordan", "Taylor", "Casey", "Robin", "Morgan", "Jamie", "Riley", "Avery",
    "Quinn", "Kelly", "Terry", "Pat", "Lee", "Chris", "Jesse", "Dana", "Kim", "Leslie",
)
# fmt: on


def unisex(placeholder: int) -> str:
    """
    >>> unisex(1), unisex(21)
    ('Sam', 'Sam1')
    """
    again, name = divmod(placeholder, len(NAMES))
    return NAMES[name] + (str(again) if again else "")


def read_states(encoder: EmbedsWords, stories: Sequence[NetStory], options: ExtractorOptions) -> Mapping[str, States]:
    """A placeholder of a woman has the name that the man's of that place has: genders are given with the answer."""
    plain = [replace(story, genders=()) for story in stories]
    return encoded_states(encoder, plain, pool=options.pool, named=unisex, layer=options.layer)
