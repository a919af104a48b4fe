"""Selects the items of a run, and writes answers.jsonl in their order. A run answers the items of the scored splits;
with `--limit N`, N of them in the proportions of the suite's tags. A solver that learns from training items also gets
all of these. Within a kind (a combination of the tags that the suite's tables split by), items follow the hash of their
ids. The sample depends on the items alone: every model is asked the same, and a sample of 10 is part of one of 20.

The answers of a run that has not finished are in answers.arrived.jsonl, in the order in which they arrived; it is
flushed to the disk about once a second and at the end, however the run ends. When every item is answered,
answers.jsonl is written in the order of the items, with the same bytes after any order of arrival.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError, did_you_mean
from proband.core.files import count_lines, encode, items_path, naming, read_items, whole_lines, write_jsonl
from proband.core.metrics import SPLITS, scored_splits
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Split, Tag
from proband.stats.clusters import quotas
from proband.stats.sequential import order_of, units_of


class Origin(msgspec.Struct):
    """The source of an item and its clusters."""

    source: Any = ""
    clusters: Any = ()


class Outline(msgspec.Struct):
    """What sampling needs of an item."""

    id: str
    suite: str
    tags: dict[str, Tag] = {}
    facts: Origin = msgspec.field(default_factory=Origin)
    split: Split = "test"


@dataclass(frozen=True)
class Selection:
    """The `splits` that a run asks, and for each line of the items whether it does."""

    splits: tuple[Split, ...]
    lines: NDArray[np.bool_]
    whole: bool  # whether all items are asked, and no sample or tag was named
    every_split: bool  # whether no split is left out

    @property
    def count(self) -> int:
        return int(self.lines.sum())

    def of(self, items: Iterator[Any]) -> Iterator[Any]:
        """The selected items of a stream."""
        return (item for item, wanted in zip(items, self.lines.tolist(), strict=True) if wanted)


def select_items(
    items: Path,
    *,
    suite: Suite,
    limit: int | None = None,
    split: str = "",
    training: bool = False,
    where: Mapping[str, str] | None = None,
    by_cluster: int | None = None,
) -> Selection:
    """What a run asks; `where`: of the items with these tags; `by_cluster`: a sample of whole clusters in the order of
    this seed, not a stratified one; `training`: the solver learns from training items, and is given them too."""
    read: Iterable[Outline] = read_items(items, Outline)
    rows: list[Outline] = [] if limit is None and not where else list(read)
    codes = np.array([SPLITS.index(row.split) for row in rows or read], dtype=np.int8)
    splits = scored_splits({SPLITS[code] for code in np.unique(codes)}, split)
    counts = np.isin(codes, [SPLITS.index(each) for each in splits])
    if where:
        counts = counts & has_tags(rows, suite, where, path=items_path(items))
    chosen = counts
    if limit is not None and by_cluster is not None:
        ranks = cluster_ranks([row for row, wanted in zip(rows, counts.tolist(), strict=True) if wanted], by_cluster)
        chosen = counts.copy()  # those of the first clusters that have `limit` items together
        chosen[counts] = ranks <= int(np.searchsorted(np.cumsum(np.bincount(ranks)), limit))
    elif limit is not None:
        chosen = sample(rows, counts, suite=suite, limit=limit)
    if training:
        chosen = chosen | (~counts & (codes == SPLITS.index("train")))
    whole = limit is None and not where and bool(chosen.all())
    return Selection(splits, chosen, whole=whole, every_split=bool(counts.all()))


def cluster_ranks(rows: Sequence[Outline], seed: int) -> NDArray[np.int64]:
    """For each of some items the place of its cluster in the random order."""
    units = units_of([row.facts.clusters or (row.id,) for row in rows])
    ranks: NDArray[np.int64] = order_of(units, seed)[units]
    return ranks


def has_tags(rows: Sequence[Outline], suite: Suite, where: Mapping[str, str], *, path: Path) -> NDArray[np.bool_]:
    """For each line of the items, whether it has these tags."""
    wanted = {name: {value.strip() for value in values.split(",")} for name, values in where.items()}
    tagged = ({**row.tags, **suite.derive(row.tags)} for row in rows)
    chosen = [all(str(tags.get(name)) in values for name, values in wanted.items()) for tags in tagged]
    if not any(chosen):
        known = sorted({tag for row in rows for tag in (*row.tags, *suite.derive(row.tags))})
        if other := next((name for name in wanted if name not in known), None):
            there = f"{did_you_mean(other, known)}; there are {', '.join(known)}"
            raise ProbandError(f"--where: no item has a tag {other!r}{there}", file=path)
        named = ", ".join(f"{name}={values}" for name, values in where.items())
        raise ProbandError(f"--where {named}: no item has these tags", file=path)
    return np.array(chosen, dtype=np.bool_)


def sample(rows: Sequence[Outline], counts: NDArray[np.bool_], *, suite: Suite, limit: int) -> NDArray[np.bool_]:
    """For each line of the items, whether it is in a sample of `limit` of those that count. Items that were made from
    one another (a pair as it is and under each control) are in it together or not at all."""
    line = {row.id: at for at, row in enumerate(rows)}
    family = np.array([line.get(str(row.facts.source), at) for at, row in enumerate(rows)])
    members = np.flatnonzero(counts)
    _, leader, size = np.unique(family[members], return_index=True, return_counts=True)
    if len(leader) == len(members):
        return stratified(rows, counts, suite=suite, limit=limit)
    first = np.zeros(len(counts), dtype=np.bool_)
    first[members[leader]] = True
    leaders = stratified(rows, first, suite=suite, limit=max(1, limit // int(size.max())))
    return counts & np.isin(family, family[leaders])


def stratified(rows: Sequence[Outline], counts: NDArray[np.bool_], *, suite: Suite, limit: int) -> NDArray[np.bool_]:
    """`limit` of those that count, in the proportions of the tags; within a kind by the hashes of their ids."""
    names, kinds = table_tags(suite), dict[tuple[Tag | None, ...], int]()
    tagged = ({**row.tags, **suite.derive(row.tags)} for row in rows)
    of_line = np.array([kinds.setdefault(tuple(map(tags.get, names)), len(kinds)) for tags in tagged])
    place = np.flatnonzero(counts)
    hashes = (hashlib.sha256(rows[at].id.encode()).digest()[:8] for at in place.tolist())
    kind, key = of_line[place], np.array([int.from_bytes(each, "big") for each in hashes], dtype=np.uint64)
    sizes = np.bincount(kind, minlength=len(kinds))
    quota = quotas(list(kinds), sizes, limit)
    order = np.lexsort((key, kind))  # kind by kind, each in the order of its hashes
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


# ---- the answers -----------------------------------------------------------------------------------------------------


CHUNK = 256  # items answered between two writes, where the model does not ask for fewer
FLUSH = 1.0  # seconds between two flushes to the disk
ANSWERS, ARRIVED = "answers.jsonl", "answers.arrived.jsonl"


def chunks_of(items: Iterable[Item], *, size: int | None, characters: float = float("inf")) -> Iterator[list[Item]]:
    """Items that are answered together: `size` of them (None: all), fewer if they have many `characters`. This
    depends on the items alone, so a run that is resumed asks the same batches as one that was not interrupted.

    >>> items = [Item(id=str(i), suite="s", prompt="x" * i, choices=(), gold=None) for i in (5, 1, 1, 9, 1)]
    >>> [len(chunk) for chunk in chunks_of(items, size=2, characters=6)]
    [2, 2, 1]
    """
    chunk, length = list[Item](), 0
    for item in items:
        chunk.append(item)
        length += len(item.prompt) + sum(map(len, item.choices))
        if len(chunk) == size or length >= characters:
            yield chunk
            chunk, length = [], 0
    if chunk:
        yield chunk


class RunAnswers:
    """The answers in the folder of a run. In a `with` block answers are added as they arrive; what a killed process
    left of its last line is cut off."""

    def __init__(self, folder: Path) -> None:
        self.finished, self.arrived = self.files = folder / ANSWERS, folder / ARRIVED
        self.flushed = time.monotonic()

    def begun(self) -> bool:
        return any(path.exists() and path.stat().st_size for path in self.files)

    def complete(self, total: int) -> bool:
        return self.finished.exists() and count_lines(self.finished, torn=False) == total

    def __enter__(self) -> RunAnswers:
        self.file = open(self.arrived, "ab+")
        self.file.seek(0)
        self.file.truncate(sum(len(line) for line in self.file if line.endswith(b"\n")))
        return self

    def __exit__(self, *_: object) -> None:
        with naming(self.arrived), self.file:
            os.fsync(self.file.fileno())

    def put(self, answers: Sequence[Answer]) -> None:
        with naming(self.arrived):
            self.file.write(b"".join(encode(answer) + b"\n" for answer in answers))
            self.file.flush()

    def tick(self) -> bool:
        """Flush to the disk if it is time to; whether it was."""
        if time.monotonic() - self.flushed < FLUSH:
            return False
        with naming(self.arrived):
            os.fsync(self.file.fileno())
        self.flushed = time.monotonic()
        return True

    def so_far(self) -> dict[str, Answer]:
        """What has been answered, by item, also of a run that another process is writing."""
        return {answer.item_id: answer for path in self.files for answer in whole_lines(path)}

    def to_keep(self, chunks: Iterable[Sequence[Item]]) -> dict[str, Answer]:
        """Answers to keep: those of answers.jsonl (to a smaller sample), and of whole chunks that arrived."""
        known, earlier = self.so_far(), {answer.item_id for answer in whole_lines(self.finished)}
        kept: dict[str, Answer] = {}
        for items in chunks:
            whole = all(item.id in known for item in items)
            kept |= {item.id: known[item.id] for item in items if whole or item.id in earlier}
        return kept

    def replace(self, answers: Iterable[Answer]) -> None:
        write_jsonl(self.finished, answers)
        self.arrived.unlink(missing_ok=True)
