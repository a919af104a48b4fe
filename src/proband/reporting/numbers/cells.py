"""Cells: a metric over the items with certain tags, per system, with its interval and its chance level.

A Study answers for one item set; asked twice for the same cell it counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from proband.core.metrics import Metric, scored_splits, splits_in_words
from proband.core.statistics import estimates as stats
from proband.core.statistics.clusters import Ints, Neighbours
from proband.core.suite import Where
from proband.core.types import Estimate, Tag
from proband.reporting.numbers.item_sets import Arrays, ItemSet, collect
from proband.reporting.numbers.systems import (
    Column,
    Comparison,
    Mask,
    System,
    Together,
    Values,
    compared,
    in_common,
    macro_mean,
    same_items,
    systems,
    within,
)


@dataclass(frozen=True)
class Cell:
    """One system in one cell. `chance` is the accuracy of guessing on the same items, if that has a meaning, `shortcut`
    that of the best of the suite's own baselines that were run; `sd` the standard deviation over the `runs` of a system
    that has several."""

    estimate: Estimate
    chance: float | None = None
    runs: int = 1
    sd: float | None = None
    p_level: float | None = None  # of the test against the level to beat
    unread: float = 0.0  # share of the items whose reply could not be read; they count as wrong
    skipped: int = 0  # items of the selection that were not asked; they do not count
    uncovered: int = 0  # items of the selection that the model knows nothing of; they do not count
    shortcut: float | None = None

    @property
    def level(self) -> float | None:
        """What a score has to beat: chance, or the best shortcut where that is higher."""
        return max((each for each in (self.chance, self.shortcut) if each is not None), default=None)

    @property
    def level_name(self) -> str:
        return "chance" if self.shortcut is None or self.level != self.shortcut else "the best shortcut"

    @property
    def against_level(self) -> str:
        """`above`, `below` or `at` that level as the interval says; empty where there is none, or no interval."""
        if self.level is None or self.estimate.few:
            return ""
        return "above" if self.estimate.low > self.level else "below" if self.estimate.high < self.level else "at"


class Study:
    """The cells of one item set. `key` names its files and its anchor in the page; without `pool`, every run is a
    system of its own. `split`: which items are scored, if not those that `core.metrics` settles on; `shared`: of the
    items that two systems have answered, whatever else one of them has."""

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
        self.items, self.key, self.seed = items, key or items.suite.name, seed
        self.name = self.key  # as pages and tables call it (`names` in item_sets.py)
        self.main = items.suite.metric()
        used = {metric.name: metric for metric in (self.main, *metrics)}
        self.arrays: Arrays = collect(items, list(used.values()))
        self.systems: tuple[System, ...] = systems(items.runs, pool=pool)
        self.splits = self._scored(split, least=2 if shared else 1)
        self.hues: tuple[int, ...] = tuple(range(len(self.systems)))  # the number of each system's colour
        self.known: dict[Any, tuple[Cell | None, ...]] = {}
        self.kept: dict[Any, list[Together]] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(system.label for system in self.systems)

    @property
    def scope(self) -> str:
        """The items that are scored, in words."""
        return splits_in_words(self.splits)

    def answered_by(self) -> Ints:
        """How many systems have a number for each item."""
        count = np.zeros(self.arrays.count, dtype=np.int64)
        for system in self.systems:
            rows = [values[run].rows for values in self.arrays.metrics.values() for run in system.runs]
            count[np.unique(np.concatenate(rows))] += 1
        return count

    def _scored(self, split: str, *, least: int) -> tuple[str, ...]:
        """Of the splits of the items that so many systems have numbers for, those that are scored."""
        codes, answered = self.arrays.split.codes, self.answered_by() >= least
        there = np.unique(codes[answered] if answered.any() and not split else codes)
        return scored_splits({str(self.arrays.split.values[at]) for at in there}, split)

    def rank(self) -> None:
        """Put the systems in the order of the main metric, the best first; before cells are counted."""
        everything, sign = self.mask({}), -1 if self.main.better == "high" else 1
        columns = [self.column(at, self.main, everything) for at in range(len(self.systems))]
        values = [sign * column.value if len(rows) else np.inf for rows, column in columns]
        self.systems = tuple(self.systems[at] for at in sorted(range(len(values)), key=lambda at: (values[at], at)))

    @property
    def run_order(self) -> list[int]:
        """The runs in the order of the systems."""
        return [run for system in self.systems for run in system.runs]

    # ---- selecting ----

    def mask(self, where: Where) -> Mask:
        """The items with these tags, of the splits that are scored unless the tags name others; tags of runs are not
        asked."""
        chosen = np.ones(self.arrays.count, dtype=bool)
        for name, wanted in {"split": self.splits, **where}.items():
            if name.startswith("run."):
                continue
            tag = self.arrays.split if name == "split" else self.arrays.tags.get(name)
            if tag is None:
                return np.zeros(self.arrays.count, dtype=bool)
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

    def column(self, system: int, metric: Metric, mask: Mask) -> tuple[Ints, Column]:
        """A system's numbers within a mask. Runs that have numbers for different items meet on those of all."""
        runs = [within(self.arrays.metrics[metric.name][run], mask) for run in self.systems[system].runs]
        rows, parts = in_common(runs, metric)
        return rows, Column(system, parts, metric, trained=bool(self.systems[system].tags["run.net"]))

    # ---- cells ----

    def cell(self, metric: Metric, where: Where, *, macro: str = "") -> tuple[Cell | None, ...]:
        """One cell per system; None where it has no number there."""
        key = (metric.name, _address(where), macro)
        if key not in self.known:
            cells: list[Cell | None] = [None] * len(self.systems)
            for group in self.together(metric, where, macro=macro):
                chance = self.chance(metric, group.rows, macro)
                shortcut = None if macro else self.shortcut(metric, group.rows)
                for column in group.columns:
                    own = None if column.system in self.shortcuts else shortcut
                    cells[column.system] = self._cell(group, column, where, chance=chance, shortcut=own)
            self.known[key] = tuple(cells)
        return self.known[key]

    def _cell(
        self, group: Together, column: Column, where: Where, *, chance: float | None, shortcut: float | None
    ) -> Cell:
        """One column of a group. Of the items that were left out, the most of all runs of its system."""
        metric, shared, runs = column.metric, group.shared, self.systems[column.system].runs
        estimate = Estimate(
            metric=metric.name,
            group=plain_tags(where),
            mean=column.value,
            n=len(group.rows),
            clusters=shared.clusters,
            effective=shared.least,
            seeds=len(column.values),
            **asdict(stats.interval(column.measured, shared, share=metric.percent)),
        )
        mask, arrays = self.mask(where), self.arrays
        cell = Cell(
            estimate,
            chance,
            runs=len(column.values),
            sd=float(np.std(column.values, ddof=1)) if len(column.values) > 1 else None,
            unread=self.unread(column.system, group.rows),
            skipped=max(int(mask[arrays.skipped[run]].sum()) for run in runs),
            uncovered=max(int(mask[arrays.uncovered[run]].sum()) for run in runs),
            shortcut=shortcut,
        )
        if cell.level is None:
            return cell
        return replace(cell, p_level=stats.p_against(cell.level, column.measured, shared, share=metric.percent))

    def unread(self, system: int, rows: Ints) -> float:
        """The share of these items (one may stand in several rows) whose reply could not be read, over all runs."""
        runs = self.systems[system].runs
        return sum(int(np.isin(rows, self.arrays.unread[run]).sum()) for run in runs) / len(rows) / len(runs)

    def together(self, metric: Metric, where: Where, *, macro: str = "") -> list[Together]:
        """Systems that have numbers for the same items there. Large cells are asked for again (by the comparisons) and
        kept; there are few of them."""
        key = (metric.name, _address(where), macro)
        if key in self.kept:
            return self.kept[key]
        mask = self.mask(where)
        columns = [self.column(system, metric, mask) for system in self.selected(where)]
        groups = [self._grouped(rows, alike, macro) for rows, alike in same_items(columns) if len(rows)]
        if 20 * mask.sum() >= len(mask):
            self.kept[key] = groups
        return groups

    def _grouped(self, rows: Ints, columns: Sequence[Column], macro: str = "") -> Together:
        shared = Neighbours.of(self.arrays.clusters, rows)
        strata = self._strata(rows, macro) if macro else None
        return Together(rows, tuple(replace(each, strata=strata, shared=shared) for each in columns), shared)

    def _strata(self, rows: Ints, macro: str) -> Ints:
        """The values of the tag `macro` among these items, as numbers from 0; those without it are one value."""
        tag = self.arrays.tags.get(macro)
        codes = tag.codes[rows] if tag is not None else np.zeros(len(rows), dtype=np.int32)
        strata: Ints = np.unique(codes, return_inverse=True)[1]
        return strata

    def between(self, metric: Metric, system: int, one: Where, other: Where, *, macro: str = "") -> stats.Difference:
        """One system in two selections of items, which both have numbers."""
        sides = []
        for where in (one, other):
            groups = self.together(metric, where, macro=macro)
            sides.append(next((g.rows, c.measured) for g in groups for c in g.columns if c.system == system))
        (rows_a, a), (rows_b, b) = sides
        a, b = stats.on_all_items(a, b)
        both = stats.Measured(a.values - b.values, a.influence - b.influence, a.trained)
        shared = Neighbours.of(self.arrays.clusters, np.concatenate([rows_a, rows_b]))
        return stats.difference(both.value, both.mean_influence, shared, share=metric.percent, seeds=[both.seeds])

    def chance(self, metric: Metric, rows: Ints, macro: str = "") -> float | None:
        """The accuracy of guessing on these items; None for other metrics and where items have no choices."""
        levels = self.arrays.chance[rows]
        if metric.name != "accuracy" or not (levels > 0).all():
            return None
        return macro_mean(levels, self._strata(rows, macro)) if macro else float(levels.mean())

    @cached_property
    def shortcuts(self) -> list[int]:
        """The systems that are the suite's own baselines."""
        names = {f"baseline:{name}" for name in self.items.suite.baselines}
        return [at for at, system in enumerate(self.systems) if system.tags["run.model"] in names]

    def shortcut(self, metric: Metric, rows: Ints) -> float | None:
        """The accuracy of the best of them on these items; None where none has answered all of them."""
        if metric.name != "accuracy" or not self.shortcuts:
            return None
        mask = np.zeros(len(self.arrays.chance), dtype=bool)
        mask[rows] = True
        columns = [self.column(system, metric, mask) for system in self.shortcuts]
        return max((column.value for answered, column in columns if len(answered) == len(rows)), default=None)

    # ---- pairs of systems ----

    def pairs(
        self, metric: Metric, where: Where, *, only: Collection[tuple[int, int]] | None = None, margin: float = 0.0
    ) -> list[Comparison]:
        """Every pair of systems (or only some), on the items that both have a number for. With a `margin`, the test is
        whether the first is ahead by more than that, item by item."""
        groups = self.together(metric, where)
        at = {column.system: (group, column) for group in groups for column in group.columns}
        pairs = []
        for a, b in combinations(sorted(at), 2):
            if only is None or (a, b) in only:
                (left, one), (right, other) = at[a], at[b]
                both = Together(left.rows, (one, other), left.shared)
                shared = both if left is right else self._items_of_both(metric, left, one, right, other)
                if shared is not None:
                    pairs.append(compared(metric, shared, group=where, labels=self.labels, margin=margin))
        return pairs

    def pair(self, metric: Metric, where: Where, a: int, b: int, *, margin: float = 0.0) -> Comparison | None:
        """Two systems, the test being whether a is ahead of b by more than `margin`."""
        if a > b:
            turned = self.pair(metric, where, b, a, margin=-margin)
            return turned and turned.turned()
        return next(iter(self.pairs(metric, where, only={(a, b)}, margin=margin)), None)

    def _items_of_both(
        self, metric: Metric, left: Together, one: Column, right: Together, other: Column
    ) -> Together | None:
        """Two systems that answered different items, on those that both have."""
        runs = [Values(left.rows, part) for part in one.parts] + [Values(right.rows, part) for part in other.parts]
        rows, parts = in_common(runs, metric)
        if not len(rows):
            return None
        split = len(one.parts)
        return self._grouped(rows, [replace(one, parts=parts[:split]), replace(other, parts=parts[split:])])


# ---- tags ----------------------------------------------------------------------------------------------------------


def same(a: Tag, b: Tag) -> bool:
    """Equal, and both or neither a boolean."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def matches(value: Tag, wanted: Tag | tuple[Tag, ...]) -> bool:
    """
    >>> matches(2, (2, 3)), matches(True, 1), matches("a", "a")
    (True, False, True)
    """
    return any(same(value, each) for each in wanted) if isinstance(wanted, tuple) else same(value, wanted)


def plain_tags(where: Where) -> dict[str, Tag]:
    """The tags of a selection for an Estimate; several values of one tag are joined."""
    return {name: "|".join(map(str, v)) if isinstance(v, tuple) else v for name, v in where.items()}


def _address(where: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, f"{type(value).__name__}:{value}") for name, value in where.items()))
