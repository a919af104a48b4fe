"""A file as a stream of bytes, plain or in gzip, bzip2, xz or zip: recognised by its first bytes, not by its name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from proband.core.errors import ProbandError

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
            content = stack.enter_context(_unpacked(file, member, start, stack))
        except DAMAGED as error:
            raise ProbandError(f"damaged or cannot be read: {error}", file=file) from None
        yield Bytes(content, file)


def _unpacked(file: Path, member: str | None, start: bytes, stack: ExitStack) -> IO[bytes]:
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
