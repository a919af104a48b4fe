"""`proband report`: item sets with their runs in, one folder out that opens from disk."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, cast

import msgspec

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.progress import Progress
from proband.core.statistics.clusters import FEW
from proband.core.suite import Claim, Published, Results, Suite, Table
from proband.core.text import slug
from proband.report.claims import as_sheet, chosen, judge
from proband.report.draw.marks import MODELS, can_paint
from proband.report.folder import Folder
from proband.report.numbers import words
from proband.report.numbers.cells import Study
from proband.report.numbers.comparisons import comparisons
from proband.report.numbers.grids import Grid, fill
from proband.report.numbers.sentences import sentences
from proband.report.numbers.sources import ItemSet, names
from proband.report.numbers.systems import unique
from proband.report.page.browse import write_browser
from proband.report.page.page import PAGES, Section, pages
from proband.report.page.panel import sheet_file
from proband.report.tables.relations import across_suites
from proband.report.tables.replies import prompt_spread, unread_warnings
from proband.report.tables.side_by_side import side_by_side

NO_PLOTS = "PNG and PDF figures were not written: they need matplotlib (pip install 'proband[plots]')."


def write_report(
    sets: Sequence[ItemSet],
    *,
    out: Path,
    title: str | None = None,
    seed: int = 0,
    tables: Sequence[str] | None = None,
    claims: bool | Sequence[str] = False,
    analyses: Sequence[str] = (),
    split: str = "",
    force: bool = False,
    findings: Mapping[str, Sequence[Claim]] | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Write index.html, a page per item set, report.json, tables/, figures/ and data/ into `out`; files of an earlier
    report that this one does not have are removed, files that no report wrote are only written over with `force`.
    Returns where it is and what stands out; the numbers are in report.json.

    `tables` names the tables to write (default: those that are not only for studies), `analyses` the analyses to run;
    with `claims` the suites' claims are tested, or those whose statement contains one of these texts.
    `split`: the items that are scored (core/metrics.py). `findings` (by suite) are tested too and stated first on the
    overview, followed by `notes` (a sentence and a link).
    """
    _check(sets, tables=tables, analyses=analyses, claims=claims)
    folder, findings = Folder(out, force=force), findings or {}
    keys = unique([*PAGES, *(slug(each.suite.name) for each in sets)])[len(PAGES) :]
    studies: list[Study] = []
    sections: list[Section] = []
    total = sum(3 + len(_chosen(each.suite, tables)) for each in sets)
    with Progress("report", total=total) as bar:
        for each, key in zip(sets, keys):
            used = _metrics(each.suite, tables=tables, claims=claims, analyses=analyses)
            used += [each.suite.metric(name) for name in _metrics_of(findings.get(each.suite.name, ()))]
            studies.append(Study(each, used, key=key, seed=seed, split=split))
            studies[-1].rank()
            bar.advance()
        for study, name in zip(studies, names(sets, keys)):
            study.name = name
        colour(studies)
        for study in studies:
            sections.append(_section(study, folder, tables=tables, analyses=analyses, advance=bar.advance))
    across = across_suites(studies)
    if across is not None:
        folder.sheet(across, across.name)
    asked = {each.suite.name: chosen(each.suite.claims, claims) for each in sets} if claims else {}
    verdicts = judge([(section.study, section.sheets) for section in sections], asked) if claims else []
    if claims:
        folder.sheet(as_sheet(verdicts, {study.key: study.name for study in studies}), "claims")
        folder.json("claims.json", {"claims": _plain(verdicts)})
    learnt = judge([(section.study, section.sheets) for section in sections], findings) if findings else []
    missing = "" if can_paint() else NO_PLOTS
    name = title or "Proband report: " + ", ".join(dict.fromkeys(each.suite.name for each in sets))
    made = pages(sections, title=name, claims=verdicts, across=across, missing=missing, learnt=learnt, notes=notes)
    for file, text in made.items():
        folder.text(file, text)
    summary = {
        "title": name,
        "missing": missing,
        "findings": _plain(learnt),
        "sets": [_set_summary(section) for section in sections],
    }
    folder.finish(summary | ({"claims": _plain(verdicts)} if claims else {}))
    counted = {kind: sum(each.verdict == kind for each in verdicts) for kind in ("holds", "fails", "open")}
    if lost := sum(each.verdict == "not interpretable" for each in verdicts):
        counted["not interpretable"] = lost
    return {
        "page": str(out / "index.html"),
        "models": len({run.model for each in sets for run in each.runs}),
        "items": sum(section.study.arrays.count for section in sections),
        "answers": sum(len(each) for section in sections for each in section.study.arrays.answered),
        "sentences": [sentence for section in sections for sentence in section.findings],
        "scores": [line for section in sections for line in _scores(section)],
        **({"claims": counted} if claims else {}),
        **({"findings": _plain(learnt)} if learnt else {}),
        **({"missing": missing} if missing else {}),
    }


# ---- what was asked for --------------------------------------------------------------------------------------------


def _check(
    sets: Sequence[ItemSet], *, tables: Sequence[str] | None, analyses: Sequence[str], claims: bool | Sequence[str]
) -> None:
    if not sets:
        raise ProbandError("nothing to report: no run was given")
    stated = [claim.statement for each in sets for claim in each.suite.claims]
    for text in () if isinstance(claims, bool) else claims:
        if not any(text in statement for statement in stated):
            raise ProbandError(f"no claim contains {text!r}")
    for kind, asked, known in (
        ("table", tables or (), [table.name for each in sets for table in each.suite.tables]),
        ("analysis", analyses, [analysis.name for each in sets for analysis in each.suite.analyses]),
    ):
        for name in asked:
            if name not in known:
                raise ProbandError(f"no {kind} {name!r}; there are {', '.join(dict.fromkeys(known)) or 'none'}")
    for suite in (each.suite for each in sets):
        names = [metric.name for metric in suite.metrics]
        asking = [(f"table {table.name!r}", table.metric) for table in suite.tables]
        asking += [(f"claim {c.statement!r}", each.metric) for c in suite.claims for each in c.contrasts if each.metric]
        for what, metric in asking:
            if metric not in names:
                raise ProbandError(f"{what} of suite {suite.name!r} asks for metric {metric!r}")


def _chosen(suite: Suite, tables: Sequence[str] | None) -> list[Table]:
    return [table for table in suite.tables if (table.always if tables is None else table.name in tables)]


def _metrics(
    suite: Suite, *, tables: Sequence[str] | None, claims: bool | Sequence[str], analyses: Sequence[str]
) -> list[Metric]:
    """The metrics that these tables, the analyses and the claims need."""
    beside = [name for each in suite.analyses if each.name in analyses for name in each.tables.values()]
    names = [table.metric for table in (*_chosen(suite, tables), *_chosen(suite, beside))]
    names += _metrics_of(chosen(suite.claims, claims)) if claims else []
    return [suite.metric(name) for name in dict.fromkeys(names)]


def _metrics_of(claims: Sequence[Claim]) -> list[str]:
    return [contrast.metric for claim in claims for contrast in claim.contrasts]


def colour(studies: Sequence[Study]) -> None:
    """A system has the same colour wherever it is drawn. Colours are used again when all are taken, but not for
    systems of one item set while it has fewer systems than there are colours."""
    number: dict[str, int] = {}
    for study in studies:
        for label in (each for each in study.labels if each not in number):
            others = {other for each in studies if label in each.labels for other in each.labels if other in number}
            beside, taken = {number[other] % MODELS for other in others}, set(number.values())
            free = (hue for hue in count() if hue not in taken)
            number[label] = next(hue for hue in free if hue % MODELS not in beside or len(beside) == MODELS)
        study.hues = tuple(number[label] for label in study.labels)


# ---- one item set --------------------------------------------------------------------------------------------------


def _section(
    study: Study, folder: Folder, *, tables: Sequence[str] | None, analyses: Sequence[str], advance: Callable[[], None]
) -> Section:
    suite = study.items.suite
    title = f"All {study.scope}"
    overall = fill(study, Table(name="headline", title=title, rows=(), columns=(), metric=study.main.name))
    folder.grid(overall)
    grids = []
    for table in _chosen(suite, tables):
        grid = fill(study, table)
        if not grid.empty:
            grids.append(grid)
            folder.grid(grid)
        advance()
    first = next((grid for grid in grids if grid.metric is study.main and grid.by_system and grid.rows), None)
    results = cast(Results, dataclasses.replace(study.items, splits=study.splits))
    sheets = [
        sheet
        for each in suite.analyses
        if each.name in analyses
        for sheet in (each.of(results, study.seed) if each.of else side_by_side(study, each))
    ]
    sheets += prompt_spread(study)
    for sheet in sheets:
        folder.sheet(sheet, sheet_file(sheet, study.key))
    compared = comparisons(study)
    advance()
    browsed = write_browser(study, folder.text)
    advance()
    return Section(
        study=study,
        overall=overall,
        grids=tuple(grids),
        sheets=tuple(sheets),
        compared=tuple(compared),
        findings=(*unread_warnings(study), *sentences(study, first, compared)),
        browsed=browsed,
    )


# ---- for machines --------------------------------------------------------------------------------------------------


def _plain(records: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(each) for each in records]


def _set_summary(section: Section) -> dict[str, Any]:
    """All estimates and comparisons."""
    study = section.study
    items = study.items
    return {
        "key": study.key,
        "suite": items.suite.name,
        "source": items.source,
        "items": study.arrays.count,
        "split": list(study.splits),
        "items_sha": items.runs[0].items_sha,
        "metric": study.main.name,
        "unit": study.main.unit,
        "better": study.main.better,
        "intervals": {"level": 0.95, "least_effective_clusters": FEW},
        "runs": [
            {"label": label, "model": run.model, "solver": run.solver, "seed": run.seed, "answers": len(answered)}
            for label, run, answered in zip(items.labels, items.runs, study.arrays.answered)
        ],
        "systems": [{"label": each.label, "runs": [items.labels[run] for run in each.runs]} for each in study.systems],
        "tables": [_grid_summary(grid) for grid in (section.overall, *section.grids)],
        "sheets": [{"name": s.name, "title": s.title, "header": s.header, "rows": s.rows} for s in section.sheets],
        "comparisons": [dataclasses.asdict(c) | {"verdict": c.verdict} for c in section.compared],
        "findings": list(section.findings),
    }


def _scores(section: Section) -> list[dict[str, Any]]:
    """The main metric of each system over the items that are scored."""
    study, overall = section.study, section.overall
    cells = overall.cells[overall.rows[0], overall.columns[0]]
    return [
        {"items": study.name, "split": ",".join(study.splits), "model": label, "metric": words.metric(study.main)}
        | {"mean": words.figure(cell.estimate.mean, study.main), "interval": words.span(cell.estimate, study.main)}
        | {"chance": "" if cell.chance is None else words.figure(cell.chance, study.main), "n": cell.estimate.n}
        | {"unread": cell.unread}
        for label, cell in zip(study.labels, cells)
        if cell is not None
    ]


def _grid_summary(grid: Grid) -> dict[str, Any]:
    estimates = []
    for (row, column), found in grid.cells.items():
        for at, (label, cell) in enumerate(zip(grid.labels, found)):
            if cell is not None:
                tags = dict(zip(grid.table.columns, column)) | dict(zip(grid.table.rows, row or ()))
                plain = msgspec.structs.asdict(cell.estimate) | {"group": tags}
                spread = {"runs": cell.runs, "sd": cell.sd} if cell.runs > 1 else {}
                differs = {"differs": list(notes)} if (notes := grid.differs.get((row, at))) else {}
                estimates.append({"model": label, **plain, "chance": cell.chance, **spread, **differs})
    return {
        "name": grid.name,
        "title": grid.table.title,
        "metric": grid.metric.name,
        "where": words.group(grid.table.where) if grid.table.where else "",
        "scope": grid.scope,
        "estimates": estimates,
        "published": [_published(figure) for cell in grid.published.values() for figure in cell.values()],
    }


def _published(figure: Published) -> dict[str, Any]:
    """A published figure with the data, conditions and number of questions it was measured on."""
    plain = dataclasses.asdict(figure)
    plain["on"] = {name: plain["on"][name] for name in ("data", "conditions", "questions")}
    return plain
