"""Tables over several others: one relation in several suites (what a model knows of parent and child as a probe, in a
story, in an inference), and the means of several tables in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proband.core.files import group_by_key
from proband.core.metrics import Metric
from proband.core.suite import Analysis, Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell, Study
from proband.reporting.numbers.grids import Grid, Key, fill, signs
from proband.reporting.numbers.words import BY_THEMSELVES

NOTE = (
    "The main metric of each suite over its items of the relation (percent where it is a share), with its 95% interval "
    "and chance level. Numbers of different suites are not on the same scale: compare each with its chance level. A "
    "model that was run with several solvers has one number for each."
)


def across_suites(studies: Sequence[Study]) -> Sheet | None:
    """A line per relation that two suites or more have, and model; a column per item set; None if nothing is shared."""
    shared = group_by_key((relation, study) for study in studies for relation in study.items.suite.relations)
    rows = []
    for relation, own in shared.items():
        if len({study.items.suite.name for study in own}) > 1:
            rows += _lines(relation, own, studies)
    if not rows:
        return None
    used = [at for at in range(len(studies)) if any(row[2 + at] for row in rows)]
    header = ("relation", "model", *(_heading(studies[at]) for at in used))
    kept = tuple((*row[:2], *(row[2 + at] or "–" for at in used)) for row in rows)
    return Sheet(name="relations", title="A relation across suites", header=header, rows=kept, note=NOTE)


def _heading(study: Study) -> str:
    kind = study.items.suite.shown_as or study.items.suite.name
    return f"{kind} ({study.name}, {words.metric(study.main)}, {study.scope})"


def _lines(relation: str, own: Sequence[Study], studies: Sequence[Study]) -> list[tuple[str, ...]]:
    """The models that have a number in two suites at least, by their names alone."""
    results: dict[str, dict[str, str]] = {}
    suites: dict[str, set[str]] = {}
    for study in own:
        cells = study.cell(study.main, study.items.suite.relations[relation])
        by_model = group_by_key(
            (str(system.tags["run.model"]), (str(system.tags["run.solver"]), cell))
            for system, cell in zip(study.systems, cells)
            if cell is not None
        )
        for model, given in by_model.items():
            results.setdefault(model, {})[study.key] = "; ".join(_shown(study, *each) for each in given)
            suites.setdefault(model, set()).add(study.items.suite.name)
    return [
        (relation, model, *(texts.get(study.key, "") for study in studies))
        for model, texts in results.items()
        if len(suites[model]) > 1
    ]


def _shown(study: Study, solver: str, cell: Cell) -> str:
    e, metric = cell.estimate, study.main
    parts = [] if solver in BY_THEMSELVES else [f"{solver}:"]
    parts += [words.figure(e.mean, metric), words.span(e, metric)]
    return " ".join([*parts, *([f"chance {words.figure(cell.chance, metric)}"] if cell.chance is not None else [])])


# ---- several tables in one -------------------------------------------------------------------------------------------


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
    sign = signs(differs)
    for at, label in enumerate(study.labels):
        name = label + "".join(sign[note] for note in differs[label])
        for head, grid in grids.items():
            for column in grid.columns:
                if cell := grid.cells[grid.rows[-1], column][at]:
                    line = lines.setdefault((name, column), {})
                    line |= {head: shown(cell.estimate.mean, grid.metric), "runs": cell.runs}
    tags = next(iter(grids.values())).table.columns if grids else ()
    header = ("model", *map(words.name, tags), *analysis.tables, "runs")
    rows = tuple((name, *column, *map(line.get, header[1 + len(tags) :])) for (name, column), line in lines.items())
    note = " ".join([*([analysis.note] if analysis.note else []), *(f"{sign[text]} {text}." for text in sign)])
    return [Sheet(name=analysis.name, title=analysis.help, header=header, rows=rows, note=note)]


def _differs(grids: Iterable[Grid], at: int) -> list[str]:
    """In what a system differs from the published figures, in any of the tables."""
    return list(dict.fromkeys(note for grid in grids for note in grid.differs.get((grid.rows[-1], at), ())))


def shown(mean: float, metric: Metric) -> float:
    """Shares in percent."""
    return round(100 * mean, 2) if metric.percent else round(mean, 3)
