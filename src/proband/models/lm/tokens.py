"""Texts as tokens that know their characters.

A token begins at its first character that is not white space: byte-level tokenizers glue the space before a word to
the word, and some report that space in the offsets and some do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.models.lm.batching import Ints


@dataclass(frozen=True)
class Tokens:
    """`ids` with the special tokens; `begins`, `ends` in characters and `words` (the pre-tokenizer's words), all -1 at
    special tokens."""

    text: str
    ids: Ints
    begins: Ints
    ends: Ints
    words: Ints

    def counted(self, start: int) -> Ints:
        """Positions of the text's own tokens that begin at character `start` or later."""
        return np.flatnonzero((self.begins >= start) & (self.words >= 0))

    def inside(self, span: tuple[int, int]) -> Ints:
        """Positions of the tokens that share a character with the span."""
        found = np.flatnonzero((self.begins < span[1]) & (self.ends > span[0]) & (self.words >= 0))
        if not len(found):
            raise ProbandError(f"no token at characters {span[0]} to {span[1]} of {shorten(self.text)}")
        return found


def encode(
    tokenizer: Any, texts: Sequence[str], *, first: int | None = None, cut_at: int | None = None
) -> list[Tokens]:
    """Tokens of each text with the tokenizer's own special tokens, and `first` before them (a BOS it does not add)."""
    if not texts:
        return []
    if not getattr(tokenizer, "is_fast", False):
        raise ProbandError("this model has no fast tokenizer (tokenizer.json), which character offsets need")
    # without a cut no limit is given either: the length is checked later, with an error of one line
    limit = {"truncation": True, "max_length": cut_at} if cut_at is not None else {"verbose": False}
    encodings = tokenizer(list(texts), add_special_tokens=True, return_attention_mask=False, **limit).encodings
    return [_tokens(text, encoding, first) for text, encoding in zip(texts, encodings)]


def _tokens(text: str, encoding: Any, first: int | None) -> Tokens:
    head = [] if first is None else [first]
    places = [(-1, -1, -1)] * len(head)
    for i, (special, (begin, end), word) in enumerate(
        zip(encoding.special_tokens_mask, encoding.offsets, encoding.word_ids)
    ):
        if special:
            places.append((-1, -1, -1))
            continue
        visible = begin
        while visible < end and text[visible].isspace():
            visible += 1
        places.append((visible if visible < end else begin, end, i if word is None else word))
    begins, ends, words = np.asarray(places, dtype=np.int64).reshape(-1, 3).T
    return Tokens(text, np.asarray(head + encoding.ids, dtype=np.int64), begins, ends, words)


def count_words(tokens: Tokens, positions: Ints) -> int:
    """How many white-space separated words have a token at the given positions.

    >>> text = "to be, or"
    >>> tokens = Tokens(text, *(np.array(x) for x in ([5, 6, 7, 8], [0, 3, 5, 7], [2, 5, 6, 9], [0, 1, 2, 3])))
    >>> count_words(tokens, np.array([1, 2, 3]))
    2
    """
    if len(positions) == np.count_nonzero(tokens.words >= 0):
        return len(tokens.text.split())
    number, inside, of_char = 0, False, []
    for char in tokens.text:
        if char.isspace():
            inside = False
        elif not inside:
            number, inside = number + 1, True
        of_char.append(number)
    return len({of_char[i] for i in tokens.begins[positions] if not tokens.text[i].isspace()})


def check_lengths(encoded: Sequence[Tokens], longest: int | None) -> None:
    for tokens in encoded:
        if longest is not None and len(tokens.ids) > longest:
            raise ProbandError(
                f"a text of {len(tokens.ids)} tokens is longer than the model's {longest}: {shorten(tokens.text)}"
            )


def spelled(tokenizer: Any, words: Sequence[str], *, left: str) -> list[list[int]]:
    """Token ids of each word as it is written behind `left`: at the beginning of a text, after a space or after a sign.

    The word is read behind a stand-in that ends like `left`, and the stand-in's own tokens are taken away; that is
    exact for tokenizers that split at spaces and punctuation first, as all of the supported families do.
    """
    stand_in = "" if not left.strip() else "a " if left[-1].isspace() else "("
    before = _plain(tokenizer, [stand_in.rstrip()])[0] if stand_in else []
    read = _plain(tokenizer, [stand_in + word for word in words])
    for word, ids in zip(words, read):
        if ids[: len(before)] != before or len(ids) == len(before):
            raise ProbandError(f"the tokenizer cannot spell {word!r} as a word of its own")
    return [ids[len(before) :] for ids in read]


def by_spelling(
    tokenizer: Any, blanks: Sequence[tuple[str, str]], words: Sequence[str]
) -> list[tuple[list[int], list[list[int]]]]:
    """Blanks grouped by how a word is written there (first word, after a space, after a sign), with its tokens."""
    groups: dict[str, list[int]] = {}
    for i, (left, _) in enumerate(blanks):
        kind = "first" if not left.strip() else "space" if left[-1].isspace() else "sign"
        groups.setdefault(kind, []).append(i)
    return [(here, spelled(tokenizer, words, left=blanks[here[0]][0])) for here in groups.values()]


def _plain(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    return [list(ids) for ids in tokenizer(texts, add_special_tokens=False, return_attention_mask=False)["input_ids"]]


def shorten(text: str, width: int = 60) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")
