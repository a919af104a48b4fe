"""Stories as a frozen encoder reads them for the extractor: with names that men and women have, for a language model
knows names better than placeholders; whose name is whose is drawn anew for every story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from proband.core.protocols import EmbedsWords
from proband.suites.kinship.nets.encoding import States, encoded_states
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import Story

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


def read_states(encoder: EmbedsWords, stories: Sequence[Story], options: ExtractorOptions) -> Mapping[str, States]:
    """A placeholder of a woman has the name that the man's of that place has: genders are given with the answer."""
    plain = [replace(story, genders=()) for story in stories]
    return encoded_states(encoder, plain, pool=options.pool, named=unisex, layer=options.layer)
