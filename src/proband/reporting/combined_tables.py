"""The means of several tables in one: a line per model and column of the tables, a column per table."""

from __future__ import annotations

from collections.abc import Iterable

from proband.core.metrics import Metric
from proband.core.suite import Analysis, Sheet
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.grids import Grid, Key, differing, fill


def combined_table(study: Study, analysis: Analysis) -> list[Sheet]:
    """A line per model and column of the tables, over all their rows; intervals and tests stand in the tables."""
    named = {table.name: table for table in study.items.suite.tables}
    grids = {head: fill(study, named[name]) for head, name in analysis.tables.items()}
    grids = {head: grid for head, grid in grids.items() if grid.rows}
    lines: dict[tuple[str, Key], dict[str, float | int]] = {}
    for head, grid in grids.items():
        for column in grid.columns:
            for figure in grid.published[grid.rows[-1], column].values():
                lines.setdefault((f"published: {figure.model}", column), {})[head] = shown(figure.value, grid.metric)
    differs = {label: _differs(grids.values(), at) for at, label in enumerate(study.labels)}
    for at, label in enumerate(study.labels):
        for head, grid in grids.items():
            for column in grid.columns:
                if cell := grid.cells[grid.rows[-1], column][at]:
                    line = lines.setdefault((label, column), {})
                    line |= {head: shown(cell.estimate.mean, grid.metric), "runs": cell.runs}
    tags = next(iter(grids.values())).table.columns if grids else ()
    header = ("model", *map(formatting.name, tags), *analysis.tables, "runs")
    rows = tuple((name, *column, *map(line.get, header[1 + len(tags) :])) for (name, column), line in lines.items())
    note = " ".join([*([analysis.note] if analysis.note else []), *differing(differs.items())])
    return [Sheet(name=analysis.name, title=analysis.help, header=header, rows=rows, note=note)]


def _differs(grids: Iterable[Grid], at: int) -> list[str]:
    """In what a system differs from the published figures, in any of the tables."""
    return list(dict.fromkeys(note for grid in grids for note in grid.differs.get((grid.rows[-1], at), ())))


def shown(mean: float, metric: Metric) -> float:
    """Shares in percent."""
    return round(100 * mean, 2) if metric.percent else round(mean, 3)
