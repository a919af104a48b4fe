"""What a report says of each item set: its tables, comparisons and findings; and how report.json and the terminal have
them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import slug
from proband.core.metrics import Metric
from proband.core.progress import log
from proband.core.suite import Claim, Sheet, Suite, Table
from proband.reporting.findings import (
    SHORTCUT,
    SHORTCUT_WRONG,
    mark_by_shortcut,
    sentences,
    shortcut_headline,
    unread_warnings,
)
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import Comparison, comparisons
from proband.reporting.numbers.score_tables import ScoreTable, combined_table, fill
from proband.reporting.numbers.study import ItemSet, Study, names
from proband.reporting.several_runs import several_run_sheets
from proband.reporting.variations import effects_of, variation_sheets, variation_table
from proband.stats import LEAST_FREEDOM

ALL = "all"
PAGES = ("index", "claims")  # names that no item set may have


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is reported, and how."""

    title: str | None = None
    seed: int = 0
    tables: Sequence[str] | None = None  # by name, or all; None: those that are not only for studies
    claims: bool = False  # test the suites' claims
    split: str = ""  # the items that are scored (core/metrics.py)
    force: bool = False  # write over files that no report wrote
    shortcuts: bool = True  # a column for the items where the best shortcut of the suite is wrong
    findings: Mapping[str, Sequence[Claim]] = field(default_factory=dict)  # by suite: tested too, and stated first
    notes: Sequence[tuple[str, str]] = ()  # a sentence and a link, below the findings

    def tables_of(self, suite: Suite) -> list[Table]:
        if self.tables is None:
            return [table for table in suite.tables if table.always]
        return [table for table in suite.tables if {ALL, table.name} & set(self.tables)]

    def metrics_of(self, suite: Suite) -> list[Metric]:
        """The metrics that the tables, the claims and the findings need."""
        wanted = {name for table in self.tables_of(suite) for name in (table.name, *table.adjacent.values())}
        names = [table.metric for table in suite.tables if table.of_scores and table.name in wanted]
        tested = (*(suite.claims if self.claims else ()), *self.findings.get(suite.name, ()))
        names += [contrast.metric for claim in tested for contrast in claim.contrasts]
        return [suite.metric(name) for name in dict.fromkeys(names)]


@dataclass(frozen=True, kw_only=True)
class Section:
    """What a report says of one item set."""

    study: Study
    overall: ScoreTable
    tables: tuple[Sheet, ...]  # those of scores first
    compared: tuple[Comparison, ...]
    findings: tuple[str, ...]  # the main findings


def studies_of(sets: Sequence[ItemSet], options: ReportOptions, advance: Callable[[], None]) -> list[Study]:
    """The item sets, read, with their systems in order."""
    keys = formatting.unique([*PAGES, *(slug(each.suite.name) for each in sets)])[len(PAGES) :]
    studies = []
    for each, key, name in zip(sets, keys, names(sets, keys)):
        study = Study(each, options.metrics_of(each.suite), key=key, seed=options.seed, split=options.split)
        study.name = name
        study.rank()
        studies.append(study)
        advance()
    return studies


def section_of(study: Study, options: ReportOptions, advance: Callable[[], None]) -> Section:
    """The tables, comparisons and findings of one item set."""
    suite = study.suite
    varied = effects_of(study.manifest) if "variations" in study.manifest else {}
    headline = Table(name="headline", title=f"All {study.scope}", rows=(), columns=(), metric=study.main.name)
    best = mark_by_shortcut(study) if suite.baselines and options.shortcuts else None
    wanted = [headline]
    wanted += [variation_table(study.main, varied)] if varied else []
    wanted += [best.table(study.main.name)] if best else []
    overall, *scores = [fill(study, table) for table in wanted]
    sheets = list[Sheet]()
    for table in options.tables_of(suite):
        if table.of_scores:
            scores += [filled] if (filled := fill(study, table)).filled else []
        elif table.built_with.items() <= study.manifest.get("options", {}).items():
            sheets += _own_sheets(table, study, options) if table.of else combined_table(study, table)
        advance()
    mains = (each for each in scores if each.metric is study.main and each.by_system)
    first = next((each for each in mains if SHORTCUT not in each.layout.columns), None)
    if len(study.systems) > 1:
        sheets += several_run_sheets(study)
    if varied:
        sheets += variation_sheets(study, study.main)
    sheets = [replace(sheet, name=f"{study.key}-{slug(sheet.name)}") for sheet in sheets]
    compared = comparisons(study) if len(study.systems) > 1 else []
    fallen = shortcut_headline(study, best) if best else ""
    advance()
    return Section(
        study=study,
        overall=overall,
        tables=(*scores, *sheets),
        compared=tuple(compared),
        findings=(*unread_warnings(study), *([fallen] if fallen else []), *sentences(study, first, compared)),
    )


def _own_sheets(table: Table, study: Study, options: ReportOptions) -> Sequence[Sheet]:
    """The sheets of a table with its own function. If its package is missing, the table is left out unless it was
    requested by name."""
    try:
        return table.of(study, study.seed) if table.of else ()
    except ProbandError as error:
        if options.tables is not None or "pip install" not in str(error):
            raise
        log(f"left out: {error}")
        return ()


def summary_of(section: Section) -> dict[str, Any]:
    """All estimates and comparisons."""
    study, scores = section.study, [each for each in section.tables if isinstance(each, ScoreTable)]
    return {
        "key": study.key,
        "suite": study.suite.name,
        "source": study.source,
        "items": study.count,
        "split": list(study.splits),
        "items_sha": study.runs[0].items_sha,
        "metric": study.main.name,
        "unit": study.main.unit,
        "better": study.main.better,
        "intervals": {"level": 0.95, "least_degrees_of_freedom": LEAST_FREEDOM},
        "runs": [
            {"label": label, "model": run.model, "solver": run.solver, "seed": run.seed, "answers": len(known.lines)}
            for label, run, known in zip(study.labels, study.runs, study.answered_items)
        ],
        "systems": [{"label": each.label, "runs": [study.labels[run] for run in each.runs]} for each in study.systems],
        "tables": [
            {
                "name": table.name,
                "title": table.layout.title,
                "metric": table.metric.name,
                "where": formatting.group(table.layout.where) if table.layout.where else "",
                "scope": table.scope,
                "estimates": [each for each in table.records() if each["kind"] == "ours"],
                "published": [each for each in table.records() if each["kind"] == "published"],
            }
            for table in (section.overall, *scores)
        ],
        "sheets": [
            {"name": each.name.removeprefix(f"{study.key}-")}
            | {name: getattr(each, name) for name in ("title", "header", "rows")}
            for each in section.tables
            if not isinstance(each, ScoreTable)
        ],
        "comparisons": [c.record() for c in section.compared],
        "findings": list(section.findings),
    }


def scores_of(section: Section) -> list[dict[str, Any]]:
    """The main metric of each system over the items that are scored, and over those where the best shortcut is wrong,
    of a suite that declares shortcuts."""
    study, metric = section.study, section.study.main
    rows = []
    for at, (cell, hard) in enumerate(zip(study.cell(metric, {}), study.cell(metric, {SHORTCUT: SHORTCUT_WRONG}))):
        if cell is not None:
            row = {
                "items": study.name,
                "split": ",".join(study.splits),
                "model": study.system_labels[at],
                "metric": formatting.metric(metric),
                "solver": formatting.how_asked(study.runs[study.systems[at].runs[0]]),
                "mean": formatting.figure(cell.mean, metric),
                "interval": formatting.span(cell, metric),
                "chance": "" if cell.chance is None else formatting.figure(cell.chance, metric),
                "n": cell.n,
                "unread": cell.unread,
            }
            rows.append(row | ({"shortcut wrong": formatting.estimate(hard, metric)} if hard else {}))
    return rows
