"""Cells: the mean of a metric over the items with certain tags, per run, with its interval and its chance level.

A Study answers for one item set; asked twice for the same cell it counts once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core import stats
from proband.core.bootstrap import Clusters, Drawn, bootstrap_p, interval, resample
from proband.core.types import Estimate, Tag
from proband.report.collect import Floats, Ints, Joined, Values


@dataclass(frozen=True)
class Cell:
    """One run in one cell. `chance` is the accuracy of a coin over the same items, if that has a meaning."""

    estimate: Estimate
    chance: float | None

    @property
    def against_chance(self) -> str:
        """`above`, `below` or `at` chance as the interval says; empty where there is no chance level."""
        if self.chance is None:
            return ""
        return "above" if self.estimate.low > self.chance else "below" if self.estimate.high < self.chance else "at"


@dataclass(frozen=True)
class Pair:
    """Run a minus run b on the items both answered; `p` is not corrected yet."""

    a: int
    b: int
    difference: float
    low: float
    high: float
    p: float
    n: int
    clusters: int


class Study:
    """The cells of one item set."""

    def __init__(self, joined: Joined, *, seed: int, draws: int) -> None:
        self.joined, self.seed, self.draws = joined, seed, draws
        self.clusters = Clusters.of(joined.clusters)
        self.known: dict[Address, tuple[Cell | None, ...]] = {}
        self.kept: dict[Address, list[Together]] = {}

    def percent(self, metric: str) -> bool:
        """Whether a metric is shown in percent: all its numbers lie between 0 and 1."""
        return all(((v.numbers >= 0) & (v.numbers <= 1)).all() for v in self.joined.metrics[metric])

    def mask(self, where: Mapping[str, Tag]) -> NDArray[np.bool_]:
        """The items with these tags."""
        chosen = np.ones(len(self.joined.clusters), dtype=bool)
        for name, value in where.items():
            tag = self.joined.tags.get(name)
            code = -2 if tag is None else next((i for i, v in enumerate(tag.values) if same(v, value)), -2)
            chosen &= tag.codes == code if tag is not None else False
        return chosen

    def cell(self, metric: str, where: Mapping[str, Tag]) -> tuple[Cell | None, ...]:
        """One cell per run; None where the run has no number there."""
        key = _address(metric, where)
        if key not in self.known:
            cells: list[Cell | None] = [None] * len(self.joined.labels)
            for group in self._drawn(metric, where):
                chance = self._chance(metric, group.rows)
                for place, run in enumerate(group.runs):
                    cells[run] = Cell(self._estimate(group, place, metric=metric, where=where), chance)
            self.known[key] = tuple(cells)
        return self.known[key]

    def _drawn(self, metric: str, where: Mapping[str, Tag]) -> list[Together]:
        """Runs that have numbers for the same items there, resampled together. Large cells are asked for again (by
        the comparisons) and kept; there are few of them."""
        key = _address(metric, where)
        if key in self.kept:
            return self.kept[key]
        mask = self.mask(where)
        parts = [_within(values, mask) for values in self.joined.metrics[metric]]
        found = []
        for runs in _alike([part.rows for part in parts]):
            rows = parts[runs[0]].rows
            if len(rows):
                columns = [parts[run].numbers for run in runs]
                drawn = resample(columns, rows, self.clusters, seed=self.seed, draws=self.draws)
                found.append(Together(tuple(runs), rows, columns, drawn))
        if 20 * mask.sum() >= len(mask):
            self.kept[key] = found
        return found

    def _estimate(self, group: Together, place: int, *, metric: str, where: Mapping[str, Tag]) -> Estimate:
        """Numbers without spread have no bootstrap interval: core.stats says what theirs is."""
        x, drawn = group.columns[place], group.drawn
        if drawn.clusters == 1 or (x == x[0]).all():
            names = [self.joined.clusters[i] for i in group.rows]
            return stats.estimate(x, clusters=names, seed=self.seed, draws=1, metric=metric, group=where)
        low, high = drawn.interval(place)
        return Estimate(
            metric=metric, group=where, mean=float(x.mean()), low=low, high=high, n=len(x), clusters=drawn.clusters
        )

    def _chance(self, metric: str, rows: Ints) -> float | None:
        levels = self.joined.chance[rows]
        return float(levels.mean()) if metric == "accuracy" and (levels > 0).all() else None

    # ---- pairs of runs ----

    def pairs(self, metric: str, where: Mapping[str, Tag]) -> list[Pair]:
        """Every pair of runs, on the items that both have a number for."""
        groups = self._drawn(metric, where)
        at = {run: (group, place) for group in groups for place, run in enumerate(group.runs)}
        found = []
        for a in sorted(at):
            for b in (run for run in sorted(at) if run > a):
                (left, i), (right, j) = at[a], at[b]
                both, i, j = (left, i, j) if left is right else (self._meet(left, i, right, j), 0, 1)
                if len(both.rows):
                    found.append(self._pair(a, b, both, i, j))
        return found

    def _meet(self, left: Together, i: int, right: Together, j: int) -> Together:
        """Two runs that answered different items: their means per item, where both have one."""
        rows, a, b = _shared(Values(left.rows, left.columns[i]), Values(right.rows, right.columns[j]))
        if not len(rows):
            return Together((), rows, [], left.drawn)
        return Together((), rows, [a, b], resample([a, b], rows, self.clusters, seed=self.seed, draws=self.draws))

    def _pair(self, a: int, b: int, both: Together, i: int, j: int) -> Pair:
        drawn, n = both.drawn, len(both.rows)
        mean = float((both.columns[i] - both.columns[j]).mean())
        if drawn.clusters == 1:
            return Pair(a, b, mean, -1.0, 1.0, 1.0, n, 1)
        means = drawn.means[:, i] - drawn.means[:, j]
        low, high = interval(means, drawn.clusters)
        sums = drawn.totals[:, i] - drawn.totals[:, j]
        p = stats.sign_flip(sums, seed=self.seed, draws=5 * self.draws) if drawn.single else bootstrap_p(means)
        return Pair(a, b, mean, low, high, p, n, drawn.clusters)


@dataclass(frozen=True)
class Together:
    """Runs with numbers for the same items, and their common resampling."""

    runs: tuple[int, ...]
    rows: Ints
    columns: Sequence[Floats]
    drawn: Drawn


Address = tuple[str, tuple[tuple[str, str], ...]]


def _address(metric: str, where: Mapping[str, Tag]) -> Address:
    return (metric, tuple(sorted((name, f"{type(value).__name__}:{value}") for name, value in where.items())))


def _within(values: Values, mask: NDArray[np.bool_]) -> Values:
    chosen = mask[values.rows]
    return Values(values.rows[chosen], values.numbers[chosen])


def _alike(rows: Sequence[Ints]) -> list[list[int]]:
    """Groups of runs that answered exactly the same items."""
    groups: list[list[int]] = []
    for run, own in enumerate(rows):
        for group in groups:
            if np.array_equal(rows[group[0]], own):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def _shared(a: Values, b: Values) -> tuple[Ints, Floats, Floats]:
    """Means per item over the items of both."""
    rows = np.intersect1d(a.rows, b.rows)
    return rows, _item_means(a, rows), _item_means(b, rows)


def _item_means(values: Values, rows: Ints) -> Floats:
    size = int(rows.max()) + 1 if len(rows) else 0
    inside = values.rows < size
    total = np.bincount(values.rows[inside], weights=values.numbers[inside], minlength=size)
    count = np.bincount(values.rows[inside], minlength=size)
    means: Floats = total[rows] / count[rows]
    return means


def same(a: Tag, b: Tag) -> bool:
    """Equal, and both or neither a boolean."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)
