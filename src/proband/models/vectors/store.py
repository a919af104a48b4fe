"""Word vectors in memory-mapped form: converted once, opened in milliseconds.

A folder per source holds

    words.sqlite   the words with their rows, a table that SQLite indexes
    rows.f4        float32: a row per word
    sums.npy       the CRC-32 of each row
    header.json    facts about the source

Damage is found before it is served. The header (itself under a checksum) records the hashes of the small files and the
size of the rows, checked on opening. A row's CRC, checked whenever the row is read, changes with any single number.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import sha256_file, sha256_text
from proband.core.protocols import Floats

FORMAT = 2
WORDS, ROWS, SUMS, HEADER = "words.sqlite", "rows.f4", "sums.npy", "header.json"
BLOCK = 4096  # rows at a time
Ints = NDArray[np.int64]


class VectorStore:
    """An opened folder. `ids` finds words, `rows` reads vectors."""

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        self.folder, self.facts, self._verified = folder, facts, False
        self._sums: NDArray[np.uint32] = np.load(folder / SUMS, mmap_mode="r")
        self.matrix: Floats = np.memmap(folder / ROWS, dtype="<f4", mode="r", shape=(facts["words"], facts["dim"]))
        place = f"{(folder / WORDS).absolute().as_uri()}?immutable=1"
        self._index = sqlite3.connect(place, uri=True, check_same_thread=False)
        weakref.finalize(self, self._index.close)
        self._rows = os.open(folder / ROWS, os.O_RDONLY)
        weakref.finalize(self, os.close, self._rows)

    @cached_property
    def words(self) -> list[str]:
        """The words by row."""
        return [word.decode("utf-8") for (word,) in self._index.execute("SELECT word FROM words ORDER BY id")]

    def ids(self, words: Sequence[str]) -> Ints:
        """The row of each word, -1 where there is none."""
        query = "SELECT id FROM words WHERE word = ?"
        matches = (self._index.execute(query, [word.encode("utf-8", "replace")]).fetchone() for word in words)
        return np.array([match[0] if match else -1 for match in matches], dtype=np.int64)

    def rows(self, ids: Ints) -> Floats:
        """Vectors of known words, checked.

        Rows are read, not mapped: around a row that is touched the kernel maps 64 KB, fifty times its size.
        """
        size = 4 * self.matrix.shape[1]
        rows = [os.pread(self._rows, size, row * size) for row in ids.tolist()]
        self._compare(rows, self._sums[ids])
        return np.frombuffer(b"".join(rows), dtype="<f4").reshape(-1, self.matrix.shape[1])

    def _compare(self, rows: Iterable[bytes], sums: NDArray[np.uint32]) -> None:
        if list(map(zlib.crc32, rows)) != sums.tolist():
            raise Damaged(self.folder)

    def verify(self) -> None:
        """Check every row of the matrix, once, reading the file beside the mapping so that no memory stays taken."""
        if not self._verified:
            words, size = self.matrix.shape[0], 4 * self.matrix.shape[1]
            for start in range(0, words, BLOCK):
                block = os.pread(self._rows, size * min(BLOCK, words - start), size * start)
                rows = (block[at : at + size] for at in range(0, len(block), size))
                self._compare(rows, self._sums[start : min(start + BLOCK, words)])
            self._verified = True


class Damaged(ProbandError):
    """A converted file does not carry its checksum."""

    def __init__(self, folder: Path) -> None:
        (folder / HEADER).unlink(missing_ok=True)  # so that the next opening converts anew
        super().__init__("the converted vectors are damaged; run again to convert them anew", file=folder)


# ---- opening -------------------------------------------------------------------------------------------------------


def open_store(folder: Path) -> VectorStore | None:
    """The folder's store, or None where there is none or its checksums fail."""
    try:
        header = json.loads((folder / HEADER).read_bytes())
        check = header.pop("check")
        if header["format"] == FORMAT and check == _check(header) and header["files"] == _files(folder):
            return VectorStore(folder, header["facts"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return None


def _check(header: Mapping[str, Any]) -> str:
    return sha256_text(json.dumps(header, sort_keys=True))


def _files(folder: Path) -> dict[str, str | int]:
    """What must not have changed: the content of the small files, the size of the large one."""
    return {WORDS: sha256_file(folder / WORDS), SUMS: sha256_file(folder / SUMS), ROWS: (folder / ROWS).stat().st_size}


# ---- converting: streamed, and whole or not at all -----------------------------------------------------------------


def open_or_convert(folder: Path, fill: Callable[[Writer], Mapping[str, Any]]) -> VectorStore:
    """The folder's store; where there is none, made by `fill`, which returns its facts, in one process at a time."""
    from filelock import FileLock

    if (store := open_store(folder)) is not None:
        return store
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if open_store(folder) is None:  # else another process was faster
                _convert(folder, fill)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProbandError(f"cannot write the converted vectors: {reason}", file=folder) from None
    if (store := open_store(folder)) is None:
        raise ProbandError("the converted vectors cannot be opened", file=folder)
    return store


def _convert(folder: Path, fill: Callable[[Writer], Mapping[str, Any]]) -> None:
    """What `fill` writes takes the name `folder` at the end."""
    scratch = folder.with_name(f".converting-{folder.name}")
    shutil.rmtree(scratch, ignore_errors=True)  # a killed process left it
    scratch.mkdir()
    try:
        with open(scratch / ROWS, "wb") as rows, closing(sqlite3.connect(scratch / WORDS)) as index:
            writer = Writer(scratch, rows, index)
            facts = fill(writer)
            index.commit()
        writer.write_header(facts)
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class Writer:
    """Takes words and rows as they stream in; of a repeated word the first stays. Memory: 4 bytes per row."""

    def __init__(self, folder: Path, rows: IO[bytes], index: sqlite3.Connection) -> None:
        self.folder, self._rows, self._index = folder, rows, index
        self.words, self.dim, self._sums = 0, 0, array("I")
        self._index.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;"
            "CREATE TABLE words (id INTEGER PRIMARY KEY, word BLOB UNIQUE NOT NULL)"
        )

    def add(self, words: Sequence[bytes], rows: Floats) -> None:
        new: list[bool] = []
        for word in words:
            done = self._index.execute("INSERT OR IGNORE INTO words VALUES (?, ?)", (self.words, word))
            new.append(done.rowcount == 1)
            self.words += done.rowcount
        rows = np.ascontiguousarray(rows[np.array(new, dtype=np.bool_)], dtype="<f4")
        self.dim = rows.shape[1]
        self._rows.write(rows.data)
        self._sums.extend(map(zlib.crc32, rows))

    def write_header(self, facts: Mapping[str, Any]) -> None:
        """The checksums, once everything else is written."""
        if not self.words:
            raise ProbandError("contains no word vectors", file=facts.get("path"))
        np.save(self.folder / SUMS, np.array(self._sums, dtype=np.uint32))
        all_facts = {**facts, "words": self.words, "dim": self.dim}
        header = {"format": FORMAT, "facts": all_facts, "files": _files(self.folder)}
        (self.folder / HEADER).write_text(json.dumps({**header, "check": _check(header)}, indent=1), encoding="utf-8")
