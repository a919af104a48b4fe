"""The means of several tables in one: a line per model and column of the tables, a column per table."""

from __future__ import annotations

from proband.core.metrics import Metric
from proband.core.suite import Analysis, Sheet
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Cell, Study
from proband.reporting.numbers.score_tables import Key, differing, fill


def combined_table(study: Study, analysis: Analysis) -> list[Sheet]:
    """A line per model and column of the tables, over all their rows; intervals and tests stand in the tables."""
    named = {table.name: table for table in study.items.suite.tables}
    tables = {head: fill(study, named[name]) for head, name in analysis.tables.items()}
    lines: dict[tuple[str, Key], dict[str, float | int]] = {}
    differs: dict[str, dict[str, None]] = {}
    last = [(head, table, line) for head, table in tables.items() if table.lines for line in table.groups[-1]]
    for head, table, line in sorted(last, key=lambda each: each[2].run is not None):  # published ones first
        for column, cell in zip(table.columns, line.cells or line.figures):
            if cell:
                ours = isinstance(cell, Cell)
                own = lines.setdefault((line.label if ours else f"published: {line.label}", column), {})
                own[head] = shown(cell.estimate.mean if isinstance(cell, Cell) else cell.value, table.metric)
                own |= {"runs": cell.runs} if isinstance(cell, Cell) else {}
        differs.setdefault(line.label, {}).update(dict.fromkeys(line.differs))
    tags = next((table.table.columns for table in tables.values()), ())
    header = ("model", *map(formatting.name, tags), *analysis.tables, "runs")
    rows = tuple((name, *column, *map(line.get, header[1 + len(tags) :])) for (name, column), line in lines.items())
    note = " ".join(filter(None, [analysis.note, *differing((name, list(each)) for name, each in differs.items())]))
    return [Sheet(name=analysis.name, title=analysis.help, header=header, rows=rows, note=note)]


def shown(mean: float, metric: Metric) -> float:
    """Shares in percent."""
    return round(100 * mean, 2) if metric.percent else round(mean, 3)
