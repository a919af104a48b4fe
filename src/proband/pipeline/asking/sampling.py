"""Which items a run asks: those of the splits that are scored; with `--limit N`, N of them in the proportions of the
suite's tags.

A solver that learns from training items is given all of them beside those it is asked. The sample is built one item at
a time: the next one is of the kind (the combination of the tags that the suite's tables split by) that is
furthest behind its share, counted over each of its tags and over the combination. Within a kind, items follow the hash
of their ids. The sample depends on the items alone: every model is asked the same, and a sample of 10 is part of one
of 20.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from proband.core.files import decode, items_path, raw_lines, read_items
from proband.core.metrics import SPLITS, scored_splits
from proband.core.suite import Suite
from proband.core.types import Split, Tag

Kind = tuple[Tag | None, ...]


class Outline(msgspec.Struct):
    """What sampling needs of an item."""

    id: str
    suite: str
    tags: dict[str, Tag] = {}


class SplitAlone(msgspec.Struct):
    """The same without a limit."""

    split: Split = "test"


@dataclass(frozen=True)
class Asked:
    """The `splits` that a run asks, and for each line of the items whether it does; None: all lines."""

    splits: tuple[Split, ...]
    lines: NDArray[np.bool_] | None
    every_split: bool = True  # whether no split is left out

    @property
    def count(self) -> int | None:
        return None if self.lines is None else int(self.lines.sum())


def asked(items: Path, *, suite: Suite, limit: int | None = None, split: str = "", training: bool = False) -> Asked:
    """What a run asks; `training`: the solver learns from training items, and is given them too."""
    path = items_path(items)
    codes = np.frombuffer(
        array("b", (SPLITS.index(decode(SplitAlone, raw, file=path, line=n).split) for n, raw in raw_lines(path))),
        dtype=np.int8,
    )
    splits = scored_splits({SPLITS[code] for code in np.unique(codes)}, split)
    counts = np.isin(codes, [SPLITS.index(each) for each in splits])
    chosen = counts if limit is None else sampled(items, counts, suite=suite, limit=limit)
    if training:
        chosen = chosen | (~counts & (codes == SPLITS.index("train")))
    whole = limit is None and bool(chosen.all())
    return Asked(splits, None if whole else chosen, every_split=bool(counts.all()))


def sampled(items: Path, counts: NDArray[np.bool_], *, suite: Suite, limit: int) -> NDArray[np.bool_]:
    """For each line of the items, whether it is in a sample of `limit` of those that count."""
    names = table_tags(suite)
    kinds, of_line, keys = dict[Kind, int](), array("i"), array("Q")
    for item in read_items(items, Outline):
        tags = {**item.tags, **suite.derive(item.tags)}
        of_line.append(kinds.setdefault(tuple(tags.get(name) for name in names), len(kinds)))
        keys.append(int.from_bytes(hashlib.sha256(item.id.encode()).digest()[:8], "big"))
    place = np.flatnonzero(counts)
    kind, key = np.frombuffer(of_line, dtype=np.int32)[place], np.frombuffer(keys, dtype=np.uint64)[place]
    quota = quotas(list(kinds), np.bincount(kind, minlength=len(kinds)), limit)
    order = np.lexsort((key, kind))  # kind by kind, each in the order of its hashes
    sizes = np.bincount(kind, minlength=len(kinds))
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[place[order[rank < quota[kind[order]]]]] = True
    return chosen


def table_tags(suite: Suite) -> tuple[str, ...]:
    """The tags of items that the suite's tables split by.

    >>> from proband import suites
    >>> table_tags(suites.suite("analogy"))
    ('group', 'setting', 'paper_probe', 'relation', 'probe', 'cardinality')
    """
    tables = [table for table in suite.tables if table.always]
    names = [name for table in tables for name in (*table.rows, *table.columns)]
    return tuple(name for name in dict.fromkeys(names) if not name.startswith("run."))


def quotas(kinds: Sequence[Kind], sizes: NDArray[Any], limit: int) -> NDArray[np.int64]:
    """How many items of each kind: `limit` in all, or every item where there are fewer.

    >>> quotas([("a", 1), ("a", 2), ("b", 1), ("b", 2)], np.array([10, 10, 10, 10]), 6).tolist()
    [2, 1, 1, 2]
    """
    total, taken = int(sizes.sum()), np.zeros(len(sizes), dtype=np.int64)
    if limit >= total:
        return sizes.astype(np.int64)
    codes = [_codes([kind[at] for kind in kinds]) for at in range(len(kinds[0]))] + [np.arange(len(kinds))]
    shares = [np.bincount(code, weights=sizes) / total for code in codes]
    behind = [np.zeros(len(share)) for share in shares]  # by tag and value: its share of the sample, minus what it has
    for _ in range(limit):
        for share, deficit in zip(shares, behind):
            deficit += share
        need = sum((deficit[code] for code, deficit in zip(codes, behind)), start=np.zeros(len(kinds)))
        best = int(np.argmax(np.where(taken < sizes, np.round(need, 9), -np.inf)))
        taken[best] += 1
        for code, deficit in zip(codes, behind):
            deficit[code[best]] -= 1
    return taken


def _codes(values: Sequence[Tag | None]) -> NDArray[np.int64]:
    """
    >>> _codes(["x", True, 1, "x"]).tolist()
    [0, 1, 2, 0]
    """
    known: dict[tuple[type, Tag | None], int] = {}
    return np.array([known.setdefault((type(value), value), len(known)) for value in values], dtype=np.int64)


def picked(items: Iterator[Any], chosen: NDArray[np.bool_]) -> Iterator[Any]:
    """The chosen ones of a stream of items."""
    return (item for item, wanted in zip(items, chosen.tolist(), strict=True) if wanted)
