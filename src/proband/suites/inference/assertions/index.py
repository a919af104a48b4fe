"""The index of a store: for each argument, normalised once, the rows it is the subject or the object of.

A segment is a folder of arrays that are memory-mapped when it is opened:

    arguments, relations        texts; arguments of one key stand together
    rows                        n x 4: subject, relation, object, count, sorted by subject
    keys, hashes                the distinct normalised arguments, sorted by their hashes
    subject_ends, object_ends   key -> where its rows end, in `rows` and in `by_object`, a list of rows

A look-up is a binary search among the hashes and two slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proband.suites.inference.assertions.arrays import Array, Texts, opened, save
from proband.suites.inference.assertions.distinct import Ints, numbered, sorted_with_rows, stable_order
from proband.suites.inference.assertions.keys import keys
from proband.suites.inference.assertions.merging import Merged

ARRAYS = ("rows", "hashes", "subject_ends", "object_ends", "by_object")
TEXTS = ("arguments", "relations", "keys")


def write_segment(folder: Path, merged: Merged) -> None:
    """Puts what parts hold in order."""
    normalised = keys(merged.arguments)
    first, codes = numbered(normalised)
    distinct = normalised.gather(first)
    hashes, by_hash = sorted_with_rows(Texts.of_column(distinct).hashes())
    rank = np.empty(len(by_hash), np.uint32)
    rank[by_hash] = np.arange(len(by_hash), dtype=np.uint32)
    key_of = rank[codes]  # argument -> its key, in the order of keys
    order = stable_order(key_of)
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    rows, key_of = merged.rows(place), key_of[order]
    subjects, objects = key_of[rows[:, 0]], key_of[rows[:, 2]]
    save(
        folder,
        {
            "rows": rows,
            "subject_ends": _ends(subjects, len(distinct)),
            "object_ends": _ends(objects, len(distinct)),
            "by_object": stable_order(objects),
            "arguments": Texts.of_column(merged.arguments.gather(order)),
            "relations": Texts.of_column(merged.relations),
            "keys": Texts.of_column(distinct.gather(by_hash)),
            "hashes": hashes,
        },
    )


def _ends(of_row: Ints, keys: int) -> Ints:
    return np.cumsum(np.bincount(of_row, minlength=keys)).astype(np.uint32)


class Segment:
    def __init__(self, folder: Path) -> None:
        arrays, texts = opened(folder, arrays=ARRAYS, texts=TEXTS)
        self.rows: Ints = arrays["rows"]
        self.hashes = arrays["hashes"]
        self.subject_ends, self.object_ends = arrays["subject_ends"], arrays["object_ends"]
        self.by_object = arrays["by_object"]
        self.arguments, self.relations, self.keys = texts["arguments"], texts["relations"], texts["keys"]

    def __len__(self) -> int:
        return len(self.rows)

    def key_number(self, wanted: str) -> int | None:
        hashed = Texts.of([wanted.encode()]).hashes()[0]
        first, last = np.searchsorted(self.hashes, hashed), np.searchsorted(self.hashes, hashed, side="right")
        return next((at for at in range(int(first), int(last)) if self.keys[at] == wanted), None)

    def of_subject(self, number: int) -> Ints:
        """The rows whose subject has this key."""
        return self.rows[slice(*_range(self.subject_ends, number))]

    def of_object(self, number: int) -> Ints:
        """The rows whose object has it."""
        return self.rows[self.by_object[slice(*_range(self.object_ends, number))]]

    def pieces(self, size: int = 1_000_000) -> Iterator[Ints]:
        """All rows, some at a time."""
        for start in range(0, len(self.rows), size):
            yield self.rows[start : start + size]


def _range(ends: Array, at: int) -> tuple[int, int]:
    return (int(ends[at - 1]) if at else 0, int(ends[at]))
