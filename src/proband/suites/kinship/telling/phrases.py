"""Sentences and phrases of a story with its names masked: what training and test stories have in common.

A phrase that tells a fact is what stands between two names of a sentence, with its kin word (or with the kin word after
the second name: `Ann met Ben, her brother`); names, kin words and pronouns are masked, so that the same phrase about
other people is the same phrase.

>>> masked_sentences("Ann sat beside her aunt Bea. Bea left.", ["Ann", "Bea"])
['_ sat beside her aunt _.', '_ left.']
>>> fact_phrases(masked_sentences("Ann sat beside her aunt Bea. Bea met Carl, her son.", ["Ann", "Bea", "Carl"]))
['_ sat beside @ # _', '_ met _, @ #']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from proband.suites.kinship.reading.lexicon import KIN, PRONOUN

NAME, KIN_MARK, PRONOUN_MARK = "_", "#", "@"
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"'])\s+")
KIN_WORD: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(KIN, key=lambda w: (-len(w), w)))})(?![\w-])", re.I)
PRONOUN_WORD: Final = re.compile(rf"\b(?:{'|'.join(PRONOUN)})\b", re.I)
PHRASE: Final = re.compile(r"(?=(_[^_]*_(?:, (?:@|the|_'s) #)?))")
WORD: Final = re.compile(r"\[?(@?\w[\w-]*)\]?")  # a name may stand in brackets, or be @entity-1


def masked_sentences(story: str, names: Collection[str]) -> list[str]:
    """The sentences of a story without its names."""
    masked = WORD.sub(lambda match: NAME if match[1] in names else match[0], story)
    return [sentence for sentence in SENTENCE_END.split(masked) if sentence]


def fact_phrases(sentences: Iterable[str], *, whole: bool = False) -> list[str]:
    """The phrases that tell a fact, of sentences with masked names. `whole`: the sentences that tell one, where what
    stands between two names is grammar alone (`_'s # _ lit the lamp`) and the rest of the sentence is the phrase.

    >>> fact_phrases(["_'s aunt _ lit the lamp."]), fact_phrases(["_'s aunt _ lit the lamp."], whole=True)
    (["_'s # _"], ["_'s # _ lit the lamp."])
    """
    phrases = []
    for sentence in sentences:
        text = PRONOUN_WORD.sub(PRONOUN_MARK, KIN_WORD.sub(KIN_MARK, sentence)).lower()
        found = [text] if whole else [match[1] for match in PHRASE.finditer(text)]
        phrases += [phrase for phrase in found if KIN_MARK in phrase]
    return phrases
