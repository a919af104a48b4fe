"""Word-vector files as they are published: recognised by their bytes, never by their names.

    word2vec text, fastText .vec     "400000 300\\n", then "word 0.1 0.2 ...\\n"
    GloVe text                       the same without the first line
    word2vec binary                  "400000 300\\n", then "word " and 300 little-endian float32, perhaps "\\n"
    fastText .bin                    begins with the number 793712314; refused: its .vec file has the same words

each plain or inside gzip, bzip2, xz or zip. Everything is streamed; what does not fit is refused with file and line.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats

WIDEST = 1 << 17
Block = tuple[list[bytes], Floats]


# ---- what is it? ---------------------------------------------------------------------------------------------------

FASTTEXT = (793712314).to_bytes(4, "little")
HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")


def kind_of(reader: Bytes) -> str:
    """word2vec-bin, word2vec-text or glove-text.

    >>> import io
    >>> [kind_of(Bytes(io.BytesIO(start), "x")) for start in (b"1 3\\nyes 1 0 0\\n", b"yes 1 0 0\\n")]
    ['word2vec-text', 'glove-text']
    """
    start = reader.peek(4)
    if start == FASTTEXT:
        raise ProbandError("is fastText's own binary form; name the .vec file published with it", file=reader.path)
    if not start:
        raise ProbandError("is empty", file=reader.path)
    line, newline, rest = reader.peek(1 << 16).partition(b"\n")
    header = HEADER.fullmatch(line)
    if header is None:
        if b"\0" in line:
            raise ProbandError("is neither text nor a known binary format of word vectors", file=reader.path)
        return "glove-text"
    if not newline or not rest:
        raise ProbandError("ends after its first line", file=reader.path, line=1)
    # The numbers of the first word: printable in a text, raw float32 otherwise (a word itself may hold any bytes).
    numbers = rest.lstrip(b"\n").partition(b" ")[2][: 4 * int(header[2])].partition(b"\n")[0]
    printable = all(32 <= byte < 127 or byte in b"\r\t" for byte in numbers)
    return "word2vec-text" if printable and numbers else "word2vec-bin"


def header_of(reader: Bytes) -> tuple[int, int]:
    """(words, dimensions) as the first line promises."""
    line = reader.until(b"\n", what="the first line")
    match = HEADER.fullmatch(line)
    assert match is not None
    return int(match[1]), checked_width(int(match[2]), reader.path, line=1)


def checked_width(dim: int, path: object, *, line: int | None = None) -> int:
    if not 1 <= dim <= WIDEST:
        raise ProbandError(f"{dim} dimensions, but vectors have between 1 and {WIDEST}", file=path, line=line)
    return dim


# ---- word2vec binary -----------------------------------------------------------------------------------------------


def binary_blocks(reader: Bytes, *, errors: str) -> Iterator[Block]:
    """Words and rows of a word2vec binary file."""
    count, dim = header_of(reader)
    words: list[bytes] = []
    rows: list[bytes] = []
    for number in range(1, count + 1):
        what = f"word {number} of {count}"
        while (first := reader.peek(1)) == b"\n":  # some writers end each vector with a newline
            reader.take(1, what=what)
        if not first:
            raise ProbandError(f"the header declares {count} words, but there are {number - 1}", file=reader.path)
        words.append(checked_word(reader.until(b" ", what=what), errors=errors, path=reader.path, place=what))
        rows.append(reader.take(4 * dim, what=what))
        if len(words) == 1024 or number == count:
            yield words, _finite(rows, dim, reader.path, first=number - len(words) + 1)
            words, rows = [], []
    if reader.peek(1 << 10).strip():
        raise ProbandError(f"continues after the {count} words that its header declares", file=reader.path)


def _finite(rows: list[bytes], dim: int, path: object, *, first: int) -> Floats:
    block = np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), dim)
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if len(bad):
        raise ProbandError(f"word {first + int(bad[0])} has a number that is not finite", file=path)
    return block


def checked_word(word: bytes, *, errors: str, path: object, place: str | None = None, line: int | None = None) -> bytes:
    """The word in good UTF-8; `errors="replace"` mends a bad one, "strict" refuses it."""
    try:
        text = word.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        where = f"{place}: " if place else ""
        raise ProbandError(f"{where}not UTF-8 at byte {error.start + 1} of the word", file=path, line=line) from None
    if not text:
        raise ProbandError(f"{place or 'the line'} has no word", file=path, line=line)
    return text.encode("utf-8")


# ---- text ----------------------------------------------------------------------------------------------------------


def text_blocks(reader: Bytes, *, header: bool, errors: str) -> Iterator[Block]:
    """Words and rows of a word2vec, fastText or GloVe text file."""
    if header:
        count, dim = header_of(reader)
    else:
        first = reader.peek(1 << 20).partition(b"\n")[0].replace(b"\t", b" ").rstrip(b" \r")
        count, dim = None, checked_width(first.count(b" "), reader.path, line=1)
    seen = 0
    for lines in _line_blocks(reader, first=2 if header else 1):
        block = _parse(lines, seen + (2 if header else 1), dim, reader.path, errors)
        seen += len(lines)
        if count is not None and seen > count:
            raise ProbandError(
                f"continues after the {count} words that its header declares", file=reader.path, line=count + 2
            )
        yield block
    if count is not None and seen < count:
        raise ProbandError(f"the header declares {count} words, but there are {seen}", file=reader.path, line=1)


def _line_blocks(reader: Bytes, *, first: int) -> Iterator[list[bytes]]:
    """Whole lines, a chunk's worth at a time."""
    rest, number = b"", first
    while chunk := reader.chunk():
        body, newline, rest = (rest + chunk).rpartition(b"\n")
        if len(rest) > LONGEST:
            raise ProbandError("the line has no end", file=reader.path, line=number + body.count(b"\n") + bool(newline))
        if newline:
            lines = body.split(b"\n")
            number += len(lines)
            yield lines
    if rest:
        yield [rest]


def _parse(lines: list[bytes], first: int, dim: int, path: object, errors: str) -> Block:
    """The block parsed at once; where anything is odd, line by line, so that the error can name its line."""
    if any(b"\t" in line for line in lines):
        lines = [line.replace(b"\t", b" ") for line in lines]
    words: list[bytes] = []
    numbers: list[bytes] = []
    for line in lines:
        if line[-1:] in b" \r":
            line = line.rstrip(b" \r")
        if line.count(b" ") != dim:
            return _line_by_line(lines, first, dim, path, errors)
        word, _, rest = line.partition(b" ")
        words.append(word)
        numbers.append(rest)
    try:
        b"".join(words).decode("utf-8")
        rows = np.loadtxt(numbers, dtype=np.float32, delimiter=" ", comments=None, ndmin=2, encoding="latin-1")
    except ValueError:  # UnicodeDecodeError is one too
        return _line_by_line(lines, first, dim, path, errors)
    if rows.shape != (len(lines), dim) or not all(words) or not np.isfinite(rows).all():
        return _line_by_line(lines, first, dim, path, errors)
    return words, rows


def _line_by_line(lines: list[bytes], first: int, dim: int, path: object, errors: str) -> Block:
    words: list[bytes] = []
    rows = np.zeros((len(lines), dim), dtype=np.float32)
    for i, line in enumerate(lines):
        word, numbers = _fields(line.rstrip(b" \r"), dim, path, first + i)
        words.append(checked_word(word, errors=errors, path=path, line=first + i))
        for j, number in enumerate(numbers):
            value = _number(number)
            if value is None:
                shown = number[:40].decode("utf-8", "replace")
                raise ProbandError(f"{shown!r} is not a number", file=path, line=first + i)
            with np.errstate(over="ignore"):
                rows[i, j] = value
        if not np.isfinite(rows[i]).all():
            raise ProbandError("a number is not finite in float32", file=path, line=first + i)
    return words, rows


def _fields(line: bytes, dim: int, path: object, number: int) -> tuple[bytes, list[bytes]]:
    """Word and numbers; GloVe has a few words with spaces ('. . .'), so the last `dim` fields are the numbers."""
    if not line:
        raise ProbandError("the line is blank", file=path, line=number)
    word, *numbers = line.rsplit(b" ", dim)
    surplus = word.rpartition(b" ")[2]
    if len(numbers) != dim or (b" " in word and _number(surplus) is not None):
        got = line.count(b" ")
        raise ProbandError(f"{got} numbers, but the vectors have {dim} dimensions", file=path, line=number)
    return word, numbers


def _number(field: bytes) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


# ---- a file as a stream of bytes, unpacked on the way: recognised by its first bytes too -----------------------------


CHUNK = 1 << 21
LONGEST = 1 << 25  # a line or a word beyond this is not one
PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)


class Bytes:
    """A forward reader: look ahead, take so many bytes, take up to a mark."""

    def __init__(self, file: IO[bytes], path: object) -> None:
        self.path, self._file, self._buffer, self._at = path, file, b"", 0

    def peek(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end."""
        while len(self._buffer) - self._at < count and self._more():
            pass
        return self._buffer[self._at : self._at + count]

    def take(self, count: int, *, what: str) -> bytes:
        """Exactly `count` bytes."""
        raw = self.peek(count)
        if len(raw) < count:
            raise ProbandError(f"truncated: the file ends within {what}", file=self.path)
        self._at += count
        return raw

    def until(self, mark: bytes, *, what: str) -> bytes:
        """Everything before the next `mark`, which is skipped."""
        searched = 0
        while (end := self._buffer.find(mark, self._at + searched)) < 0:
            searched = len(self._buffer) - self._at
            if searched > LONGEST:
                raise ProbandError(f"{what} has no end", file=self.path)
            if not self._more():
                raise ProbandError(f"truncated: the file ends within {what}", file=self.path)
        raw = self._buffer[self._at : end]
        self._at = end + len(mark)
        return raw

    def chunk(self) -> bytes:
        """Some more bytes, none at the end."""
        if self._at == len(self._buffer) and not self._more():
            return b""
        raw, self._buffer, self._at = self._buffer[self._at :], b"", 0
        return raw

    def _more(self) -> bool:
        try:
            raw = self._file.read(CHUNK)
        except DAMAGED as error:
            raise ProbandError(f"damaged or cannot be read: {error}", file=self.path) from None
        self._buffer, self._at = self._buffer[self._at :] + raw, 0
        return bool(raw)


@contextmanager
def open_bytes(file: Path, member: str | None = None) -> Iterator[Bytes]:
    """The content, unpacked on the way."""
    with ExitStack() as stack:
        try:
            with open(file, "rb") as raw:
                start = raw.read(6)
            content = stack.enter_context(_open_unpacked(file, member, start, stack))
        except DAMAGED as error:
            raise ProbandError(f"damaged or cannot be read: {error}", file=file) from None
        yield Bytes(content, file)


def _open_unpacked(file: Path, member: str | None, start: bytes, stack: ExitStack) -> IO[bytes]:
    if start.startswith(b"PK\x03\x04"):
        archive = stack.enter_context(zipfile.ZipFile(file))
        return archive.open(_member(file, archive, member))
    if member is not None:
        raise ProbandError(f"not a zip archive, so {member!r} cannot be inside", file=file)
    opener = next((opener for magic, opener in PACKED.items() if start.startswith(magic)), open)
    content: IO[bytes] = opener(file, "rb")
    return content


def _member(file: Path, archive: zipfile.ZipFile, member: str | None) -> str:
    names = [info.filename for info in archive.infolist() if not info.is_dir() and "__MACOSX" not in info.filename]
    if member is None and len(names) == 1:
        return names[0]
    if member is None or member not in names:
        first = names[0] if names else "MEMBER"
        raise ProbandError(f"name one of its members, as in {file}/{first}: {', '.join(names[:20])}", file=file)
    return member
