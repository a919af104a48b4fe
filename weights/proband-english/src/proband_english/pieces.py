"""Words as the encoder sees them: word pieces of BERT's uncased vocabulary, and the shape that lower-casing loses."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST = 40  # characters of a word that is cut into pieces; a longer one is unknown
SHAPES = ("other", "lower", "Title", "UPPER", "Letter", "mIxed")


def shape(word: str) -> int:
    """
    >>> [SHAPES[shape(word)] for word in ("42", "rain", "Nile", "NATO", "A", "eBay")]
    ['other', 'lower', 'Title', 'UPPER', 'Letter', 'mIxed']
    """
    if not any(map(str.isalpha, word)):
        return 0
    if word.islower():
        return 1
    if word.isupper():
        return 4 if len(word) == 1 else 3
    return 2 if word[0].isupper() and word[1:].islower() else 5


class Pieces:
    """
    >>> cut = Pieces(["[UNK]", "re", "##lieve", "##s", "u", "."])
    >>> cut("Relieves"), cut("U."), cut("z")
    ([1, 2, 3], [4, 5], [0])
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.numbers = {piece: at for at, piece in enumerate(vocabulary)}
        self.unknown = self.numbers["[UNK]"]
        self.known: dict[str, list[int]] = {}

    def __call__(self, word: str) -> list[int]:
        pieces = self.known.get(word)
        if pieces is None:
            if len(self.known) > 200_000:
                self.known.clear()
            pieces = self.known[word] = [one for part in _parts(word) for one in self._cut(part)] or [self.unknown]
        return pieces

    def _cut(self, part: str) -> list[int]:
        """The longest known piece first, as BERT does."""
        out, start = [], 0
        while start < len(part):
            for end in range(len(part), start, -1):
                number = self.numbers.get(("##" if start else "") + part[start:end])
                if number is not None:
                    break
            else:
                return [self.unknown]
            out.append(number)
            start = end
        return out


def _parts(word: str) -> list[str]:
    """A word in lower case, without accents, cut before and after each punctuation mark."""
    if len(word) > LONGEST:
        return []
    plain = "".join(one for one in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(one) != "Mn")
    parts, inside = [""], False
    for one in plain:
        mark = not one.isalnum() and (one.isascii() or unicodedata.category(one).startswith("P"))
        if mark or inside:
            parts.append("")
        parts[-1] += one
        inside = mark
    return [part for part in parts if part.strip()]
