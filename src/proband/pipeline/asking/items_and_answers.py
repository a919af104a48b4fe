"""Which items a run asks, and answers.jsonl as it grows in their order.

Asked are the items of the splits that are scored; with `--limit N`, N of them in the proportions of the suite's tags. A
solver that learns from training items is given all of them besides those it is asked. The sample is built one item at a
time: the next one is of the kind (the combination of the tags that the suite's tables split by) that is furthest behind
its share, counted over each of its tags and over the combination. Within a kind, items follow the hash of their ids.
The sample depends on the items alone: every model is asked the same, and a sample of 10 is part of one of 20.

An answer that comes before its turn waits in answers.waiting.jsonl until those before it are there. Both files are
flushed to the disk about once a second and at the end, however the run ends; when every item is answered the second
file is gone and the first has the same bytes as after any other order. A kill leaves lines that are whole or torn, and
`keep_whole_chunks` cuts off what is torn.
"""

from __future__ import annotations

import hashlib
import os
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError, did_you_mean
from proband.core.files import (
    decode,
    encode,
    file_errors,
    items_path,
    naming,
    parse,
    raw_lines,
    read_items,
    sha256_file,
    write_jsonl,
)
from proband.core.metrics import SPLITS, scored_splits
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run, Split, Tag
from proband.stats.sequential import order_of, units_of

Kind = tuple[Tag | None, ...]


class Origin(msgspec.Struct):
    """Of the facts of an item, what it was made from and what it shares with others."""

    source: Any = ""
    clusters: Any = ()


class Outline(msgspec.Struct):
    """What sampling needs of an item."""

    id: str
    suite: str
    tags: dict[str, Tag] = {}
    facts: Origin = msgspec.field(default_factory=Origin)


class SplitAlone(msgspec.Struct):
    """What is needed without a sample."""

    split: Split = "test"


@dataclass(frozen=True)
class Selection:
    """The `splits` that a run asks, and for each line of the items whether it does; None: all lines."""

    splits: tuple[Split, ...]
    lines: NDArray[np.bool_] | None
    every_split: bool = True  # whether no split is left out

    @property
    def count(self) -> int | None:
        return None if self.lines is None else int(self.lines.sum())

    def of(self, items: Iterator[Any]) -> Iterator[Any]:
        """The chosen ones of a stream of items."""
        if self.lines is None:
            return items
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
    path = items_path(items)
    codes = np.frombuffer(
        array("b", (SPLITS.index(decode(SplitAlone, raw, file=path, line=n).split) for n, raw in raw_lines(path))),
        dtype=np.int8,
    )
    splits = scored_splits({SPLITS[code] for code in np.unique(codes)}, split)
    counts = np.isin(codes, [SPLITS.index(each) for each in splits])
    rows: list[Outline] = [] if limit is None and not where else list(read_items(items, Outline))
    if where:
        counts = counts & with_tags(rows, suite, where, path=path)
    chosen = counts
    if limit is not None and by_cluster is not None:
        chosen = first_clusters(rows, counts, limit=limit, seed=by_cluster)
    elif limit is not None:
        chosen = sample(rows, counts, suite=suite, limit=limit)
    if training:
        chosen = chosen | (~counts & (codes == SPLITS.index("train")))
    whole = limit is None and not where and bool(chosen.all())
    return Selection(splits, None if whole else chosen, every_split=bool(counts.all()))


def cluster_ranks(rows: Sequence[Outline], seed: int) -> NDArray[np.int64]:
    """For each of some items the place of its cluster in the random order."""
    units = units_of([row.facts.clusters or (row.id,) for row in rows])
    ranks: NDArray[np.int64] = order_of(units, seed)[units]
    return ranks


def first_clusters(rows: Sequence[Outline], counts: NDArray[np.bool_], *, limit: int, seed: int) -> NDArray[np.bool_]:
    """Of the items that are scored, those of the first clusters that have `limit` items together."""
    ranks = cluster_ranks([row for row, wanted in zip(rows, counts.tolist(), strict=True) if wanted], seed)
    chosen = counts.copy()
    chosen[counts] = ranks <= int(np.searchsorted(np.cumsum(np.bincount(ranks)), limit))
    return chosen


def with_tags(rows: Sequence[Outline], suite: Suite, where: Mapping[str, str], *, path: Path) -> NDArray[np.bool_]:
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
        raise ProbandError(f"--where {named}: no item has it", file=path)
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
    names, kinds = table_tags(suite), dict[Kind, int]()
    tagged = ({**row.tags, **suite.derive(row.tags)} for row in rows)
    of_line = np.array([kinds.setdefault(tuple(map(tags.get, names)), len(kinds)) for tags in tagged])
    place = np.flatnonzero(counts)
    kind, key = of_line[place], np.array([_key(rows[at].id) for at in place.tolist()], dtype=np.uint64)
    sizes = np.bincount(kind, minlength=len(kinds))
    quota = quotas(list(kinds), sizes, limit)
    order = np.lexsort((key, kind))  # kind by kind, each in the order of its hashes
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[place[order[rank < quota[kind[order]]]]] = True
    return chosen


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


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


# ---- the answers -----------------------------------------------------------------------------------------------------


CHUNK = 256  # items answered between two writes, where the model does not ask for fewer
FLUSH = 1.0  # seconds between two flushes to the disk
ANSWERS, WAITING = "answers.jsonl", "answers.waiting.jsonl"


def count_lines(path: Path, *, torn: bool = True) -> int:
    """Lines; `torn`: a last one without an end too."""
    count, last = 0, b"\n"
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (torn and last != b"\n")


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """Which items are answered together: `size` of them, fewer if they have many `characters`; all of them at once
    (`whole`) for a solver that must see them together. It depends on the items alone, so that a run that is resumed
    asks in the same company as one that was not interrupted."""

    size: int
    characters: float = float("inf")
    whole: bool = False

    def with_ends(self, items: Iterable[Item]) -> Iterator[tuple[Item, bool]]:
        """Each item, and whether a chunk ends with it; the last one of all ends one in any case.

        >>> items = [Item(id=str(i), suite="s", prompt="x" * i, choices=(), gold=None) for i in (5, 1, 1, 9, 1)]
        >>> [end for _, end in Chunking(size=2, characters=6).with_ends(items)]
        [False, True, False, True, False]
        """
        count, length = 0, 0.0
        for item in items:
            count += 1
            if self.characters < float("inf"):
                length += len(item.prompt) + sum(map(len, item.choices))
            end = not self.whole and (count == self.size or length >= self.characters)
            count, length = (0, 0.0) if end else (count, length)
            yield item, end

    def chunks(self, items: Iterator[Item], done: int) -> Iterator[Sequence[Item]]:
        """The items not answered yet, a chunk at a time."""
        chunk: list[Item] = []
        for item, end in self.with_ends(islice(items, 0 if self.whole else done, None)):
            chunk.append(item)
            if end:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


class AnswersFile:
    """`put(number, answers)` takes the answers to chunk `number` (from 0, those after what was kept), in any order."""

    def __init__(self, folder: Path) -> None:
        self.path, self.waiting_path = folder / ANSWERS, folder / WAITING
        self.waiting: dict[int, Sequence[Answer]] = {}
        self.next = 0
        self.changed, self.flushed = False, time.monotonic()
        self.file = open(self.path, "ab")  # noqa: SIM115 (closed by __exit__)

    def __enter__(self) -> AnswersFile:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        with naming(self.path), self.file:
            if not isinstance(error, OSError):  # a full disk is full for what waits, too: the first error is raised
                self.flush()

    def put(self, number: int, answers: Sequence[Answer]) -> None:
        self.waiting[number], self.changed = answers, True
        while (turn := self.waiting.get(self.next)) is not None:
            with naming(self.path):
                self.file.write(b"".join(encode(answer) + b"\n" for answer in turn))
            del self.waiting[self.next]  # an interrupt just before leaves the answer in both files
            self.next += 1
        with naming(self.path):
            self.file.flush()

    def tick(self) -> bool:
        """Flush if it is time to; whether it was."""
        if time.monotonic() - self.flushed < FLUSH:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        self.flushed = time.monotonic()
        if not self.changed:
            return
        with naming(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())  # first what is in order: an answer may be in both files, never in none
        if self.waiting:
            write_jsonl(self.waiting_path, (answer for _, each in sorted(self.waiting.items()) for answer in each))
        else:
            self.waiting_path.unlink(missing_ok=True)
        self.changed = False


# ---- what an earlier process left ----------------------------------------------------------------------------------


def keep_whole_chunks(path: Path, items: Iterator[Item], *, total: int, chunking: Chunking) -> tuple[int, int]:
    """Cut a half-written tail off answers.jsonl; returns how many items are answered, and how many of them with an
    error.

    A line counts if it parses and answers the item at its place; whole chunks of such lines are kept.
    """
    if not path.exists():
        return 0, 0
    done, length, errors, kept = 0, 0, 0, (0, 0, 0)
    with open(path, "rb") as file:
        for (item, end), line in zip(chunking.with_ends(items), file, strict=False):
            answer = _answer(line)
            if answer is None or answer.item_id != item.id:
                break
            done, length, errors = done + 1, length + len(line), errors + (answer.status == "error")
            if done == total or end:
                kept = (done, length, errors)
    os.truncate(path, kept[1])
    return kept[0], kept[2]


def waiting_answers(folder: Path) -> dict[str, Answer]:
    """The answers that came before their turn, by item."""
    try:
        lines = (folder / WAITING).read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    return {answer.item_id: answer for line in lines if (answer := _answer(line)) is not None}


def hold_back_answers(folder: Path, *, errors: bool) -> None:
    """All answers of a folder, perhaps without errors, as if they had come before their turn: the items between them
    are asked, or asked again."""
    known = [answer for answer in answers_so_far(folder).values() if errors or answer.status != "error"]
    write_jsonl(folder / WAITING, known)


def answers_so_far(folder: Path) -> dict[str, Answer]:
    """What a run that may still be running has answered, by item; its last line may be half written."""
    path, lines = folder / ANSWERS, list[tuple[int, bytes]]()
    if path.exists() or not (folder / WAITING).exists():
        with file_errors(path), open(path, "rb") as file:
            lines = [(number, line) for number, line in enumerate(file, start=1) if line.endswith(b"\n")]
    in_order = [parse(Answer, line, file=path, line=number) for number, line in lines]
    return {**waiting_answers(folder), **{answer.item_id: answer for answer in in_order}}


def _answer(line: bytes) -> Answer | None:
    """The answer on a line, if the line is whole."""
    try:
        answer: Answer = decode(Answer, line, file="answers")
    except ProbandError:
        return None
    return answer if line.endswith(b"\n") else None


# ---- names that users give; where runs and their items are -----------------------------------------------------------


def name_list(names: str | Iterable[str]) -> list[str]:
    """
    >>> name_list("false, ambiguous,"), name_list(["false"])
    (['false', 'ambiguous'], ['false'])
    """
    return [each.strip() for each in (names.split(",") if isinstance(names, str) else names) if each.strip()]


def run_folders(paths: Sequence[str | Path]) -> list[Path]:
    """The run folders among and below the given ones, each once."""
    results: list[Path] = []
    for path in map(Path, paths):
        if (path / "run.json").exists():
            results.append(path)
        elif path.is_dir():
            below = sorted(note.parent for note in path.glob("**/run.json"))
            if not below:
                raise ProbandError("contains no run; `proband run` makes one", file=path)
            results.extend(below)
        else:
            raise ProbandError("no such folder", file=path)
    return list({os.path.realpath(folder): folder for folder in results}.values())


def items_of(folder: Path, run: Run, named: str | Path | None = None) -> Path:
    """The items a run answered: where the user says, or where run.json says they are, from the folder as it was named
    or, if that is a link, as it is; checked by their hash."""
    noted = [Path(os.path.normpath(start / run.items)) for start in (folder, folder.resolve())]
    place = Path(named) if named is not None else next((each for each in noted if each.exists()), None)
    if place is None:
        raise ProbandError(f"no such file; the items that {folder} answered were there", file=noted[-1])
    path = items_path(place)
    if sha256_file(path) != run.items_sha:
        raise ProbandError(f"these are not the items that {folder} answered (their sha256 differs)", file=path)
    return path
