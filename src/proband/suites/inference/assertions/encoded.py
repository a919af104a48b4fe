"""Assertions as numbers: arguments and relations as texts, and each row's numbers and count.

    part = arguments (texts), relations (texts), rows (subject, relation, object, count)

Each row has a bucket, a hash of its subject, so that equal triples of different parts can be brought together some
buckets at a time: memory stays flat and a triple is counted once however many parts it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.suites.inference.assertions.arrays import Array, Texts, opened, save
from proband.suites.inference.assertions.distinct import Ints, numbered
from proband.suites.inference.assertions.keys import one_space

BUCKETS = 16
LARGEST = 2**32 - 1  # count


@dataclass(frozen=True)
class Encoded:
    arguments: Texts
    relations: Texts
    rows: Ints  # 4 x n: subjects, relations, objects, counts
    buckets: npt.NDArray[np.uint8]  # of each row

    def save(self, folder: Path) -> None:
        arrays: dict[str, Array | Texts] = {"arguments": self.arguments, "relations": self.relations}
        save(folder, {**arrays, "rows": self.rows, "buckets": self.buckets})

    @classmethod
    def open(cls, folder: Path) -> Encoded:
        arrays, texts = opened(folder, arrays=("rows", "buckets"), texts=("arguments", "relations"))
        return cls(texts["arguments"], texts["relations"], arrays["rows"], arrays["buckets"])


class Numbers(dict[str, int]):
    """text -> its number, in the order of first appearance."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def of(self, texts: Sequence[str]) -> Ints:
        return np.fromiter(map(self.__getitem__, texts), np.uint32, len(texts))

    def texts(self) -> Texts:
        return Texts.of(text.encode() for text in self)


def encode(subjects: Sequence[str], relations: Sequence[str], objects: Sequence[str], counts: Sequence[int]) -> Encoded:
    """Columns as numbers; equal triples may still stand in several rows. Without polars, which does not survive the
    fork that worker processes begin with."""
    arguments, named = Numbers(), Numbers()
    columns = [arguments.of(subjects), named.of(relations), arguments.of(objects)]
    rows = np.stack([*columns, np.minimum(np.asarray(counts, np.uint64), LARGEST).astype(np.uint32)])
    return _with_buckets(arguments.texts(), named.texts(), rows)


def encode_columns(subjects: Any, relations: Any, objects: Any, counts: Any) -> Encoded | None:
    """The same of polars' columns as they were read, in a fifth of the time; None where a text is empty."""
    import polars as pl

    both = pl.concat([subjects, objects])
    first, of_argument = numbered(both)
    arguments = one_space(both.gather(first))
    first, of_relation = numbered(relations)
    named = one_space(relations.gather(first)).str.to_lowercase()
    if (arguments == "").any() or (named == "").any():
        return None
    n = len(subjects)
    rows = np.stack([of_argument[:n], of_relation, of_argument[n:], counts.to_numpy()])
    return _with_buckets(Texts.of_column(arguments), Texts.of_column(named), rows)


def _with_buckets(arguments: Texts, relations: Texts, rows: Ints) -> Encoded:
    # the sum of a text's bytes: the same on every machine
    sums = (
        np.add.reduceat(arguments.data, arguments.starts(), dtype=np.uint32)
        if len(arguments)
        else np.empty(0, np.uint32)
    )
    return Encoded(arguments, relations, rows, (sums % BUCKETS).astype(np.uint8)[rows[0]])
