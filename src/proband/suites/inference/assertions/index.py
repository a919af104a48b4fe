"""The index of a store: for each argument, normalised once, the rows it is the subject or the object of.

A segment is a folder of arrays that are memory-mapped when it is opened:

    arguments, relations        texts; arguments are sorted by key
    rows                        n x 4: subject, relation, object, count, sorted by subject
    keys                        the distinct normalised arguments, sorted
    subject_ends, object_ends   key -> where its rows end, in `rows` and in `by_object`, a list of rows

A look-up is a binary search among the keys and two slices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proband.lexicon.inflection import key
from proband.suites.inference.assertions.arrays import Array, Texts, opened, save
from proband.suites.inference.assertions.encoded import Ints, Numbers, summed

ARRAYS = ("rows", "subject_ends", "object_ends", "by_object")
TEXTS = ("arguments", "relations", "keys")


def write_segment(folder: Path, arguments: list[str], relations: list[str], rows: Ints) -> None:
    """Arguments, relations and rows as `merge` gives them; they are put in order here."""
    known = Numbers()
    of_argument = known.of([key(text) for text in arguments])
    keys = list(known)
    by_text = sorted(range(len(keys)), key=keys.__getitem__)
    rank = np.empty(len(keys), np.uint32)
    rank[by_text] = np.arange(len(keys), dtype=np.uint32)
    of_argument = rank[of_argument]
    order = np.argsort(of_argument, kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    rows[:, 0], rows[:, 2] = place[rows[:, 0]], place[rows[:, 2]]
    rows, of_argument = summed(rows), of_argument[order]
    objects = of_argument[rows[:, 2]]
    save(
        folder,
        {
            "rows": rows,
            "subject_ends": np.cumsum(np.bincount(of_argument[rows[:, 0]], minlength=len(keys))).astype(np.uint32),
            "object_ends": np.cumsum(np.bincount(objects, minlength=len(keys))).astype(np.uint32),
            "by_object": np.argsort(objects, kind="stable").astype(np.uint32),
            "arguments": Texts.of(arguments[at].encode() for at in order.tolist()),
            "relations": Texts.of(text.encode() for text in relations),
            "keys": Texts.of(keys[at].encode() for at in by_text),
        },
    )


class Segment:
    def __init__(self, folder: Path) -> None:
        arrays, texts = opened(folder, arrays=ARRAYS, texts=TEXTS)
        self.rows: Ints = arrays["rows"]
        self.subject_ends, self.object_ends = arrays["subject_ends"], arrays["object_ends"]
        self.by_object = arrays["by_object"]
        self.arguments, self.relations, self.keys = texts["arguments"], texts["relations"], texts["keys"]

    def __len__(self) -> int:
        return len(self.rows)

    def key_number(self, wanted: str) -> int | None:
        at = bisect_left(self.keys, wanted)
        return at if at < len(self.keys) and self.keys[at] == wanted else None

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
