"""Lesk's word-sense disambiguation (1986): of a word's senses, the one whose gloss shares most words with the context.

    sense(w, C) = argmax_s |gloss(s) ∩ C|,   ties to the commoner sense

over words without stop words and inflection. A gloss counts with its examples and the names of its synset, without the
word itself, which every gloss may contain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from proband.lexicon.inflection import content
from proband.lexicon.taxonomy import Sense, Taxonomy

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")


def bag(text: str) -> frozenset[str]:
    """
    >>> sorted(bag("Sloping land (especially beside bodies of water)"))
    ['beside', 'body', 'especially', 'land', 'slope', 'water']
    """
    return frozenset(content(WORD.findall(text.lower())))


class Lesk:
    """Glosses are read once."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.bags: dict[Sense, frozenset[str]] = {}

    def gloss(self, sense: Sense) -> frozenset[str]:
        if sense not in self.bags:
            named = " ".join(self.taxonomy.names.get(sense, ()))
            self.bags[sense] = bag(f"{self.taxonomy.glosses.get(sense, '')} {named}")
        return self.bags[sense]

    def sense(self, text: str, context: Iterable[str]) -> Sense | None:
        """The sense of a phrase in a context of words (lemmas, without stop words), or None where it has none."""
        senses = self.taxonomy.senses(text)
        if len(senses) < 2:
            return senses[0] if senses else None
        around = frozenset(context) - bag(text)
        return max(senses, key=lambda sense: len(self.gloss(sense) & around))  # the first of the best
