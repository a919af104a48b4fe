"""Word-vector files as they are published, plain or gzipped: recognised by their bytes, never by their names.

    word2vec text, fastText .vec     "400000 300\\n", then "word 0.1 0.2 ...\\n"
    GloVe text                       the same without the first line
    word2vec binary                  "400000 300\\n", then "word " and 300 little-endian float32, perhaps "\\n"

Files are streamed; an invalid line is an error with file and line.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats32

Block = tuple[list[str], Floats32]
BLOCK = 4096  # words per block
WIDEST = 1 << 17
LONGEST = 1 << 25  # bytes of a line or word
FASTTEXT = (793712314).to_bytes(4, "little")
REFUSED = {
    FASTTEXT: "is fastText's own binary form; name the .vec file published with it",
    b"PK\x03\x04": "is a zip archive: unpack it first",
}
HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})\s*")


@contextmanager
def open_vectors(path: Path) -> Iterator[tuple[str, Iterator[Block]]]:
    """The format of a file (word2vec-bin, word2vec-text or glove-text), and its words and rows, some at a time."""
    try:
        with open(path, "rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            if start in REFUSED:
                raise ProbandError(REFUSED[start], file=path)
            unpacked: Any = gzip.GzipFile(fileobj=raw) if start.startswith(b"\x1f\x8b") else raw
            with io.BufferedReader(unpacked, 1 << 20) as file:
                yield recognised(file, path)
    except (EOFError, OSError, zlib.error) as error:
        raise ProbandError(f"damaged or cannot be read: {error}", file=path) from None


def recognised(file: io.BufferedReader[Any], path: Path) -> tuple[str, Iterator[Block]]:
    """
    >>> [recognised(io.BufferedReader(io.BytesIO(raw)), "x")[0] for raw in (b"1 3\\nyes 1 0 0\\n", b"yes 1 0 0\\n")]
    ['word2vec-text', 'glove-text']
    """
    first = file.readline(LONGEST)
    if not first:
        raise ProbandError("is empty", file=path)
    header = HEADER.fullmatch(first)
    if header is None:
        if b"\0" in first:
            raise ProbandError("is neither text nor a known binary format of word vectors", file=path)
        return "glove-text", text_blocks(file, width(len(first.split()) - 1, path), path, first=first)
    count, dim = int(header[1]), width(int(header[2]), path)
    ahead = file.peek(1 << 16)
    if not ahead:
        raise ProbandError("ends after its first line", file=path, line=1)
    # The numbers of the first word: printable in a text, raw float32 otherwise (a word itself may hold any bytes).
    numbers = ahead.lstrip(b"\n").partition(b" ")[2][: 4 * dim].partition(b"\n")[0]
    if numbers and all(32 <= byte < 127 or byte in b"\r\t" for byte in numbers):
        return "word2vec-text", text_blocks(file, dim, path, count=count)
    return "word2vec-bin", binary_blocks(file, dim, path, count=count)


def width(dim: int, path: object) -> int:
    if not 1 <= dim <= WIDEST:
        raise ProbandError(f"{dim} dimensions, but vectors have between 1 and {WIDEST}", file=path, line=1)
    return dim


def binary_blocks(file: io.BufferedReader[Any], dim: int, path: Path, *, count: int) -> Iterator[Block]:
    for begin in range(0, count, BLOCK):
        words: list[str] = []
        rows: list[bytes] = []
        for number in range(begin + 1, min(count, begin + BLOCK) + 1):
            word, row = _until_space(file), file.read(4 * dim)
            if len(row) < 4 * dim:
                raise ProbandError(f"truncated: the file ends within word {number} of {count}", file=path)
            if not word:
                raise ProbandError(f"word {number} of {count} is empty", file=path)
            words.append(word)
            rows.append(row)
        block = np.frombuffer(b"".join(rows), dtype="<f4").reshape(-1, dim)
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            raise ProbandError(f"word {begin + 1 + int(bad[0])} has a number that is not finite", file=path)
        yield words, block
    if file.peek(1).strip():
        raise ProbandError(f"continues after the {count} words that its header declares", file=path)


def _until_space(file: io.BufferedReader[Any]) -> str:
    """The next word; some writers end each vector with a newline."""
    raw = b""
    while not raw.endswith(b" ") and len(raw) < LONGEST and (ahead := file.peek(1)):
        at = ahead.find(b" ")
        raw += file.read(at + 1 if at >= 0 else len(ahead))
    return _text(raw[:-1].lstrip(b"\n"))


def _text(word: bytes) -> str:
    """Decode a word; bytes that are not UTF-8, which a few words of some tables contain, are replaced."""
    return word.decode("utf-8", "replace").replace("\n", "\ufffd")


def text_blocks(
    file: io.BufferedReader[Any], dim: int, path: Path, *, count: int | None = None, first: bytes = b""
) -> Iterator[Block]:
    """`first` is the line that was already read, if it is not a header."""
    lines, number = iter(lambda: file.readline(LONGEST), b""), 1 if first else 2
    some = [first, *islice(lines, BLOCK)] if first else list(islice(lines, BLOCK))
    seen = 0
    while some:
        seen += len(some)
        if count is not None and seen > count:
            raise ProbandError(f"continues after the {count} words that its header declares", file=path, line=count + 2)
        yield _parsed(some, number, dim, path)
        number, some = number + len(some), list(islice(lines, BLOCK))
    if count is not None and seen < count:
        raise ProbandError(f"the header declares {count} words, but there are {seen}", file=path, line=1)


def _parsed(lines: list[bytes], first: int, dim: int, path: Path) -> Block:
    words: list[str] = []
    numbers: list[bytes] = []
    for at, line in enumerate(lines, start=first):
        # GloVe has a few words with spaces ('. . .'): the last `dim` fields are the numbers
        word, *rest = line.replace(b"\t", b" ").rstrip().rsplit(b" ", dim)
        if not word or len(rest) != dim or (b" " in word and _finite(word.rpartition(b" ")[2])):
            raise ProbandError(f"not a word with {dim} numbers, as the first vector has", file=path, line=at)
        words.append(_text(word))
        numbers.append(b" ".join(rest))
    try:
        rows = np.loadtxt(numbers, dtype=np.float32, delimiter=" ", comments=None, ndmin=2, encoding="latin-1")
    except ValueError:
        rows = np.empty((0, dim), dtype=np.float32)
    if rows.shape != (len(lines), dim) or not np.isfinite(rows).all():
        bad = next((at for at, each in enumerate(numbers, start=first) if not _finite(each)), first)
        raise ProbandError("has a value that is not a finite number in float32", file=path, line=bad)
    return words, rows


def _finite(numbers: bytes) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.array([float(each) for each in numbers.split(b" ")]).astype(np.float32)).all())
    except ValueError:
        return False
