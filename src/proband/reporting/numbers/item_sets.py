"""An item set with its runs, read as streams, and what is kept of it: a tag, a cluster and a number per item.

Answers are in the order of the items (a run may have answered only some of them): nothing has to be looked up, and
one pass over the files is enough. A tag becomes an array of codes, a metric a pair of arrays (item index, number): a
metric may give several numbers for one item (one per blank) or none; a metric over sets gives a record of numbers.
Nothing is averaged here.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import parse, raw_lines, read_records
from proband.core.metrics import SPLITS, Metric
from proband.core.suite import Suite
from proband.core.types import LEFT_OUT, Answer, Item, Run, Status, Tag
from proband.reporting.numbers.formatting import run_labels
from proband.stats.clusters import Clusters, Floats, GrowingClusters, Ints, clusters_of


@dataclass(frozen=True, kw_only=True)
class AnsweredRun:
    """A run and its answers: an answers.jsonl, or a list in the order of the items."""

    run: Run
    answers: Path | Sequence[Answer]
    unfinished: str = ""  # how far a run is that has not answered all its items, in words


@dataclass(frozen=True, kw_only=True)
class ItemSet:
    """One item set with the runs over it (`core.suite.Results`). `items` is an items.jsonl or a list."""

    suite: Suite
    items_from: Path | Sequence[Item]
    answered: Sequence[AnsweredRun]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # the name of the items' folder
    splits: tuple[str, ...] = ()  # those that are scored; none: every one
    checked: list[int] = field(default_factory=lambda: [0], init=False, repr=False)  # the last line that was checked

    def ordered(self) -> ItemSet:
        """Baselines last."""
        return replace(self, answered=sorted(self.answered, key=lambda each: each.run.model.startswith("baseline:")))

    @property
    def runs(self) -> Sequence[Run]:
        return [each.run for each in self.answered]

    @cached_property
    def labels(self) -> Sequence[str]:
        return run_labels(self.runs)

    def items(self) -> Iterator[Item]:
        """Every item, whole. It is checked by itself when it is first read, however often the file is read; that all
        are different was asked when they were run."""
        if not isinstance(self.items_from, Path):
            yield from self.items_from
            return
        for line, item in enumerate(read_records(self.items_from, Item), start=1):
            if line > self.checked[0]:
                if wrong := self.suite.check(item):
                    raise ProbandError(f"item {item.id!r}: {wrong}", file=self.items_from, line=line)
                self.checked[0] = line
            yield item

    def raw_answers(self, run: int) -> Iterator[Answer]:
        given = self.answered[run].answers
        return read_records(given, Answer) if isinstance(given, Path) else iter(given)

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        """Every item that a run answered, with its answer."""
        answers = self.raw_answers(run)
        answer = next(answers, None)
        for item in self.items():
            if answer is None:
                return
            if answer.item_id == item.id:
                yield item, answer
                answer = next(answers, None)

    def scored(self, run: int) -> Iterator[tuple[Item, Answer]]:
        """The same of the items that are scored."""
        return (pair for pair in self.answers(run) if not self.splits or pair[0].split in self.splits)


def picked(source: Path | Sequence[Any], kind: type[Any], places: Collection[int]) -> dict[int, Any]:
    """The items or answers at some places (from 0), read in one pass."""
    if not isinstance(source, Path):
        return {at: source[at] for at in places}
    wanted = set(places)
    return {n - 1: parse(kind, raw, file=source, line=n) for n, raw in raw_lines(source) if n - 1 in wanted}


def names(sets: Sequence[ItemSet], keys: Sequence[str]) -> list[str]:
    """The names of item sets: the suite; for several sets of one suite also the source or, if the sources are the
    same, the key of the page."""
    results = []
    for each, key in zip(sets, keys):
        suite, rest = each.suite.name, [other.source for other in sets if other.suite.name == each.suite.name]
        alone = each.source and rest.count(each.source) == 1
        short = each.source.removeprefix(suite).lstrip("-_ ") if alone else key  # kinship-small: small
        results.append(f"{suite} ({short})" if len(rest) > 1 and short else suite)
    return results


# ---- as arrays -------------------------------------------------------------------------------------------------------


Codes32 = NDArray[np.int32]
Numbers = tuple[Ints, Floats]  # of one metric and run: number (or record) j belongs to item rows[j]; rows ascend

SPLIT = "split"  # of an item: a tag where there are several, or where a table has a column for each


@dataclass(frozen=True)
class Codes:
    """A tag over all items: item i has `values[codes[i]]`, or lacks the tag where the code is -1."""

    values: tuple[Tag, ...]
    codes: Codes32


@dataclass(frozen=True, kw_only=True)
class Arrays:
    """What is kept of an item set."""

    count: int
    tags: Mapping[str, Codes]  # the suite's derived ones among them
    written: tuple[str, ...]  # the names of those written in the items
    split: Codes  # of the items, whether they have a tag of that name or not
    clusters: Clusters
    chance: Floats  # 1 / choices, 0 where an item has none
    runs: tuple[AnsweredItems, ...]


def collect(items: ItemSet, metrics: Sequence[Metric]) -> Arrays:
    """Read the items and all answers once."""
    if not items.answered:
        raise ProbandError("no run over these items", file=items.source)
    tags: list[dict[str, Tag]] = []  # every combination that occurs
    seen, combination = dict[Hashable, int](), array("i")  # which one an item has
    clusters, chance, split = GrowingClusters(), array("d"), array("i")
    runs = tuple(AnsweredItems(items, at, metrics) for at in range(len(items.answered)))
    at = -1
    for at, item in enumerate(items.items()):
        key = (item.split, *item.tags.items(), *map(type, item.tags.values()))  # True and 1 are different values
        combination.append(seen.setdefault(key, len(seen)))
        if len(tags) < len(seen):
            tags.append({**item.tags, SPLIT: item.split})
        clusters.add(clusters_of(item))
        chance.append(1.0 / len(item.choices) if item.choices else 0.0)
        split.append(SPLITS.index(item.split))
        for run in runs:
            run.consume(at, item)
    if at < 0:
        raise ProbandError("contains no items", file=items.source)
    for run in runs:
        run.end(at + 1)
    several = len(set(split)) > 1
    if not several and not any(SPLIT in table.columns for table in items.suite.tables):
        tags = [{name: value for name, value in each.items() if name != SPLIT} for each in tags]
    return Arrays(
        count=at + 1,
        tags=_codes(tags, np.frombuffer(combination, dtype=np.int32), items.suite.derive),
        written=tuple(dict.fromkeys(name for each in tags for name in each if several or name != SPLIT)),
        split=Codes(SPLITS, np.frombuffer(split, dtype=np.int32)),
        clusters=clusters.done(),
        chance=np.frombuffer(chance),
        runs=runs,
    )


class AnsweredItems:
    """The items that one run answered, by their places, with its numbers for them."""

    def __init__(self, items: ItemSet, at: int, metrics: Sequence[Metric]) -> None:
        self.label, self.source = items.labels[at], items.answered[at].answers
        self.asked = items.runs[at].settings.get("asked")
        self.answers: Iterator[Answer] = items.raw_answers(at)
        self.next = next(self.answers, None)
        self.lines = array("q")  # the item of each line of its answers
        self.by_status = {status: array("q") for status in get_args(Status) if status}  # items of answers that are not
        self.errors = list[tuple[str, str]]()  # the items that failed, and how
        if without := next((m.name for m in metrics if m.over == "set" and m.each is None), ""):
            raise ProbandError(f"metric {without!r} is over a set but has no record per item ('each')")
        of: Any = {m.name: m.each if m.over == "set" else m.of for m in metrics}
        self.metrics = {m.name: (m, of[m.name], array("q"), array("d")) for m in metrics}
        self.measured = [each for each in self.metrics.values() if each[0].applies(items.runs[at])]

    def consume(self, at: int, item: Item) -> None:
        """Take the answer to this item, if it is the next one."""
        answer = self.next
        if answer is None or answer.item_id != item.id:
            return
        if answer.scores and item.choices and len(answer.scores) != len(item.choices):
            self.refuse(f"gives item {item.id!r} {len(answer.scores)} scores for {len(item.choices)} choices")
        self.lines.append(at)
        if answer.status:
            self.by_status[answer.status].append(at)
            if answer.status == "error":
                self.errors.append((item.id, answer.text or ""))
        for metric, of, rows, numbers in self.measured:
            result = None if answer.status in LEFT_OUT else of(item, answer)
            if result is None:
                continue
            values: Sequence[Any] = (result,) if isinstance(result, (float, int, np.number)) else result
            if not all(map(math.isfinite, values)):
                self.refuse(f"gives {metric.name} of item {item.id!r} a value that is not a finite number")
            numbers.extend(values)
            rows.extend((at,) * (1 if metric.over == "set" else len(values)))
        self.next = next(self.answers, None)

    def refuse(self, what: str) -> None:
        if isinstance(self.source, Path):
            raise ProbandError(what, file=self.source, line=len(self.lines) + 1)
        raise ProbandError(f"{self.label} {what}")

    def end(self, count: int) -> None:
        """Every answer must have met its item, and a run that was not limited must have answered all of them."""
        if self.next is not None:
            self.refuse(f"answers item {self.next.item_id!r}, which does not exist or comes earlier")
        wanted = count if self.asked is None else min(count, int(self.asked))
        if isinstance(self.source, Path) and len(self.lines) < wanted:
            done = f"contains {len(self.lines):,} of {wanted:,} answers: rerun the `proband run` command"
            raise ProbandError(done, file=self.source)

    @cached_property
    def answered(self) -> Ints:
        return np.array(self.lines, dtype=np.int64)

    def of_status(self, name: str) -> Ints:
        """The items whose answers have a status: unread (which is wrong), skipped or not covered (not counted), ..."""
        return np.array(self.by_status[name], dtype=np.int64)

    def values(self, metric: str) -> Numbers:
        of, _, rows, numbers = self.metrics[metric]
        items, result = np.array(rows, dtype=np.int64), np.frombuffer(numbers) if numbers else np.empty(0)
        return items, result.reshape(len(rows), -1) if of.over == "set" and len(rows) else result


def _codes(
    combinations: Sequence[Mapping[str, Tag]],
    of_items: Codes32,
    derive: Callable[[Mapping[str, Tag]], Mapping[str, Tag]],
) -> dict[str, Codes]:
    """The tags of all items, derived ones among them, from the combinations that occur."""
    values: dict[str, dict[tuple[bool, Tag], int]] = {}
    codes: list[dict[str, int]] = []  # of each combination
    for tags in combinations:
        codes.append({})
        for name, value in {**tags, **derive(tags)}.items():
            known = values.setdefault(name, {})
            codes[-1][name] = known.setdefault((isinstance(value, bool), value), len(known))
    return {
        name: Codes(
            tuple(value for _, value in known),
            np.array([each.get(name, -1) for each in codes], dtype=np.int32)[of_items],
        )
        for name, known in values.items()
    }
