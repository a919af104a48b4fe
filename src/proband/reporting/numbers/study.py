"""A study: an item set with its runs, read once, and its estimates: a metric over the items with certain tags, per
system, with its interval and its chance level. Asked twice for the same estimates it counts once.

Answers are in the order of the items (a run may have answered only some of them): nothing has to be looked up, and one
pass over the files is enough. Of the items a study keeps their tags, clusters and numbers. A tag becomes an array of
codes, a metric a pair of arrays per run (item index, number): a metric may give several numbers for one item (one per
blank) or none; a metric over sets gives a record of numbers.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import dumps, parse, raw_lines, read_records
from proband.core.metrics import SPLITS, Estimate, Metric, scored_splits, splits_in_words
from proband.core.suite import Suite, Where
from proband.core.types import LEFT_OUT, Answer, Item, Run, Status, Tag
from proband.reporting.numbers.formatting import System, asked_in_words, is_baseline, run_labels, systems
from proband.stats import Floats, Ints, Macro, Scores, estimator_of, macro_mean, on_common_items
from proband.stats.clusters import GrowingClusters, clusters_of

Mask = NDArray[np.bool_]
VARIATION, ORIGINAL = "variation", "original"  # the tag of items in a varied set, and its value for their sources
Codes32 = NDArray[np.int32]
Numbers = tuple[Ints, Floats]  # of one metric and run: number (or record) j belongs to item rows[j]; rows ascend

SPLIT = "split"  # of an item: a tag where there are several, or where a table has a column for each


@dataclass(frozen=True, kw_only=True)
class AnsweredRun:
    """A run and its answers: an answers.jsonl, or a list in the order of the items."""

    run: Run
    answers: Path | Sequence[Answer]
    unfinished: str = ""  # how far a run is that has not answered all its items, in words


@dataclass(kw_only=True, eq=False)
class ItemSet:
    """One item set with the runs over it (`core.suite.Results`). `items_from` is an items.jsonl or a list."""

    suite: Suite
    items_from: Path | Sequence[Item]
    answered: Sequence[AnsweredRun]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # the name of the items' folder
    splits: tuple[str, ...] = ()  # those that are scored; none: every one
    runs: Sequence[Run] = field(init=False)
    labels: Sequence[str] = field(init=False)  # of each run
    checked: list[int] = field(default_factory=lambda: [0], init=False, repr=False)  # the last line that was checked

    def __post_init__(self) -> None:
        self.runs = [each.run for each in self.answered]
        self.labels = run_labels(self.runs)

    def ordered(self) -> ItemSet:
        """Baselines last."""
        return replace(self, answered=sorted(self.answered, key=lambda each: is_baseline(each.run.model)))

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


class Study(ItemSet):
    """An item set that has been read. `key` names its files and its anchor in the page. Without `pool`, each run is a
    separate system. `split`: the items that are scored (default: chosen by `core.metrics`). `shared`: compare two
    systems on the items that both have answered."""

    def __init__(
        self,
        items: ItemSet,
        metrics: Sequence[Metric] = (),
        *,
        key: str = "",
        seed: int = 0,
        pool: bool = True,
        split: str = "",
        shared: bool = False,
    ) -> None:
        super().__init__(
            suite=items.suite,
            items_from=items.items_from,
            answered=items.answered,
            manifest=items.manifest,
            source=items.source,
        )
        self.checked = items.checked
        self.key, self.seed = key or self.suite.name, seed
        self.name = self.key  # as pages and tables call it (`names`)
        self.main = self.suite.metric()
        self.metrics = {metric.name: metric for metric in (self.main, *metrics)}
        self._read()
        self.systems: tuple[System, ...] = systems(self.runs, pool=pool)
        self.splits = self._scored(split, least=2 if shared else 1)
        self.hues: tuple[int, ...] = tuple(range(len(self.systems)))  # the number of each system's colour
        self.whole_scores: dict[Any, Scores] = {}  # of metrics and systems, on every item
        self.large_selections: dict[Any, dict[int, Scores]] = {}
        self.cells: dict[Any, tuple[Estimate | None, ...]] = {}

    def _read(self) -> None:
        """Read the items and all answers once."""
        if not self.answered:
            raise ProbandError("no run over these items", file=self.source)
        tags: list[dict[str, Tag]] = []  # every combination that occurs
        seen, combination = dict[Hashable, int](), array("i")  # which one an item has
        clusters, guessing, split = GrowingClusters(), array("d"), array("i")
        metrics = list(self.metrics.values())
        runs = tuple(AnsweredItems(self, at, metrics) for at in range(len(self.answered)))
        at = -1
        for at, item in enumerate(self.items()):
            key = (item.split, *item.tags.items(), *map(type, item.tags.values()))  # True and 1 are different values
            combination.append(seen.setdefault(key, len(seen)))
            if len(tags) < len(seen):
                tags.append({**item.tags, SPLIT: item.split})
            clusters.add(clusters_of(item))
            guessing.append(1.0 / len(item.choices) if item.choices else 0.0)
            split.append(SPLITS.index(item.split))
            for run in runs:
                run.consume(at, item)
        if at < 0:
            raise ProbandError("contains no items", file=self.source)
        for run in runs:
            run.end(at + 1)
        several = len(set(split)) > 1
        if not several and not any(SPLIT in table.columns for table in self.suite.tables):
            tags = [{name: value for name, value in each.items() if name != SPLIT} for each in tags]
        self.count, self.clusters, self.answered_items = at + 1, clusters.done(), runs
        self.guessing: Floats = np.frombuffer(guessing)  # 1 / choices, 0 where an item has none
        # the suite's derived tags among them; the names of those written in the items; the split, a tag or not
        self.tags = coded(tags, np.frombuffer(combination, dtype=np.int32), self.suite.derive)
        self.written = tuple(dict.fromkeys(name for each in tags for name in each if several or name != SPLIT))
        self.item_splits = Codes(SPLITS, np.frombuffer(split, dtype=np.int32))

    @cached_property
    def how_asked(self) -> str:
        """How each model was asked, in words."""
        return asked_in_words(self.system_labels, [self.runs[system.runs[0]] for system in self.systems])

    @property
    def system_labels(self) -> tuple[str, ...]:
        return tuple(system.label for system in self.systems)

    @property
    def scope(self) -> str:
        """The items that are scored, in words."""
        return splits_in_words(self.splits, "source items" if self.varied else "items")

    @property
    def varied(self) -> bool:
        """Whether the set holds items and variations of them: then a score is one of the items that they were made of,
        since several forms of one question are no further questions."""
        tag = self.tags.get(VARIATION)
        return "variations" in self.manifest and tag is not None and ORIGINAL in tag.values

    @property
    def asked_count(self) -> int:
        """How many items some run has an answer to."""
        return len(np.unique(np.concatenate([run.answered for run in self.answered_items])))

    def answered_by(self) -> Ints:
        """The number of systems with a value for each item."""
        count = np.zeros(self.count, dtype=np.int64)
        for system in self.systems:
            rows = [self.answered_items[run].values(metric)[0] for metric in self.metrics for run in system.runs]
            count[np.unique(np.concatenate(rows))] += 1
        return count

    def _scored(self, split: str, *, least: int) -> tuple[str, ...]:
        """Of the splits of the items that so many systems have numbers for, those that are scored."""
        codes, answered = self.item_splits.codes, self.answered_by() >= least
        there = np.unique(codes[answered] if answered.any() and not split else codes)
        return scored_splits({str(self.item_splits.values[at]) for at in there}, split)

    def rank(self) -> None:
        """Put the systems in the order of the main metric, the best first; before cells are counted."""
        known, sign = self.scores(self.main, {}), -1 if self.main.better == "high" else 1
        places = range(len(self.systems))
        order = sorted(places, key=lambda at: (sign * known[at].value if at in known else np.inf, at))
        self.systems = tuple(self.systems[at] for at in order)
        self.large_selections.clear()  # it goes by the places of systems

    def mask(self, where: Where) -> Mask:
        """The items with these tags, of the splits that are scored unless the tags name others, and of a varied set the
        source items unless the tags name variations; tags of runs are not asked."""
        chosen = np.ones(self.count, dtype=bool)
        sources: Where = {VARIATION: ORIGINAL} if self.varied else {}
        for name, wanted in {"split": self.splits, **sources, **where}.items():
            if name.startswith("run."):
                continue
            tag = self.item_splits if name == "split" else self.tags.get(name)
            if tag is None:
                return np.zeros(self.count, dtype=bool)
            codes = [i for i, value in enumerate(tag.values) if matches(value, wanted)]
            chosen &= tag.codes == codes[0] if len(codes) == 1 else np.isin(tag.codes, codes)
        return chosen

    def selected(self, where: Where) -> list[int]:
        """The systems with these tags of runs."""
        of_runs = {name: wanted for name, wanted in where.items() if name.startswith("run.")}
        return [
            at
            for at, system in enumerate(self.systems)
            if all(name in system.tags and matches(system.tags[name], wanted) for name, wanted in of_runs.items())
        ]

    def scores_of(self, system: int, metric: Metric, mask: Mask) -> Scores:
        """A system's scores within a mask."""
        whole = self.whole(self.systems[system], metric)
        return whole.only(mask[whole.items], within=True)

    def whole(self, system: System, metric: Metric) -> Scores:
        """A system's scores on every item. Runs that have numbers for different items meet on those of all."""
        key = (metric.name, system.runs)
        if key not in self.whole_scores:
            clusters, estimator = self.clusters, estimator_of(metric)
            values = [self.answered_items[run].values(metric.name) for run in system.runs]
            runs = on_common_items(
                *(
                    Scores(numbers=n[None], items=at, clusters=clusters, places=at, estimator=estimator)
                    for at, n in values
                )
            )
            numbers = runs[0].numbers if len(runs) == 1 else np.concatenate([each.numbers for each in runs])
            self.whole_scores[key] = replace(
                runs[0], numbers=numbers, places=runs[0].items, clusters=self.clusters,
                trained=bool(system.tags["run.net"]),
            )  # fmt: skip
        return self.whole_scores[key]

    def cell(self, metric: Metric, where: Where, *, macro: str = "") -> tuple[Estimate | None, ...]:
        """One cell per system; None where it has no number there."""
        key = (metric.name, dumps(where), macro)
        if key not in self.cells:
            cells: list[Estimate | None] = [None] * len(self.systems)
            levels: dict[int, tuple[float | None, Scores | None]] = {}  # the same for systems with the same items
            for at, own in self.scores(metric, where, macro=macro).items():
                if id(own.items) not in levels:
                    levels[id(own.items)] = self.chance(metric, own), None if macro else self.best_shortcut(metric, own)
                chance, shortcut = levels[id(own.items)]
                cells[at] = self._cell(at, own, where, chance, None if at in self.shortcuts else shortcut)
            self.cells[key] = tuple(cells)
        return self.cells[key]

    def _cell(
        self, system: int, scores: Scores, where: Where, chance: float | None, shortcut: Scores | None
    ) -> Estimate:
        """Of one system. Of the items that were left out, the most of all its runs."""
        mask, runs = self.mask(where), [self.answered_items[run] for run in self.systems[system].runs]
        group = {name: "|".join(map(str, v)) if isinstance(v, tuple) else v for name, v in where.items()}
        cell = msgspec.structs.replace(
            scores.interval(),
            group=group,
            chance=chance,
            shortcut=None if shortcut is None else shortcut.value,
            sd=float(np.std(scores.values, ddof=1)) if len(scores.values) > 1 else None,
            unread=self.unread(system, scores.items),
            skipped=max(int(mask[run.of_status("skipped")].sum()) for run in runs),
            uncovered=max(int(mask[run.of_status("not covered")].sum()) for run in runs),
        )
        if cell.level is None:
            return cell
        paired = shortcut if cell.level == cell.shortcut else None  # both are right on easy items
        test = scores.against(cell.level) if paired is None else scores.minus(paired)
        return msgspec.structs.replace(cell, apart=(test.low, test.high, test.p))

    def unread(self, system: int, rows: Ints) -> float:
        """The share of these items (an item may be in several rows) whose reply is unread, over all runs."""
        runs = [self.answered_items[run].of_status("unread") for run in self.systems[system].runs]
        return sum(int(np.isin(rows, each).sum()) for each in runs) / len(rows) / len(runs)

    def scores(self, metric: Metric, where: Where, *, macro: str = "") -> dict[int, Scores]:
        """The scores there of every system that has some, by its number. Large cells are asked for again (by the
        comparisons) and kept; there are few of them."""
        key = (metric.name, dumps(where), macro)
        if key in self.large_selections:
            return self.large_selections[key]
        mask = self.mask(where)
        items: dict[bytes, Ints] = {}  # once for all systems that have the same
        results = {}
        for at in self.selected(where):
            own = self.scores_of(at, metric, mask)
            if len(own):
                own = replace(own, items=items.setdefault(own.items.tobytes(), own.items))
                if macro:
                    tag = self.tags.get(macro)  # items without it are one value
                    codes = tag.codes[own.items] if tag is not None else np.zeros(len(own), dtype=np.int32)
                    weighed = Macro(name=metric.name, by=macro, of=own.estimator)
                    own = replace(own, estimator=weighed, tags={macro: codes})
                results[at] = own
        if 20 * mask.sum() >= len(mask):
            self.large_selections[key] = results
        return results

    def chance(self, metric: Metric, scores: Scores) -> float | None:
        """What is reached on these items without knowledge: of a set metric what it says itself (`Metric.chance`), of
        accuracy that of guessing; None for other metrics and where items have no choices."""
        macro, levels = scores.estimator.by, self.guessing[scores.items]
        if metric.chance is not None:
            parts = scores.by(macro).values() if macro else [scores]
            return float(np.mean([metric.chance(part.numbers[0]) for part in parts]))
        if not (metric.counts_right_choices and len(levels) and (levels > 0).all()):
            return None
        return (
            macro_mean(levels, np.unique(scores.tags[macro], return_inverse=True)[1]) if macro else float(levels.mean())
        )

    @cached_property
    def shortcuts(self) -> list[int]:
        """The systems that are the suite's own baselines."""
        names = {f"baseline:{name}" for name in self.suite.baselines}
        return [at for at, system in enumerate(self.systems) if system.tags["run.model"] in names]

    def best_shortcut(self, metric: Metric, scores: Scores) -> Scores | None:
        """The accuracy of the best of them on these items; None where none has answered all of them."""
        if not (metric.counts_right_choices and self.shortcuts):
            return None
        mask = np.zeros(self.count, dtype=bool)
        mask[scores.items] = True
        own = [self.scores_of(system, metric, mask) for system in self.shortcuts]
        return max((each for each in own if len(each) == len(scores)), key=lambda each: each.value, default=None)


def matches(value: Tag, wanted: Tag | tuple[Tag, ...]) -> bool:
    """Whether a value is (one of) those that are wanted; a boolean is no number.

    >>> matches(2, (2, 3)), matches(True, 1), matches("a", "a")
    (True, False, True)
    """
    several = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in several)


# ---- what is kept of the items, and of the answers of a run ----------------------------------------------------------


@dataclass(frozen=True)
class Codes:
    """A tag over all items: item i has `values[codes[i]]`, or lacks the tag where the code is -1."""

    values: tuple[Tag, ...]
    codes: Codes32


class AnsweredItems:
    """The items that one run answered, by their places, with its numbers for them."""

    def __init__(self, items: ItemSet, at: int, metrics: Sequence[Metric]) -> None:
        self.label, self.source = items.labels[at], items.answered[at].answers
        self.planned_count = items.runs[at].settings.get("asked")
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
        wanted = count if self.planned_count is None else min(count, int(self.planned_count))
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


def coded(
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


# ---- without reading all of it ---------------------------------------------------------------------------------------


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
