"""Folders of arrays: written whole or not at all, opened as memory maps; texts are two arrays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.core.errors import ProbandError

Array = npt.NDArray[Any]
END = b"\n"
PRIME = np.uint64(0x9E3779B97F4A7C15)
AT_ONCE = 65_536


@dataclass(frozen=True)
class Texts:
    """Many texts in one run of bytes, a line feed after each.

    >>> two = Texts.of([b"one", b"two"]); two[1], len(two), two.all()
    ('two', 2, [b'one', b'two'])
    """

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.uint64]  # where the line feed of each stands

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> Texts:
        kept = list(texts)
        return cls._made(END.join([*kept, b""]), np.fromiter(map(len, kept), np.uint64, len(kept)))

    @classmethod
    def of_column(cls, column: Any) -> Texts:
        """Of a column of polars without nulls."""
        joined = column.str.join(END.decode()).item() if len(column) else ""
        data = f"{joined}\n".encode() if len(column) else b""
        return cls._made(data, column.str.len_bytes().cast(int).to_numpy().astype(np.uint64))

    @classmethod
    def _made(cls, data: bytes, lengths: npt.NDArray[np.uint64]) -> Texts:
        found = np.frombuffer(data, np.uint8)
        if np.count_nonzero(found == END[0]) != len(lengths):
            raise ValueError("a text holds a line feed")
        return cls(found, np.cumsum(lengths + np.uint64(1), dtype=np.uint64) - np.uint64(1))

    def __len__(self) -> int:
        return len(self.ends)

    def raw(self, at: int) -> bytes:
        start = int(self.ends[at - 1]) + 1 if at else 0
        return self.data[start : int(self.ends[at])].tobytes()

    def __getitem__(self, at: int) -> str:
        return self.raw(at).decode()

    def all(self) -> list[bytes]:
        return self.data.tobytes().split(END)[:-1]

    def starts(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], self.ends[:-1].astype(np.int64) + 1]) if len(self) else np.empty(0, np.int64)

    def hashes(self) -> npt.NDArray[np.uint64]:
        """sum_i byte_i * P^i of each, modulo 2^64: the same on every machine."""
        starts, ends = self.starts(), self.ends.astype(np.int64)
        powers = np.full(int((ends - starts).max(initial=0)) + 1, PRIME).cumprod(dtype=np.uint64)
        pieces = [np.empty(0, np.uint64)]
        for first in range(0, len(self), AT_ONCE):
            begin, end = starts[first : first + AT_ONCE], ends[first : first + AT_ONCE]
            data = self.data[begin[0] : end[-1] + 1].astype(np.uint64)
            data *= powers[np.arange(begin[0], end[-1] + 1) - np.repeat(begin, end - begin + 1)]
            pieces.append(np.add.reduceat(data, begin - begin[0]))
        return np.concatenate(pieces)

    def column(self, chosen: npt.NDArray[np.bool_] | None = None) -> Any:
        """As a column of polars: all of them, or those for which `chosen` is true."""
        import polars as pl

        data = self.data
        if chosen is not None:
            data = data[np.repeat(chosen, self.ends.astype(np.int64) - self.starts() + 1)]
        if not len(data):
            return pl.Series([], dtype=pl.String)
        return pl.Series([data[:-1].tobytes().decode()]).str.split(END.decode()).explode()


def save(folder: Path, arrays: Mapping[str, Array | Texts]) -> None:
    """Written beside and renamed."""
    beside = folder.with_name(f".{folder.name}.{os.getpid()}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for name, array in arrays.items():
        if isinstance(array, Texts):
            np.save(beside / f"{name}.data.npy", array.data)
            np.save(beside / f"{name}.ends.npy", array.ends)
        else:
            np.save(beside / f"{name}.npy", array)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(beside, folder)


def opened(folder: Path, *, arrays: Iterable[str], texts: Iterable[str]) -> tuple[dict[str, Array], dict[str, Texts]]:
    try:
        found = {name: _mapped(folder / f"{name}.npy") for name in arrays}
        written = {
            name: Texts(_mapped(folder / f"{name}.data.npy"), _mapped(folder / f"{name}.ends.npy")) for name in texts
        }
    except (OSError, ValueError) as error:
        raise ProbandError(f"cannot be read: {error}", file=folder) from None
    return found, written


def _mapped(path: Path) -> Array:
    empty = path.stat().st_size <= 128  # which cannot be mapped
    array: Array = np.load(path, mmap_mode=None if empty else "r", allow_pickle=False)
    return array if empty else array.view(np.ndarray)
