"""fastText's own binary format (.bin): arguments, dictionary, word rows and n-gram rows, streamed into a Writer.

The vector of a word of the vocabulary, v(w) of `subwords.py`, is computed once, on the way in.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.models.vectors.byte_stream import Bytes
from proband.models.vectors.file_formats import checked_width, checked_word
from proband.models.vectors.store import Words
from proband.models.vectors.subwords import AT_ONCE, Subwords, group_sums
from proband.models.vectors.writer import RowFile, Writer

VERSIONS = (11, 12)


def convert(reader: Bytes, writer: Writer, *, errors: str) -> dict[str, int]:
    """Stream a .bin file into `writer`; gives minn, maxn and bucket where the model has n-grams."""
    version, arguments = _arguments(reader)
    dim = checked_width(arguments["dim"], reader.path)
    words = _dictionary(reader, writer, errors=errors)
    if reader.take(1, what="the matrix") != b"\0":
        raise ProbandError("is quantised (.ftz); word vectors need the full .bin file", file=reader.path)
    count, columns = struct.unpack("<qq", reader.take(16, what="the matrix"))
    bucket = arguments["bucket"]
    if columns != dim or count != words + bucket:
        raise ProbandError(
            f"the matrix is {count} x {columns}, but {words} words and {bucket} buckets of {dim} are declared",
            file=reader.path,
        )
    for rows in _matrix(reader, words, dim):
        writer.add_rows(rows)
    maxn = 0 if version == 11 and arguments["model"] == 3 else arguments["maxn"]
    subwords = Subwords(minn=arguments["minn"], maxn=maxn, bucket=bucket)
    if maxn < 1 or bucket < 1:
        return {}
    for rows in _matrix(reader, bucket, dim):
        writer.add_buckets(rows)
    assert writer.matrix is not None
    assert writer.buckets is not None
    _add_subwords(writer.words(), writer.matrix, writer.buckets, subwords)
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


def _dictionary(reader: Bytes, writer: Writer, *, errors: str) -> int:
    """The words, without the labels of a classifier; returns how many."""
    size, words, labels, _, pruned = struct.unpack("<iiiqq", reader.take(28, what="the dictionary"))
    if size < 1 or words < 1 or size != words + labels:
        raise ProbandError(
            f"the dictionary of {size} entries declares {words} words, {labels} labels", file=reader.path
        )
    if pruned > 0:
        raise ProbandError("is pruned and quantised (.ftz); word vectors need the full .bin file", file=reader.path)
    block: list[bytes] = []
    for number in range(1, size + 1):
        what = f"dictionary entry {number} of {size}"
        word = reader.until(b"\0", what=what)
        kind = reader.take(9, what=what)[8]
        if (kind == 0) != (number <= words):
            raise ProbandError(f"{what} has the wrong type: the dictionary is damaged", file=reader.path)
        if kind == 0:
            block.append(checked_word(word, errors=errors, path=reader.path, place=what))
        if len(block) == 8192 or (number == size and block):
            writer.add_words(block)
            block = []
    return int(words)


def _matrix(reader: Bytes, count: int, dim: int) -> Iterator[Floats]:
    step = max(1, (1 << 18) // dim)
    for start in range(0, count, step):
        rows = min(step, count - start)
        raw = reader.take(4 * rows * dim, what="the matrix")
        block = np.frombuffer(raw, dtype="<f4").reshape(rows, dim)
        if not np.isfinite(block).all():
            raise ProbandError("the matrix has a number that is not finite", file=reader.path)
        yield block


def _add_subwords(words: Words, matrix: RowFile, buckets: RowFile, subwords: Subwords) -> None:
    """v(w) for the words of the vocabulary, in place of u_w."""
    matrix.close()
    buckets.close()
    rows, grams = matrix.mapped(), buckets.mapped()
    for start in range(0, len(words), AT_ONCE):
        block = [words.raw(i) for i in range(start, min(start + AT_ONCE, len(words)))]
        ids, counts = subwords.of(block)
        sums = rows[start : start + len(block)] + group_sums(grams[ids], counts)
        rows[start : start + len(block)] = sums / (1 + counts[:, None]).astype(np.float32)
