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


@dataclass(frozen=True)
class Texts:
    """Many texts in one run of bytes.

    >>> two = Texts.of([b"one", b"two"]); two[1], len(two), two.all()
    ('two', 2, [b'one', b'two'])
    """

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.uint64]  # the end of each

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> Texts:
        kept = list(texts)
        ends = np.cumsum(np.fromiter(map(len, kept), np.uint64, len(kept)), dtype=np.uint64)
        return cls(np.frombuffer(b"".join(kept), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def raw(self, at: int) -> bytes:
        start = int(self.ends[at - 1]) if at else 0
        return self.data[start : int(self.ends[at])].tobytes()

    def __getitem__(self, at: int) -> str:
        return self.raw(at).decode()

    def all(self) -> list[bytes]:
        data, ends = self.data.tobytes(), self.ends.tolist()
        return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


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
