"""Cells: the mean of a metric over the items with certain tags, per run, with its interval and its chance level.

A Study answers for one item set; asked twice for the same cell it counts once. A Grid is a Table of the suite
filled in: our cells, the published figures that have the same tags, and a last row over everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core import stats
from proband.core.types import Estimate, Published, Table, Tag
from proband.report.collect import Floats, Ints, Joined, Values
from proband.report.resample import Resampled, resample, sign_flip

Key = tuple[Tag, ...]


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
        self.known: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[Cell | None, ...]] = {}

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
        key = (metric, tuple(sorted((name, f"{type(value).__name__}:{value}") for name, value in where.items())))
        if key not in self.known:
            self.known[key] = self._count(metric, where)
        return self.known[key]

    def _count(self, metric: str, where: Mapping[str, Tag]) -> tuple[Cell | None, ...]:
        mask = self.mask(where)
        parts = [_within(values, mask) for values in self.joined.metrics[metric]]
        cells: list[Cell | None] = [None] * len(parts)
        for together in _alike([part.rows for part in parts]):
            rows = parts[together[0]].rows
            if not len(rows):
                continue
            clusters = [self.joined.clusters[i] for i in rows]
            chance = self._chance(metric, rows)
            columns = [parts[run].numbers for run in together]
            for run, found in zip(together, self._estimates(columns, clusters, metric=metric, group=where)):
                cells[run] = Cell(found, chance)
        return tuple(cells)

    def _estimates(
        self, columns: Sequence[Floats], clusters: Sequence[tuple[str, ...]], *, metric: str, group: Mapping[str, Tag]
    ) -> list[Estimate]:
        """Numbers without spread need no draws: core.stats says what their interval is."""
        spread = [i for i, x in enumerate(columns) if (x != x[0]).any()] if len(set(clusters)) > 1 else []
        drawn = resample([columns[i] for i in spread], clusters, seed=self.seed, draws=self.draws) if spread else None
        out = []
        for i, x in enumerate(columns):
            if drawn is None or i not in spread or drawn.clusters == 1:
                out.append(stats.estimate(x, clusters=clusters, seed=self.seed, draws=1, metric=metric, group=group))
                continue
            low, high = stats.interval(drawn.means[:, spread.index(i)], drawn.clusters, level=0.95)
            mean = float(x.mean())
            out.append(
                Estimate(metric=metric, group=group, mean=mean, low=low, high=high, n=len(x), clusters=drawn.clusters)
            )
        return out

    def _chance(self, metric: str, rows: Ints) -> float | None:
        levels = self.joined.chance[rows]
        return float(levels.mean()) if metric == "accuracy" and (levels > 0).all() else None

    # ---- pairs of runs ----

    def pairs(self, metric: str, where: Mapping[str, Tag]) -> list[Pair]:
        """Every pair of runs, on the items that both have a number for."""
        mask = self.mask(where)
        parts = [_within(values, mask) for values in self.joined.metrics[metric]]
        runs = [run for run, part in enumerate(parts) if len(part.rows)]
        every = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
        if not every:
            return []
        if len(_alike([parts[run].rows for run in runs])) == 1:
            columns = {run: parts[run].numbers for run in runs}
            drawn = self._drawn([columns[run] for run in runs], parts[runs[0]].rows)
            return [self._pair(a, b, columns, drawn, (runs.index(a), runs.index(b))) for a, b in every]
        found = []
        for a, b in every:
            rows, left, right = _shared(parts[a], parts[b])
            if len(rows):
                found.append(self._pair(a, b, {a: left, b: right}, self._drawn([left, right], rows), (0, 1)))
        return found

    def _drawn(self, columns: Sequence[Floats], rows: Ints) -> Resampled:
        clusters = [self.joined.clusters[i] for i in rows]
        return resample(columns, clusters, seed=self.seed, draws=self.draws)

    def _pair(self, a: int, b: int, columns: Mapping[int, Floats], drawn: Resampled, at: tuple[int, int]) -> Pair:
        difference = columns[a] - columns[b]
        mean, n, clusters = float(difference.mean()), len(difference), drawn.clusters
        if clusters == 1:
            return Pair(a, b, mean, -1.0, 1.0, 1.0, n, clusters)
        means = drawn.means[:, at[0]] - drawn.means[:, at[1]]
        low, high = stats.interval(means, clusters, level=0.95)
        sums = drawn.grouped[at[0]].total - drawn.grouped[at[1]].total
        p = sign_flip(sums, seed=self.seed, draws=5 * self.draws) if drawn.single else stats.bootstrap_p(means)
        return Pair(a, b, mean, low, high, p, n, clusters)


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


# ---- grids ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table filled in. Row key None is the last row, over all rows together."""

    name: str  # of its files
    table: Table
    labels: tuple[str, ...]
    percent: bool
    rows: tuple[Key | None, ...]
    columns: tuple[Key, ...]
    cells: Mapping[tuple[Key | None, Key], tuple[Cell | None, ...]]
    published: Mapping[tuple[Key | None, Key], Mapping[str, Published]]  # by published model

    @property
    def numeric(self) -> bool:
        """Whether the columns are points on an axis."""
        return len(self.table.columns) == 1 and all(
            isinstance(c[0], (int, float)) and not isinstance(c[0], bool) for c in self.columns
        )

    def others(self, row: Key | None) -> list[str]:
        """The published models that have a figure in this row."""
        return list(dict.fromkeys(model for c in self.columns for model in self.published.get((row, c), {})))


def fill(study: Study, table: Table) -> Grid:
    """Count every cell of a table."""
    rows = _keys(study, table, table.rows)
    columns = _keys(study, table, table.columns)
    lines: list[Key | None] = [*rows, None] if table.rows and len(rows) > 1 else list(rows)
    cells, published = {}, {}
    every = [figure for figure in study.joined.loaded.suite.published() if figure.metric == table.metric]
    for row in lines:
        for column in columns:
            own = dict(zip(table.columns, column)) | (dict(zip(table.rows, row)) if row is not None else {})
            cells[row, column] = study.cell(table.metric, {**table.where, **own})
            published[row, column] = {f.model: f for f in every if _belongs(f, own, table.where)}
    return Grid(
        name=f"{study.joined.key}-{table.name}",
        table=table,
        labels=study.joined.labels,
        percent=study.percent(table.metric),
        rows=tuple(lines),
        columns=tuple(columns),
        cells=cells,
        published=published,
    )


def _belongs(figure: Published, own: Mapping[str, Tag], where: Mapping[str, Tag]) -> bool:
    """A published figure stands in the cell with exactly its tags; tags that hold for the whole table may be named."""
    named = {name: value for name, value in figure.group.items() if name not in where or name in own}
    if any(not same(where[name], value) for name, value in figure.group.items() if name in where and name not in own):
        return False
    return named.keys() == own.keys() and all(same(own[name], value) for name, value in named.items())


def _keys(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    """The combinations of these tags that occur, in the table's order."""
    if not names:
        return [()]
    tags = study.joined.tags
    if any(name not in tags for name in (*table.rows, *table.columns)):
        return []
    mask = study.mask(table.where)
    for name in (*table.rows, *table.columns):
        mask &= tags[name].codes >= 0
    codes = np.unique(np.column_stack([tags[name].codes[mask] for name in names]), axis=0)
    keys = [tuple(tags[name].values[code] for name, code in zip(names, line)) for line in codes]
    return sorted(keys, key=lambda key: [_place(table, name, value) for name, value in zip(names, key)])


def _place(table: Table, name: str, value: Tag) -> tuple[int, float, str]:
    """First the values the table orders, then numbers by size, then words by alphabet."""
    for at, known in enumerate(table.order.get(name, ())):
        if same(known, value):
            return (0, at, "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (1, float(value), "")
    return (2, 0.0, str(value))
