"""A table of word vectors: how a word is looked up.

A word is looked up (1) as it is, (2) in lower case, (3) with "_" for each space and with a space for each "_", as it is
and in lower case, then (4), with `phrases="mean"`, as the mean of its parts if all of them are found by (1) or (2), and
(5), in a fastText .bin file, from its character n-grams; with `phrases="none"` only a single word. What is left is
unknown: a row of zeros.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.protocols import Floats
from proband.models.vectors.fasttext import AT_ONCE, Subwords, group_sums
from proband.models.vectors.store import Damaged, Ints, Store


class WordVectors:
    """A table of word vectors (protocol HasVectors)."""

    def __init__(
        self, store: Store, *, name: str, phrases: str = "mean", redo: Callable[[], Store] | None = None
    ) -> None:
        self.name, self.phrases = name, phrases
        self._redo = redo
        self._use(store)

    def _use(self, store: Store) -> None:
        self._store = store
        cut = store.facts.get("subwords")
        self._subwords = Subwords(**cut) if cut else None

    @property
    def dim(self) -> int:
        return int(self._store.matrix.shape[1])

    @property
    def vocabulary(self) -> list[str]:
        return self._store.words.decoded

    @property
    def matrix(self) -> Floats:
        """The whole table, memory-mapped; every row's checksum is verified the first time."""
        self._safely(Store.verify)
        return self._store.matrix

    def identity(self) -> Mapping[str, str]:
        facts = self._store.facts
        return {
            "kind": "vec",
            "format": facts["kind"],
            "weights": facts["sha256"],
            "member": facts.get("member") or "",
            "utf8": facts.get("errors", "strict"),
            "subwords": json.dumps(facts.get("subwords") or {}, sort_keys=True),
            "phrases": self.phrases,
        }

    def vectors(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """A row per word, and which words are known."""
        rows: tuple[Floats, NDArray[np.bool_]] = self._safely(lambda store: self._vectors(store, list(words)))
        return rows

    def _safely(self, read: Callable[[Store], Any]) -> Any:
        """Read; where a checksum fails, convert the source again and read once more."""
        try:
            return read(self._store)
        except Damaged:
            if self._redo is None:
                raise
        self._use(self._redo())
        return read(self._store)

    def _vectors(self, store: Store, words: list[str]) -> tuple[Floats, NDArray[np.bool_]]:
        out = np.zeros((len(words), self.dim), dtype=np.float32)
        ids = _first_found(store, [_spellings(word) for word in words])
        known = ids >= 0
        out[known] = store.rows(ids[known])
        if self.phrases == "mean":
            _fill_phrases(store, words, out, known)
        if self._subwords is not None:
            single = np.array([self.phrases == "mean" or len(word.replace("_", " ").split()) < 2 for word in words])
            _fill_subwords(store, self._subwords, words, out, known, single)
        return out, known


def _spellings(word: str) -> list[str]:
    """The forms to try, best first.

    >>> _spellings("New York")
    ['New York', 'new york', 'New_York', 'new_york']
    """
    forms = [word, word.lower()]
    for old, new in ((" ", "_"), ("_", " ")):
        forms += [word.replace(old, new), word.lower().replace(old, new)]
    return list(dict.fromkeys(forms))


def _first_found(store: Store, spellings: Sequence[Sequence[str]]) -> Ints:
    """The row of each word's first spelling that the table has, else -1."""
    found = np.full(len(spellings), -1, dtype=np.int64)
    for turn in range(max(map(len, spellings), default=0)):
        open_ = [i for i in np.flatnonzero(found < 0).tolist() if turn < len(spellings[i])]
        found[open_] = store.ids([spellings[i][turn] for i in open_])
    return found


def _fill_phrases(store: Store, words: Sequence[str], out: Floats, known: NDArray[np.bool_]) -> None:
    """The mean of a phrase's parts, where all of them are in the table."""
    for i in np.flatnonzero(~known).tolist():
        parts = words[i].replace("_", " ").split()
        if len(parts) < 2:
            continue
        ids = _first_found(store, [[part, part.lower()] for part in parts])
        if (ids >= 0).all():
            out[i], known[i] = store.rows(ids).mean(axis=0), True


def _fill_subwords(
    store: Store,
    subwords: Subwords,
    words: Sequence[str],
    out: Floats,
    known: NDArray[np.bool_],
    wanted: NDArray[np.bool_],
) -> None:
    """v(w) of the wanted words that are not in the table, from their n-grams."""
    unseen = np.flatnonzero(~known & wanted)
    for start in range(0, len(unseen), AT_ONCE):
        some = unseen[start : start + AT_ONCE]
        ids, counts = subwords.of([words[i].encode("utf-8", "replace") for i in some.tolist()])
        sums = group_sums(store.bucket_rows(ids), counts)
        out[some] = sums / np.maximum(counts, 1)[:, None].astype(np.float32)
        known[some] = counts > 0
