"""A table of the suite filled in: our cells, published figures with the same tags, and a last row over everything.

Rows and columns may be tags of items, tags the suite derives, or tags of runs (`run.template`): then the runs that
differ only in those tags share a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from proband.core.files import group_by_key
from proband.core.metrics import SPLITS, Metric, splits_in_words
from proband.core.suite import Published, Table, Where
from proband.core.types import Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import VARIATION, Cell, Study, matches, same
from proband.reporting.numbers.formatting import shared_labels

Key = tuple[Tag, ...]
SPLIT = "split"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table filled in. Row key None is the last row, over all rows together."""

    name: str  # of its files
    table: Table
    metric: Metric
    labels: tuple[str, ...]
    rows: tuple[Key | None, ...]
    columns: tuple[Key, ...]
    cells: Mapping[tuple[Key | None, Key], tuple[Cell | None, ...]]
    published: Mapping[tuple[Key | None, Key], Mapping[str, Published]]  # by published model
    by_system: bool = True  # its lines are the systems of the item set, in their order
    differs: Mapping[tuple[Key | None, int], Sequence[str]] = field(default_factory=dict)  # lines from published ones
    hues: tuple[int, ...] = ()  # the number of the colour of each line; in turn, where there is none
    scope: str = ""  # the items that are counted, in words; empty where its headings name their splits
    asked: str = ""  # how each model was asked, in words

    def hue(self, line: int) -> int:
        return self.hues[line] if self.hues else line

    @property
    def empty(self) -> bool:
        """Whether no run has a number in it, as where the items lack one of its tags."""
        return not self.filled

    @property
    def numeric(self) -> bool:
        """Whether the columns are points on an axis."""
        return len(self.table.columns) == 1 and all(
            isinstance(c[0], (int, float)) and not isinstance(c[0], bool) for c in self.columns
        )

    @property
    def differing_tags(self) -> tuple[str, ...]:
        """The column tags that differ between columns; the others hold for the whole table."""
        differ = [n for i, n in enumerate(self.table.columns) if len({(type(c[i]), c[i]) for c in self.columns}) > 1]
        return tuple(differ) or self.table.columns[-1:]

    @cached_property
    def filled(self) -> list[Cell]:
        """Every cell that has a number."""
        return [cell for systems in self.cells.values() for cell in systems if cell is not None]

    @property
    def has_chance(self) -> bool:
        return any(cell.chance is not None for cell in self.filled)

    @property
    def has_few(self) -> bool:
        """Whether a cell has too few clusters for an interval."""
        return any(cell.estimate.few for cell in self.filled)

    @property
    def level(self) -> str:
        """What a score has to beat, in words."""
        shortcut = any(cell.level_name != "chance" for cell in self.filled)
        return "the best shortcut (where it is higher than chance)" if shortcut else "chance"

    def chance_at(self, row: Key | None, column: Key) -> float | None:
        """The chance level of a cell, which is that of its items."""
        cells = self.cells.get((row, column), ())
        return next((cell.chance for cell in cells if cell is not None and cell.chance is not None), None)

    @property
    def value_range(self) -> tuple[float, float]:
        """Wide enough for every interval, chance level and published figure, and rounded outward."""
        ends = [(e.mean,) if e.few else (e.low, e.high) for e in (cell.estimate for cell in self.filled)]
        values = [end for each in ends for end in each]
        values += [cell.chance for cell in self.filled if cell.chance is not None]
        values += [figure.value for cell in self.published.values() for figure in cell.values()]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        step = 0.1 if self.metric.percent else 10 ** math.floor(math.log10(max(high - low, abs(high), 1e-6))) / 2
        low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
        return (low, high) if high > low else (low - step, high + step)

    def heading(self, column: Key) -> str:
        """The words above a column."""
        own = [(n, v) for n, v in zip(self.table.columns, column) if n in self.differing_tags]
        return formatting.key([n for n, _ in own], [v for _, v in own], everything=formatting.with_arrow(self.metric))

    @property
    def footnotes(self) -> list[str]:
        """In what our lines differ from the published figures beside them."""
        return differing(((self.labels[line], notes) for (_, line), notes in self.differs.items()))

    def others(self, row: Key | None) -> list[str]:
        """The published models that have a figure in this row."""
        return list(dict.fromkeys(model for c in self.columns for model in self.published.get((row, c), {})))


def tip(grid: Grid, run: int, row: Key | None, column: Key, cell: Cell) -> str:
    """The words of a tooltip."""
    e, metric = cell.estimate, grid.metric
    lines = [
        grid.labels[run],
        place(grid, row, column),
        f"{formatting.figure(e.mean, metric)} {formatting.span(e, metric)}",
        formatting.spread(cell.sd, cell.runs, metric),
        "" if e.from_seeds is None else f"{100 * e.from_seeds:.0f}% of the variance from training seeds",
        f"{formatting.count(e.n, 'answer')} in {formatting.count(e.clusters, 'cluster')}",
        e.note,
        f"{100 * cell.unread:.1f}% of the replies unread (counted as wrong)" if cell.unread else "",
        f"{formatting.count(cell.skipped, 'item')} skipped (not counted)" if cell.skipped else "",
        f"{formatting.count(cell.uncovered, 'item')} not covered (not counted)" if cell.uncovered else "",
    ]
    levels = (("chance", cell.chance), ("best shortcut", cell.shortcut))
    lines += [f"{name} {formatting.figure(level, metric)}" for name, level in levels if level is not None]
    if cell.against_level:
        lines[-1] += f": {cell.against_level} {cell.level_name}"
    return "\n".join(filter(None, lines))


def published_tip(grid: Grid, figure: Published, row: Key | None, column: Key) -> str:
    value = formatting.figure(figure.value, grid.metric)
    lines = [f"{figure.model} (published)", place(grid, row, column), value, figure.source]
    return "\n".join(filter(None, lines))


def place(grid: Grid, row: Key | None, column: Key) -> str:
    """`ES · reverse`, naming only what the table splits by."""
    parts = [formatting.key(grid.table.rows, row)] if grid.table.rows else []
    return " · ".join([*parts, *([grid.heading(column)] if column else [])])


# ---- counting the cells ----------------------------------------------------------------------------------------------


def fill(study: Study, table: Table) -> Grid:
    """Count every cell of a table."""
    metric = study.items.suite.metric(table.metric)
    rows, columns = keys_of(study, table, table.rows), keys_of(study, table, table.columns)
    of_runs = any(name.startswith("run.") for name in table.rows)  # all templates together mean nothing
    of_runs = of_runs or SPLIT in table.rows  # and so do training and test items
    lines: list[Key | None] = [*rows, None] if table.rows and len(rows) > 1 and not of_runs else list(rows)
    labels, members = _lines(study, table)
    cells, published = {}, {}
    every = [f for f in comparable(study.items.suite.published(), study.items.manifest) if f.metric == table.metric]
    counted: Where = {SPLIT: study.splits, **table.where}
    for row in lines:
        for column in columns:
            own = dict(zip(table.columns, column)) | (dict(zip(table.rows, row)) if row is not None else {})
            systems = study.cell(metric, {**table.where, **own}, macro=table.macro)
            cells[row, column] = tuple(next((systems[at] for at in of if systems[at]), None) for of in members)
            published[row, column] = {f.model: f for f in every if _belongs(f, own, counted)}
    columns = [c for c in columns if any(any(cells[row, c]) or published[row, c] for row in lines)] or columns[:1]
    if SPLIT in table.rows:  # a split that nobody was asked
        lines = [row for row in lines if any(any(cells[row, c]) or published[row, c] for c in columns)]
    return Grid(
        name=f"{study.key}-{table.name}",
        table=table,
        metric=metric,
        labels=labels,
        rows=tuple(lines),
        columns=tuple(columns),
        cells=cells,
        published=published,
        by_system=labels == study.labels,
        differs=_differs(study, lines, columns, cells, published, members),
        hues=study.hues if labels == study.labels else (),
        asked=study.how_asked if labels == study.labels else "",
        scope="" if SPLIT in (*table.rows, *table.columns) else splits_in_words(_several(counted[SPLIT])),
    )


def _several(value: Tag | tuple[Tag, ...]) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _differs(
    study: Study,
    rows: Sequence[Key | None],
    columns: Sequence[Key],
    cells: Mapping[tuple[Key | None, Key], Sequence[Cell | None]],
    published: Mapping[tuple[Key | None, Key], Mapping[str, Published]],
    members: Sequence[Sequence[int]],
) -> dict[tuple[Key | None, int], list[str]]:
    """In what each line of ours differs from the published figures in its row."""
    notes_of = {}
    for row in rows:
        for at, systems in enumerate(members):
            beside = [
                (figure, cell.estimate.n)
                for column in columns
                if (cell := cells[row, column][at])
                for figure in published[row, column].values()
            ]
            if notes := differences(beside, study.items.manifest, study.systems[systems[0]].tags):
                notes_of[row, at] = notes
    return notes_of


def _lines(study: Study, table: Table) -> tuple[tuple[str, ...], list[list[int]]]:
    """The labels of a table's lines, and the systems that share each."""
    used = [name for name in (*table.rows, *table.columns) if name.startswith("run.")]
    if not used:
        return study.labels, [[at] for at in range(len(study.systems))]
    runs = [study.items.runs[system.runs[0]] for system in study.systems]
    pooled = [system.tags["run.model"] != run.model for system, run in zip(study.systems, runs, strict=True)]
    names = shared_labels(runs, pooled=pooled, without=used)
    labels = tuple(dict.fromkeys(names))
    return labels, [[at for at, name in enumerate(names) if name == label] for label in labels]


def _belongs(figure: Published, own: Mapping[str, Tag], where: Where) -> bool:
    """A published figure is in the cell with exactly its tags; tags that hold for the whole table may be named. No
    figure of a paper is of training items."""
    known = {**where, **own}
    if "train" in _several(known[SPLIT]):
        return False
    return own.keys() <= figure.group.keys() <= known.keys() and all(
        matches(value, known[name]) for name, value in figure.group.items()
    )


def keys_of(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    """The combinations of these tags that occur, in the table's order."""
    if not names:
        return [()]
    of_items = [name for name in names if not name.startswith("run.")]
    of_runs = [name for name in names if name.startswith("run.")]
    keys = [
        tuple({**dict(zip(of_items, one)), **dict(zip(of_runs, other))}[name] for name in names)
        for one, other in product(_item_keys(study, table, of_items), _run_keys(study, table, of_runs))
    ]
    return sorted(keys, key=lambda key: [_place(table, name, value) for name, value in zip(names, key)])


def _item_keys(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    tags = study.arrays.tags
    every = [name for name in (*table.rows, *table.columns) if not name.startswith("run.")]
    if any(name not in tags for name in every):
        return []
    if not names:
        return [()]
    free: Where = {SPLIT: SPLITS, VARIATION: tuple(tags[VARIATION].values) if VARIATION in tags else ()}
    mask = study.mask({**table.where, **{name: free[name] for name in free if name in every}})
    for name in every:
        mask &= tags[name].codes >= 0
    codes = np.unique(np.column_stack([tags[name].codes[mask] for name in names]), axis=0)
    return [tuple(tags[name].values[code] for name, code in zip(names, line)) for line in codes]


def _run_keys(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    runs = [study.systems[at].tags for at in study.selected(table.where)]
    return list(dict.fromkeys(tuple(tags[n] for n in names) for tags in runs if all(n in tags for n in names)))


def _place(table: Table, name: str, value: Tag) -> tuple[int, float, str]:
    """First the values the table orders, then numbers by size, then words by alphabet."""
    for at, known in enumerate(table.order.get(name, ())):
        if same(known, value):
            return (0, at, "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (1, float(value), "")
    return (2, 0.0, str(value))


# ---- like next to like: which published figures may be shown next to ours, and in what our lines differ --------------


NEARLY = 0.98  # of the published number of questions: a few items without a negative are no other measurement


def comparable(figures: Iterable[Published], manifest: Mapping[str, Any]) -> list[Published]:
    """The figures that were measured on the data of this manifest, known by its content."""
    return [figure for figure in figures if manifest.get("fingerprint") in figure.on.fingerprints]


def differences(
    cells: Iterable[tuple[Published, int]], manifest: Mapping[str, Any], tags: Mapping[str, Tag]
) -> list[str]:
    """In what a line of ours differs from the published figures next to it: (figure, our questions in the cell)."""
    conditions: dict[str, None] = {}
    shares: list[float] = []
    for figure, questions in cells:
        conditions.update(dict.fromkeys(_conditions(figure, manifest, tags)))
        if figure.on.questions:
            shares.append(questions / figure.on.questions)
    fewer, more = min(shares, default=1.0), max(shares, default=1.0)
    sizes = [f"{100 * fewer:.3g} % of the questions of the published rows"] if fewer < NEARLY else []
    if more > 1 / NEARLY:
        sizes.append(f"{more:.3g} times the questions of the published rows: others are among them")
    return [*conditions, *sizes]


def _conditions(figure: Published, manifest: Mapping[str, Any], tags: Mapping[str, Tag]) -> Iterator[str]:
    """
    >>> from proband.core.suite import MeasuredOn
    >>> on = MeasuredOn(data="D", fingerprints=frozenset(), conditions={"options": 2, "run.hidden": 128, "k": 3})
    >>> figure = Published(model="m", metric="accuracy", group={}, value=0.5, source="p", on=on)
    >>> list(_conditions(figure, {"conditions": {"options": 4, "k": 3}}, {"run.hidden": 256}))
    ['options: 4, published 2', 'hidden: 256, published 128']
    """
    ours = manifest.get("conditions", {})
    of_runs = {name for name in figure.on.conditions if name.startswith("run.")}
    for name, value in figure.on.conditions.items():
        of_run = name in of_runs
        if of_run and not of_runs <= tags.keys():
            continue  # of another kind of system
        here = tags[name] if of_run else ours.get(name, "not known")
        if here != value:
            yield f"{name.removeprefix('run.')}: {here}, published {value}"


def differing(notes: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """A sentence per note, with the lines that it is about.

    >>> differing([("a", ["few"]), ("b", ["few", "other"])])
    ['a, b differ from the published figures: few.', 'b differs from the published figures: other.']
    """
    lines = group_by_key((note, label) for label, each in notes for note in each)
    return [
        f"{', '.join(dict.fromkeys(labels))} {'differ' if len(set(labels)) > 1 else 'differs'} from the published "
        f"figures: {note}."
        for note, labels in lines.items()
    ]
