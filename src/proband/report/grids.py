"""A table of the suite filled in: our cells, published figures with the same tags, and a last row over everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.types import Published, Table, Tag
from proband.report import words
from proband.report.cells import Cell, Study, same

Key = tuple[Tag, ...]


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
    def empty(self) -> bool:
        """Whether no run has a number in it, as where the items lack one of its tags."""
        return not any(any(found) for found in self.cells.values())

    @property
    def numeric(self) -> bool:
        """Whether the columns are points on an axis."""
        return len(self.table.columns) == 1 and all(
            isinstance(c[0], (int, float)) and not isinstance(c[0], bool) for c in self.columns
        )

    @property
    def told_by(self) -> tuple[str, ...]:
        """The column tags that differ between columns; the others hold for the whole table."""
        differ = [n for i, n in enumerate(self.table.columns) if len({(type(c[i]), c[i]) for c in self.columns}) > 1]
        return tuple(differ) or self.table.columns[-1:]

    def heading(self, column: Key) -> str:
        """The words above a column."""
        own = [(n, v) for n, v in zip(self.table.columns, column) if n in self.told_by]
        return words.key([n for n, _ in own], [v for _, v in own], everything=words.metric(self.table.metric))

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
