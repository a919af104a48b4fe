"""fastText's own binary format (.bin): arguments, dictionary, word rows and n-gram rows, streamed into a Writer.

The vector of a word of the vocabulary, v(w) below, is computed once, on the way in.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.models.vectors.file_formats import Bytes, checked_width, checked_word
from proband.models.vectors.store import Ints, Writer

# ---- vectors of words from their character n-grams (fastText, Bojanowski et al. 2017) ------------------------------
#
# With G(w) the character n-grams (minn <= n <= maxn) of "<w>", hashed into `bucket` rows z, and u the rows of the
# words,
#
#     v(w) = (u_w + sum_{g in G(w)} z_g) / (1 + |G(w)|)      for a word of the vocabulary,
#     v(w) = sum_{g in G(w)} z_g / |G(w)|                    for any other.
#
# Characters are UTF-8 sequences; the hash is 32-bit FNV-1a over *signed* bytes, as in the original.


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


# --------------------------------------------------------------------------------------------------------------------


VERSIONS = (11, 12)


def convert(reader: Bytes, writer: Writer, *, errors: str) -> dict[str, int]:
    """Stream a .bin file into `writer`; gives minn, maxn and bucket where the model has n-grams."""
    version, arguments = _arguments(reader)
    dim = checked_width(arguments["dim"], reader.path)
    new = _dictionary(reader, writer, errors=errors)
    if reader.take(1, what="the matrix") != b"\0":
        raise ProbandError("is quantised (.ftz); word vectors need the full .bin file", file=reader.path)
    count, columns = struct.unpack("<qq", reader.take(16, what="the matrix"))
    words, bucket = len(new), arguments["bucket"]
    if columns != dim or count != words + bucket:
        raise ProbandError(
            f"the matrix is {count} x {columns}, but {words} words and {bucket} buckets of {dim} are declared",
            file=reader.path,
        )
    for start, rows in _matrix(reader, words, dim):
        writer.add_rows(rows[new[start : start + len(rows)]])
    maxn = 0 if version == 11 and arguments["model"] == 3 else arguments["maxn"]
    subwords = Subwords(minn=arguments["minn"], maxn=maxn, bucket=bucket)
    if maxn < 1 or bucket < 1:
        return {}
    for _, rows in _matrix(reader, bucket, dim):
        writer.add_rows(rows)
    _add_subwords(writer, subwords)
    return {"minn": subwords.minn, "maxn": subwords.maxn, "bucket": subwords.bucket}


def _arguments(reader: Bytes) -> tuple[int, dict[str, int]]:
    """The version of the format, and what matters of the settings of the training."""
    raw = reader.take(64, what="the header")
    _, version, dim, _, _, _, _, _, _, model, bucket, minn, maxn, _ = struct.unpack("<14i", raw[:56])
    if version not in VERSIONS:
        raise ProbandError(f"fastText format {version}, but only 11 and 12 are known", file=reader.path)
    if bucket < 0 or maxn > 100:
        raise ProbandError("the header contains impossible numbers", file=reader.path)
    return version, {"dim": dim, "model": model, "bucket": bucket, "minn": minn, "maxn": maxn}


def _dictionary(reader: Bytes, writer: Writer, *, errors: str) -> NDArray[np.bool_]:
    """The words, without the labels of a classifier; which of them are new, not a repeated one."""
    size, words, labels, _, pruned = struct.unpack("<iiiqq", reader.take(28, what="the dictionary"))
    if size < 1 or words < 1 or size != words + labels:
        raise ProbandError(
            f"the dictionary of {size} entries declares {words} words, {labels} labels", file=reader.path
        )
    if pruned > 0:
        raise ProbandError("is pruned and quantised (.ftz); word vectors need the full .bin file", file=reader.path)
    block: list[bytes] = []
    new: list[NDArray[np.bool_]] = []
    for number in range(1, size + 1):
        what = f"dictionary entry {number} of {size}"
        word = reader.until(b"\0", what=what)
        kind = reader.take(9, what=what)[8]
        if (kind == 0) != (number <= words):
            raise ProbandError(f"{what} has the wrong type: the dictionary is damaged", file=reader.path)
        if kind == 0:
            block.append(checked_word(word, errors=errors, path=reader.path, place=what))
        if len(block) == 8192 or (number == size and block):
            new.append(writer.add_words(block))
            block = []
    return np.concatenate(new)


def _matrix(reader: Bytes, count: int, dim: int) -> Iterator[tuple[int, Floats]]:
    """(first row, rows), some at a time."""
    step = max(1, (1 << 18) // dim)
    for start in range(0, count, step):
        rows = min(step, count - start)
        raw = reader.take(4 * rows * dim, what="the matrix")
        block = np.frombuffer(raw, dtype="<f4").reshape(rows, dim)
        if not np.isfinite(block).all():
            raise ProbandError("the matrix has a number that is not finite", file=reader.path)
        yield start, block


def _add_subwords(writer: Writer, subwords: Subwords) -> None:
    """v(w) for the words of the vocabulary, in place of u_w."""
    rows, start = writer.mapped(), 0
    grams = rows[writer.words :]
    for words in writer.word_blocks(AT_ONCE):
        ids, counts = subwords.of(words)
        sums: Floats = rows[start : start + len(words)] + group_sums(grams[ids], counts)
        sums /= (1 + counts[:, None]).astype(np.float32)
        writer.add_rows(sums, start=start)
        start += len(words)
