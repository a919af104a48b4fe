"""Word vectors in memory-mapped form: converted once, opened in milliseconds.

A folder per source holds the rows (`matrix.npy`), the words one after another (`words.bin` with `offsets.npy`), and
an index: the 64-bit hashes of the words in order (`hashes.npy`) with the row of each (`order.npy`). A word is found by
binary search over the hashes, and its spelling is compared, so that a collision cannot give another word's vector.

Damage is found before it is served. `header.json` (itself under a checksum) records every file's size and the CRC of
the small ones, all checked on opening. Each row r of a matrix has the checksum

    c(r) = sum_j w_j * bits(r_j)  mod 2^64,      w_j odd,

checked whenever the row is read: w_j is invertible mod 2^64, so a single changed number always changes c(r).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
import weakref
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import write_text
from proband.core.protocols import Floats

FORMAT = 1
SMALL = ("words.bin", "offsets.npy", "hashes.npy", "order.npy", "sums.npy")  # under a CRC; the others under row sums
BLOCK = 4096  # rows at a time
NPY_HEADER = 128
Ints = NDArray[np.int64]
Unsigned = NDArray[np.uint64]


def hashes_of(words: Iterable[bytes]) -> Unsigned:
    """The first 64 bits of BLAKE2b, one per word."""
    digests = b"".join(hashlib.blake2b(word, digest_size=8).digest() for word in words)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def row_sums(rows: Floats) -> Unsigned:
    """c(r) of each row.

    >>> rows = np.ones((2, 3), dtype=np.float32); rows[1, 2] = 1.5
    >>> sums = row_sums(rows); bool(sums[0] == sums[1])
    False
    """
    rng = np.random.Generator(np.random.PCG64(0x50524F42))
    weights = rng.integers(0, 2**63, size=rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    bits = np.ascontiguousarray(rows, dtype="<f4").view("<u4").astype(np.uint64)
    sums: Unsigned = bits @ weights
    return sums


class Words:
    """The words by row."""

    def __init__(self, blob: NDArray[np.uint8], offsets: Unsigned) -> None:
        self._blob, self._offsets = blob, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def raw(self, row: int) -> bytes:
        return self._blob[int(self._offsets[row]) : int(self._offsets[row + 1])].tobytes()

    @cached_property
    def decoded(self) -> list[str]:
        text = self._blob.tobytes()
        return [text[a:b].decode("utf-8") for a, b in pairwise(self._offsets.tolist())]


class Store:
    """An opened folder. `ids` finds words, `rows` reads vectors."""

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        def mapped(name: str) -> Any:
            return np.load(folder / name, mmap_mode="r")

        self.folder, self._verified = folder, False
        self.facts: Mapping[str, Any] = header["facts"]
        self.matrix: Floats = mapped("matrix.npy")
        self._sums: Unsigned = mapped("sums.npy")
        self._hashes: Unsigned = mapped("hashes.npy")
        self._order: NDArray[np.uint32] = mapped("order.npy")
        blob = np.memmap(folder / "words.bin", dtype=np.uint8, mode="r")
        self.words = Words(blob, mapped("offsets.npy"))
        self._matrix_file = self._open("matrix.npy")
        if self.facts.get("subwords"):
            self._bucket_file = self._open("buckets.npy")
            self._bucket_sums: Unsigned = mapped("bucket_sums.npy")

    def _open(self, name: str) -> int:
        file = os.open(self.folder / name, os.O_RDONLY)
        weakref.finalize(self, os.close, file)
        return file

    def ids(self, words: Sequence[str]) -> Ints:
        """The row of each word, -1 where there is none."""
        raw = [word.encode("utf-8", "replace") for word in words]
        wanted = hashes_of(raw)
        result = np.full(len(raw), -1, dtype=np.int64)
        places = np.searchsorted(self._hashes, wanted)
        for i, (word, place) in enumerate(zip(raw, places)):
            while place < len(self._hashes) and self._hashes[place] == wanted[i]:
                row = int(self._order[place])
                if self.words.raw(row) == word:
                    result[i] = row
                    break
                place += 1
        return result

    def rows(self, ids: Ints) -> Floats:
        """Vectors of known words, checked."""
        return self._read_rows(self._matrix_file, self._sums, ids)

    def bucket_rows(self, ids: Ints) -> Floats:
        """Vectors of n-gram buckets, checked."""
        return self._read_rows(self._bucket_file, self._bucket_sums, ids)

    def _read_rows(self, file: int, sums: Unsigned, ids: Ints) -> Floats:
        """Rows are read, not mapped: around a row that is touched the kernel maps 64 KB, fifty times its size."""
        rows = np.empty((len(ids), self.matrix.shape[1]), dtype="<f4")
        size = rows.shape[1] * 4
        for row, i in zip(rows, ids.tolist()):
            if os.preadv(file, [row.data], NPY_HEADER + i * size) != size:
                raise Damaged(self.folder)
        if len(rows) and (row_sums(rows) != sums[ids]).any():
            raise Damaged(self.folder)
        return rows

    def verify(self) -> None:
        """Check every row of the matrix, once, reading the file beside the mapping so that no memory stays taken."""
        if self._verified:
            return
        for start, rows in blocks_of(self.folder / "matrix.npy", self.matrix.shape[1]):
            if (row_sums(rows) != self._sums[start : start + len(rows)]).any():
                raise Damaged(self.folder)
        self._verified = True


class Damaged(ProbandError):
    """A converted file does not carry its checksum."""

    def __init__(self, folder: Path) -> None:
        (folder / "header.json").unlink(missing_ok=True)  # so that the next opening converts anew
        super().__init__("the converted vectors are damaged; run again to convert them anew", file=folder)


def blocks_of(path: Path, dim: int) -> Iterator[tuple[int, Floats]]:
    """(first row, rows) of a matrix file, read block by block."""
    with open(path, "rb") as file:
        file.seek(NPY_HEADER)
        start = 0
        while raw := file.read(BLOCK * dim * 4):
            rows = np.frombuffer(raw, dtype="<f4").reshape(-1, dim)
            yield start, rows
            start += len(rows)


# ---- opening and placing -------------------------------------------------------------------------------------------


def open_store(folder: Path) -> Store | None:
    """The folder's store, or None where there is none or its checksums fail."""
    try:
        header = json.loads((folder / "header.json").read_bytes())
        check = header.pop("check")
        if header["format"] != FORMAT or check != seal_of(header):
            return None
        for name, facts in header["files"].items():
            path = folder / name
            if path.stat().st_size != facts["bytes"] or ("crc32" in facts and crc_of(path) != facts["crc32"]):
                return None
        return Store(folder, header)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def seal_of(header: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(header, sort_keys=True).encode()).hexdigest()


def crc_of(path: Path) -> int:
    return zlib.crc32(path.read_bytes())


# ---- converting: streamed, and whole or not at all -------------------------------------------------------------------


@contextlib.contextmanager
def conversion(folder: Path) -> Iterator[Writer]:
    """A writer whose work takes the name `folder` at the end, whole or not at all."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder.parent)
        scratch = Path(tempfile.mkdtemp(prefix=".converting-", dir=folder.parent))
    except OSError as error:
        raise ProbandError(f"cannot write the converted vectors: {error.strerror}", file=folder.parent) from None
    try:
        yield Writer(scratch)
        if folder.exists() and open_store(folder) is None:
            folder.rename(scratch / "damaged")
        try:
            scratch.rename(folder)
        except OSError:
            if open_store(folder) is None:  # another process was not faster: a real failure
                raise
        shutil.rmtree(folder / "damaged", ignore_errors=True)
    except OSError as error:
        raise ProbandError(f"cannot write the converted vectors: {error.strerror or error}", file=folder) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sweep(parent: Path) -> None:
    """Remove what a killed conversion left behind a day ago or earlier."""
    for scratch in parent.glob(".converting-*"):
        with contextlib.suppress(OSError):
            if time.time() - scratch.stat().st_mtime > 86400:
                shutil.rmtree(scratch, ignore_errors=True)


# ---- writing -------------------------------------------------------------------------------------------------------


class RowFile:
    """An .npy file of float32 rows whose count is known at the end only."""

    def __init__(self, path: Path, dim: int) -> None:
        self.path, self.dim, self.count = path, dim, 0
        path.write_bytes(bytes(NPY_HEADER))

    def append(self, rows: Floats) -> None:
        with open(self.path, "ab") as file:
            file.write(np.ascontiguousarray(rows, dtype="<f4").data)
        self.count += len(rows)

    def close(self) -> None:
        with open(self.path, "r+b") as file:
            file.write(_npy_header((self.count, self.dim)))
            file.truncate(NPY_HEADER + 4 * self.count * self.dim)
            os.fsync(file.fileno())

    def mapped(self) -> Floats:
        rows: Floats = np.load(self.path, mmap_mode="r+")
        return rows


def _npy_header(shape: tuple[int, int]) -> bytes:
    text = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
    return b"\x93NUMPY\x01\x00" + (NPY_HEADER - 10).to_bytes(2, "little") + text.ljust(NPY_HEADER - 11).encode() + b"\n"


class Writer:
    """Takes words and rows as they stream in; `finish` builds the index. Memory: 16 bytes per word."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.matrix: RowFile | None = None
        self.buckets: RowFile | None = None
        self._ends, self._hashes = array("Q", [0]), array("Q")

    def add(self, words: Sequence[bytes], rows: Floats) -> None:
        self.add_words(words)
        self.add_rows(rows)

    def add_words(self, words: Sequence[bytes]) -> None:
        with open(self.folder / "words.bin", "ab") as file:
            file.write(b"".join(words))
        ends = np.cumsum([len(word) for word in words], dtype=np.uint64) + np.uint64(self._ends[-1])
        self._ends.frombytes(ends.tobytes())
        self._hashes.frombytes(hashes_of(words).tobytes())

    def add_rows(self, rows: Floats) -> None:
        if self.matrix is None:
            self.matrix = RowFile(self.folder / "matrix.npy", rows.shape[1])
        self.matrix.append(rows)

    def add_buckets(self, rows: Floats) -> None:
        if self.buckets is None:
            self.buckets = RowFile(self.folder / "buckets.npy", rows.shape[1])
        self.buckets.append(rows)

    def words(self) -> Words:
        """What has been added so far."""
        blob = np.memmap(self.folder / "words.bin", dtype=np.uint8, mode="r")
        return Words(blob, np.array(self._ends, dtype=np.uint64))

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Sort the index, drop repeated words (the first stays), write checksums and, last, the header."""
        if self.matrix is None or not self._hashes:
            raise ProbandError("contains no word vectors", file=facts.get("path"))
        self.matrix.close()
        hashes = np.array(self._hashes, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        if repeated := _repeated_rows(hashes, order, self.words()):
            self._drop(repeated)
            hashes = np.delete(hashes, repeated)
            order = np.argsort(hashes, kind="stable")
        np.save(self.folder / "offsets.npy", np.array(self._ends, dtype=np.uint64))
        np.save(self.folder / "hashes.npy", hashes[order])
        np.save(self.folder / "order.npy", order.astype(np.uint32))
        self._save_sums(self.matrix, "sums.npy")
        if self.buckets is not None:
            self.buckets.close()
            self._save_sums(self.buckets, "bucket_sums.npy")
        self._write_header({**facts, "repeated": len(repeated)})

    def _save_sums(self, rows: RowFile, name: str) -> None:
        sums = [row_sums(block) for _, block in blocks_of(rows.path, rows.dim)]
        np.save(self.folder / name, np.concatenate(sums) if sums else np.zeros(0, dtype=np.uint64))

    def _write_header(self, facts: Mapping[str, Any]) -> None:
        files: dict[str, dict[str, int]] = {}
        for path in sorted(self.folder.iterdir()):
            files[path.name] = {"bytes": path.stat().st_size}
            if path.name in SMALL:
                files[path.name]["crc32"] = crc_of(path)
        header: dict[str, Any] = {"format": FORMAT, "facts": dict(facts), "files": files}
        text = json.dumps({**header, "check": seal_of(header)}, indent=1)
        write_text(self.folder / "header.json", text)

    def _drop(self, repeated: list[int]) -> None:
        """Close the gaps in the words and in the matrix."""
        assert self.matrix is not None
        gone = frozenset(repeated)
        words = self.words()
        kept = [words.raw(i) for i in range(len(words)) if i not in gone]
        (self.folder / "words.bin").write_bytes(b"".join(kept))
        self._ends = array("Q", [0])
        self._ends.frombytes(np.cumsum([len(word) for word in kept], dtype=np.uint64).tobytes())
        keep = np.ones(len(words), dtype=np.bool_)
        keep[repeated] = False
        rows, filled = self.matrix.mapped(), 0
        for start in range(0, len(rows), BLOCK):
            block = np.array(rows[start : start + BLOCK][keep[start : start + BLOCK]])
            rows[filled : filled + len(block)] = block
            filled += len(block)
        self.matrix.count = filled
        self.matrix.close()


def _repeated_rows(hashes: Unsigned, order: Ints, words: Words) -> list[int]:
    """Rows whose word stood on an earlier row already."""
    sorted_hashes = hashes[order]
    rows: list[int] = []
    group: set[bytes] = set()
    for place in np.flatnonzero(sorted_hashes[1:] == sorted_hashes[:-1]) + 1:
        if place < 2 or sorted_hashes[place - 2] != sorted_hashes[place] or not group:
            group = {words.raw(int(order[place - 1]))}
        word = words.raw(int(order[place]))
        if word in group:
            rows.append(int(order[place]))
        group.add(word)
    return sorted(rows)
