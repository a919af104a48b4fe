"""Converting word vectors to the memory-mapped form of `store.py`: streamed, and whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import write_text
from proband.core.protocols import Floats
from proband.models.vectors.store import (
    BLOCK,
    FORMAT,
    NPY_HEADER,
    SMALL,
    Ints,
    Unsigned,
    Words,
    blocks_of,
    crc_of,
    hashes_of,
    open_store,
    row_sums,
    seal_of,
)


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
        if repeated := _repeated(hashes, order, self.words()):
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


def _repeated(hashes: Unsigned, order: Ints, words: Words) -> list[int]:
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
