"""Vectors of words from their character n-grams (fastText, Bojanowski et al. 2017).

With G(w) the character n-grams (minn <= n <= maxn) of "<w>", hashed into `bucket` rows z, and u the rows of the words,

    v(w) = (u_w + sum_{g in G(w)} z_g) / (1 + |G(w)|)      for a word of the vocabulary,
    v(w) = sum_{g in G(w)} z_g / |G(w)|                    for any other.

Characters are UTF-8 sequences; the hash is 32-bit FNV-1a over *signed* bytes, as in the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core.protocols import Floats
from proband.models.vectors.store import Ints

END_OF_SENTENCE = b"</s>"  # has no n-grams
AT_ONCE = 512  # words; times about 30 n-grams, times the dimensions, is what a block takes in memory


@dataclass(frozen=True, kw_only=True)
class Subwords:
    """How a model cuts words into n-grams."""

    minn: int
    maxn: int
    bucket: int

    def of(self, words: Sequence[bytes]) -> tuple[Ints, Ints]:
        """(buckets of all n-grams, how many each word has), in fastText's order.

        >>> Subwords(minn=3, maxn=3, bucket=2_000_000).of([b"as", b"a"])[1].tolist()
        [2, 1]
        """
        if not words or self.maxn < 1 or self.bucket < 1:
            return np.zeros(0, dtype=np.int64), np.zeros(len(words), dtype=np.int64)
        texts = [b"" if word == END_OF_SENTENCE else b"<" + word + b">" for word in words]
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        ends = np.cumsum(lengths)
        raw = np.frombuffer(b"".join(texts), dtype=np.uint8)
        owner = np.repeat(np.arange(len(texts)), lengths)
        begins = np.flatnonzero((raw & 0xC0) != 0x80)
        first = (begins == (ends - lengths)[owner[begins]]) if len(begins) else np.zeros(0, dtype=np.bool_)
        grams = self._hashed(raw, begins, ends[owner[begins]], first)
        starts = np.concatenate([start for start, _ in grams])
        order = np.argsort(starts, kind="stable")
        buckets = np.concatenate([values for _, values in grams])[order] % np.uint32(self.bucket)
        return buckets.astype(np.int64), np.bincount(owner[starts], minlength=len(words)).astype(np.int64)

    def _hashed(
        self, raw: NDArray[np.uint8], begins: Ints, ends: Ints, first: NDArray[np.bool_]
    ) -> list[tuple[Ints, NDArray[np.uint32]]]:
        """(start, hash) of the n-grams of each length, all starts growing by one character at a time."""
        signed = raw.view(np.int8).astype(np.int32).view(np.uint32)  # the sign is extended, as a C `int8_t` would be
        continues = np.append((raw & 0xC0) == 0x80, False)
        state: NDArray[np.uint32] = np.full(len(begins), 2166136261, dtype=np.uint32)
        at, grams = begins.copy(), []
        for n in range(1, self.maxn + 1):
            alive = at < ends
            begins, ends, first, state, at = begins[alive], ends[alive], first[alive], state[alive], at[alive]
            growing = np.ones(len(at), dtype=np.bool_)
            while growing.any():
                state[growing] = (state[growing] ^ signed[at[growing]]) * np.uint32(16777619)
                at[growing] += 1
                growing &= (at < ends) & continues[at]
            if n >= self.minn:
                wanted = ~(first | (at == ends)) if n == 1 else np.ones(len(at), dtype=np.bool_)
                grams.append((begins[wanted], state[wanted]))
        return grams or [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32))]


def group_sums(rows: Floats, counts: Ints) -> Floats:
    """Sums of consecutive groups of rows; an empty group sums to zero."""
    sums = np.zeros((len(counts), rows.shape[1]), dtype=np.float32)
    filled = counts > 0
    if filled.any():
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled] = np.add.reduceat(rows, starts, axis=0)
    return sums
