"""One relation in several suites: what a model knows of parent and child as a probe, in a story, in an inference."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Sheet
from proband.report.numbers import words
from proband.report.numbers.cells import Cell, Study
from proband.report.numbers.systems import BY_THEMSELVES

NOTE = (
    "The main metric of each suite over its items of the relation (percent where it is a share), with its 95% interval "
    "and chance level. Numbers of different suites are not on the same scale: compare each with its chance level. A "
    "model that was run with several solvers has one number for each."
)


def across_suites(studies: Sequence[Study]) -> Sheet | None:
    """A line per relation that two suites or more have, and model; a column per item set; None if nothing is shared."""
    shared: dict[str, list[Study]] = {}
    for study in studies:
        for relation in study.items.suite.relations:
            shared.setdefault(relation, []).append(study)
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
    found: dict[str, dict[str, str]] = {}
    suites: dict[str, set[str]] = {}
    for study in own:
        cells = study.cell(study.main, study.items.suite.relations[relation])
        by_model: dict[str, list[tuple[str, Cell]]] = {}
        for system, cell in zip(study.systems, cells):
            if cell is not None:
                by_model.setdefault(str(system.tags["run.model"]), []).append((str(system.tags["run.solver"]), cell))
        for model, given in by_model.items():
            found.setdefault(model, {})[study.key] = "; ".join(_shown(study, *each) for each in given)
            suites.setdefault(model, set()).add(study.items.suite.name)
    return [
        (relation, model, *(texts.get(study.key, "") for study in studies))
        for model, texts in found.items()
        if len(suites[model]) > 1
    ]


def _shown(study: Study, solver: str, cell: Cell) -> str:
    e, metric = cell.estimate, study.main
    parts = [] if solver in BY_THEMSELVES else [f"{solver}:"]
    parts += [words.figure(e.mean, metric), words.span(e, metric)]
    return " ".join([*parts, *([f"chance {words.figure(cell.chance, metric)}"] if cell.chance is not None else [])])
