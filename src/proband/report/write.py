"""`proband report`: runs in, one folder out that opens from disk."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import write_json, write_text
from proband.core.progress import Progress
from proband.core.types import Table
from proband.report import words
from proband.report.browse import write_browser
from proband.report.cells import Study
from proband.report.collect import Loaded, join
from proband.report.compare import comparisons, contrasts
from proband.report.figures import WIDE, kind
from proband.report.grids import Grid, fill
from proband.report.marks import can_paint, paint, svg
from proband.report.page import Section, page
from proband.report.tables import comma_separated, latex, markdown

NO_PLOTS = "PNG and PDF figures were not written: they need matplotlib (pip install 'proband[plots]')."


def write_report(
    loaded: Sequence[Loaded],
    *,
    out: Path,
    title: str | None = None,
    seed: int = 0,
    draws: int = 2000,
    progress: Callable[..., Any] = Progress,
) -> dict[str, Any]:
    """Write index.html, report.json, tables/, figures/ and data/ into `out`; returns where it is and what
    stands out; the numbers are in report.json.

    `progress(what, total=...)` opens a progress bar (core.progress.Progress).
    """
    joined = join(loaded)
    if draws < 100:
        raise ProbandError(f"{draws} draws are too few for an interval; at least 100")
    total = sum(2 + len(each.loaded.suite.tables) for each in joined)
    sections = []
    with progress("report", total=total) as bar:
        for each in joined:
            study = Study(each, seed=seed, draws=draws)
            sections.append(_section(study, out, bar.advance))
            bar.advance()
    missing = "" if can_paint() else NO_PLOTS
    name = title or "Proband report: " + ", ".join(dict.fromkeys(s.study.joined.loaded.suite.name for s in sections))
    write_text(out / "index.html", page(sections, title=name, missing=missing))
    write_json(out / "report.json", _summary(sections, title=name, missing=missing))
    return {
        "page": str(out / "index.html"),
        "models": len({run.model for each in joined for run, _ in each.loaded.runs}),
        "items": sum(len(each.loaded.items) for each in joined),
        "answers": sum(len(answers) for each in joined for _, answers in each.loaded.runs),
        "said": [sentence for section in sections for sentence in section.said],
        **({"missing": missing} if missing else {}),
    }


def _section(study: Study, out: Path, advance: Callable[[], None]) -> Section:
    joined = study.joined
    overall = fill(study, Table(name="headline", title="All items", rows=(), columns=(), metric=joined.main))
    grids = []
    for table in joined.loaded.suite.tables:
        grid = fill(study, table)
        if not grid.empty:
            grids.append(grid)
            _write_grid(grid, out)
        advance()
    _write_grid(overall, out)
    first = next((grid for grid in grids if grid.table.metric == joined.main and grid.columns and grid.rows), None)
    compared = comparisons(study, first)
    section = Section(
        study=study,
        overall=overall,
        grids=tuple(grids),
        compared=tuple(compared),
        said=tuple(contrasts(study, first, compared)),
        browsed=write_browser(study, out / "data"),
    )
    advance()
    return section


def _write_grid(grid: Grid, out: Path) -> None:
    """The table in three formats, the figure in three (one without matplotlib)."""
    for end, write in (("md", markdown), ("tex", latex), ("csv", comma_separated)):
        write_text(out / "tables" / f"{grid.name}.{end}", write(grid))
    if grid.empty:
        return
    picture = kind(grid)(grid, WIDE)
    write_text(out / "figures" / f"{grid.name}.svg", svg(picture))
    if can_paint():
        paint(picture, [out / "figures" / f"{grid.name}.{end}" for end in ("png", "pdf")])


def _summary(sections: Sequence[Section], *, title: str, missing: str) -> dict[str, Any]:
    """All estimates and comparisons, for machines."""
    return {"title": title, "missing": missing, "sets": [_set_summary(section) for section in sections]}


def _set_summary(section: Section) -> dict[str, Any]:
    joined = section.study.joined
    runs = [
        {"label": label, "model": run.model, "solver": run.solver, "seed": run.seed, "answers": len(answers)}
        for label, (run, answers) in zip(joined.labels, joined.loaded.runs)
    ]
    return {
        "key": joined.key,
        "suite": joined.loaded.suite.name,
        "source": joined.loaded.source,
        "items": len(joined.loaded.items),
        "items_sha": joined.loaded.runs[0][0].items_sha,
        "metric": joined.main,
        "bootstrap": {"draws": section.study.draws, "seed": section.study.seed, "level": 0.95},
        "runs": runs,
        "tables": [_grid_summary(grid) for grid in (section.overall, *section.grids)],
        "comparisons": [dataclasses.asdict(c) | {"verdict": c.verdict} for c in section.compared],
        "said": list(section.said),
    }


def _grid_summary(grid: Grid) -> dict[str, Any]:
    estimates = []
    for (row, column), found in grid.cells.items():
        for label, cell in zip(grid.labels, found):
            if cell is not None:
                tags = dict(zip(grid.table.columns, column)) | dict(zip(grid.table.rows, row or ()))
                plain = dataclasses.asdict(dataclasses.replace(cell.estimate, group=tags))
                estimates.append({"model": label, **plain, "chance": cell.chance})
    published = [dataclasses.asdict(figure) for cell in grid.published.values() for figure in cell.values()]
    return {
        "name": grid.name,
        "title": grid.table.title,
        "metric": grid.table.metric,
        "where": words_where(grid),
        "estimates": estimates,
        "published": published,
    }


def words_where(grid: Grid) -> dict[str, str]:
    return {name: words.tag(value) for name, value in grid.table.where.items()}
