"""Text as lower-case tokens, tokens as sentences, and which tokens are words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?(?:-[a-z0-9]+)*|°|[^\sa-z0-9]", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_][\w'’-]*")
UNKNOWN = "#unk#"


def tokens(text: str) -> tuple[str, ...]:
    """
    >>> tokens("Drain the pasta, then rinse it.")
    ('drain', 'the', 'pasta', ',', 'then', 'rinse', 'it', '.')
    """
    return tuple(TOKEN.findall(text.lower()))


def sentences(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    start = 0
    for at, word in enumerate(words, start=1):
        if word in (".", "!", "?") or at == len(words):
            yield tuple(words[start:at])
            start = at


def is_word(word: str) -> bool:
    """
    >>> [is_word(w) for w in ("whisk", "wire-mesh", "1/2", "350f", ".", "#UNK#")]
    [True, True, False, False, False, False]
    """
    return WORD.fullmatch(word) is not None and not any(c.isdigit() for c in word) and word.lower() != UNKNOWN
