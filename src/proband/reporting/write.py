"""`proband report`: item sets with their runs in, one folder out that opens from disk."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import slug
from proband.core.metrics import Metric
from proband.core.progress import Progress, log
from proband.core.suite import Claim, Sheet, Suite, Table
from proband.reporting.charts import MODELS, WIDE, dot_plot, svg
from proband.reporting.claims import claims_sheet, judge
from proband.reporting.findings import (
    SHORTCUT,
    SHORTCUT_WRONG,
    mark_by_shortcut,
    sentences,
    shortcut_headline,
    unread_warnings,
)
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import comparisons
from proband.reporting.numbers.formatting import System, short_model, unique
from proband.reporting.numbers.score_tables import ScoreTable, combined_table, fill
from proband.reporting.numbers.study import ItemSet, Study, names
from proband.reporting.page.page import PAGES, Section, pages, write_browser
from proband.reporting.profile import Profile
from proband.reporting.profile_texts import as_json, as_table
from proband.reporting.several_runs import several_run_sheets
from proband.reporting.tables import Folder
from proband.reporting.variations import effects_of, variation_sheets, variation_table
from proband.stats import LEAST_FREEDOM

ALL = "all"


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
    profile: Profile | None = None  # comes first, with its files

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


def write_report(sets: Sequence[ItemSet], *, out: Path, **options: Any) -> dict[str, Any]:
    """Write index.html, a page per item set, report.json, tables/, figures/ and data/ into `out`; files of an earlier
    report that this one does not have are removed. `options` are the fields of ReportOptions. Returns where it is and
    the main findings; the numbers are in report.json."""
    what = ReportOptions(**options)
    if not sets:
        raise ProbandError("nothing to report: no run was given")
    known = dict.fromkeys(table.name for each in sets for table in each.suite.tables)
    if unknown := next((name for name in what.tables or () if name not in (ALL, *known)), ""):
        raise ProbandError(f"no table {unknown!r}; there are {', '.join(known) or 'none'}")
    folder = Folder(out, force=what.force)
    sections = _sections(sets, folder, what)
    studies = [section.study for section in sections]
    tested = [(section.study, section.tables) for section in sections]
    claims = judge(tested) if what.claims else []
    findings = judge(tested, what.findings) if what.findings else []
    if what.claims:
        folder.sheet(claims_sheet(claims, {study.key: study.name for study in studies}))
        folder.add("claims.json", {"claims": _plain(claims)})
    title = what.title or "Proband report: " + ", ".join(dict.fromkeys(each.suite.name for each in sets))
    if what.profile is not None:
        folder.add("profile.json", as_json(what.profile))
        folder.sheet(table := as_table(what.profile))
        folder.add("figures/profile.svg", svg(dot_plot(table, WIDE)))
    texts = pages(sections, title=title, claims=claims, learnt=findings, notes=what.notes, profile=what.profile)
    folder.contents |= texts
    summary = {"title": title, "findings": _plain(findings)}
    summary["sets"] = [_set_summary(section) for section in sections]
    folder.finish(summary | ({"claims": _plain(claims)} if what.claims else {}))
    return {
        "page": str(out / "index.html"),
        "models": len({run.model for each in sets for run in each.runs}),
        "items": sum(study.asked_count for study in studies),
        "answers": sum(len(run.lines) for study in studies for run in study.answered_items),
        "sentences": [sentence for section in sections for sentence in section.findings],
        "scores": [line for section in sections for line in _scores(section)],
        **(
            {"claims": {"holds": 0, "fails": 0, "open": 0, **Counter(v.verdict for v in claims)}} if what.claims else {}
        ),
        **({"findings": _plain(findings)} if findings else {}),
    }


def _sections(sets: Sequence[ItemSet], folder: Folder, what: ReportOptions) -> list[Section]:
    """The numbers of every item set, so that a system has one colour everywhere; then its files."""
    keys = unique([*PAGES, *(slug(each.suite.name) for each in sets)])[len(PAGES) :]
    studies: list[Study] = []
    with Progress("report", total=sum(3 + len(what.tables_of(each.suite)) for each in sets)) as bar:
        for each, key, name in zip(sets, keys, names(sets, keys)):
            study = Study(each, what.metrics_of(each.suite), key=key, seed=what.seed, split=what.split)
            study.name = name
            study.rank()
            studies.append(study)
            bar.advance()
        colour(studies, [short_model(each) for each in (what.profile.models if what.profile else ())])
        return [_section(study, folder, what, bar.advance) for study in studies]


def _way(system: System) -> tuple[str, str]:
    return short_model(str(system.tags["run.model"])), str(system.tags["run.solver"])


def colour(studies: Sequence[Study], first: Sequence[str] = ()) -> None:
    """A model has the same colour wherever it is drawn, however it is asked. Where an item set has several systems of a
    model, the colour is that of the one that is asked as in most sets, and the others have colours of their own.
    `first` are models that have the first colours. Colours are used again when all are taken, but not for systems of
    one item set while it has fewer systems than there are colours."""
    ways = Counter(each for study in studies for each in {_way(system) for system in study.systems})
    keys = []
    for study in studies:
        own: dict[str, System] = {}
        for system in sorted(study.systems, key=lambda each: -ways[_way(each)]):
            own.setdefault(_way(system)[0], system)
        keys.append([_way(each)[0] if own[_way(each)[0]] is each else each.label for each in study.systems])
    number = {name: at for at, name in enumerate(first)}
    for study, own_keys in zip(studies, keys, strict=True):
        for key in (each for each in own_keys if each not in number):
            others = {other for each in keys if key in each for other in each if other in number}
            adjacent, taken = {number[other] % MODELS for other in others}, set(number.values())
            free = (hue for hue in count() if hue not in taken)
            number[key] = next(hue for hue in free if hue % MODELS not in adjacent or len(adjacent) == MODELS)
        study.hues = tuple(number[key] for key in own_keys)


def _section(study: Study, folder: Folder, what: ReportOptions, advance: Callable[[], None]) -> Section:
    """The files of one item set."""
    suite = study.suite
    varied = effects_of(study.manifest) if "variations" in study.manifest else {}
    headline = Table(name="headline", title=f"All {study.scope}", rows=(), columns=(), metric=study.main.name)
    best = mark_by_shortcut(study) if suite.baselines and what.shortcuts else None
    wanted = [headline]
    wanted += [variation_table(study.main, varied)] if varied else []
    wanted += [best.table(study.main.name)] if best else []
    overall, *scores = [fill(study, table) for table in wanted]
    sheets = list[Sheet]()
    for table in what.tables_of(suite):
        if table.of_scores:
            scores += [filled] if (filled := fill(study, table)).filled else []
        elif table.built_with.items() <= study.manifest.get("options", {}).items():
            sheets += _made(table, study, what) if table.of else combined_table(study, table)
        advance()
    mains = (each for each in scores if each.metric is study.main and each.by_system)
    first = next((each for each in mains if SHORTCUT not in each.table.columns), None)
    if len(study.systems) > 1:
        sheets += several_run_sheets(study)
    if varied:
        sheets += variation_sheets(study, study.main)
    sheets = [dataclasses.replace(sheet, name=f"{study.key}-{slug(sheet.name)}") for sheet in sheets]
    for sheet in (overall, *scores, *sheets):
        folder.sheet(sheet)
    compared = comparisons(study) if len(study.systems) > 1 else []
    fallen = shortcut_headline(study, best) if best else ""
    advance()
    browsed = write_browser(study, folder.add)
    advance()
    return Section(
        study=study,
        overall=overall,
        tables=(*scores, *sheets),
        compared=tuple(compared),
        findings=(*unread_warnings(study), *([fallen] if fallen else []), *sentences(study, first, compared)),
        browsed=browsed,
    )


def _made(table: Table, study: Study, what: ReportOptions) -> Sequence[Sheet]:
    """The sheets of a table with its own function. If its package is missing, the table is left out unless it was
    requested by name."""
    try:
        return table.of(study, study.seed) if table.of else ()
    except ProbandError as error:
        if what.tables is not None or "pip install" not in str(error):
            raise
        log(f"left out: {error}")
        return ()


def _plain(records: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(each) for each in records]


def _set_summary(section: Section) -> dict[str, Any]:
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
                "title": table.table.title,
                "metric": table.metric.name,
                "where": formatting.group(table.table.where) if table.table.where else "",
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


def _scores(section: Section) -> list[dict[str, Any]]:
    """The main metric of each system over the items that are scored, and over those where the best shortcut is wrong,
    of a suite that declares shortcuts."""
    study, metric = section.study, section.study.main
    rows = []
    for at, (cell, hard) in enumerate(zip(study.cell(metric, {}), study.cell(metric, {SHORTCUT: SHORTCUT_WRONG}))):
        if cell is not None:
            first = study.runs[study.systems[at].runs[0]]
            row = {
                "items": study.name,
                "split": ",".join(study.splits),
                "model": study.system_labels[at],
                "metric": formatting.metric(metric),
                "asked": formatting.how_asked(first),
                "mean": formatting.figure(cell.mean, metric),
                "interval": formatting.span(cell, metric),
                "chance": "" if cell.chance is None else formatting.figure(cell.chance, metric),
                "n": cell.n,
                "unread": cell.unread,
            }
            rows.append(row | ({"shortcut wrong": formatting.estimate(hard, metric)} if hard else {}))
    return rows
