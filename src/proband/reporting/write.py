"""`proband report`: item sets with their runs in, one folder out that opens from disk."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.progress import Progress
from proband.reporting.charts import MODELS, dot_plot
from proband.reporting.claims import claims_sheet, judge
from proband.reporting.numbers.formatting import System, counts_of, short_model
from proband.reporting.numbers.study import ItemSet, Study
from proband.reporting.page.page import pages, write_browser
from proband.reporting.profile import Profile
from proband.reporting.profile_texts import as_json, as_table
from proband.reporting.sections import ALL, ReportOptions, Section, scores_of, section_of, studies_of, summary_of
from proband.reporting.tables import Folder


def write_report(sets: Sequence[ItemSet], *, out: Path, profile: Profile | None = None, **given: Any) -> dict[str, Any]:
    """Write index.html, a page per item set, report.json, tables/, figures/ and data/ into `out`; files of an earlier
    report that this one does not have are removed. A profile comes first, with its files; `given` are the fields of
    ReportOptions. Returns where the report is and the main findings; the numbers are in report.json."""
    options = ReportOptions(**given)
    if not sets:
        raise ProbandError("nothing to report: no run was given")
    known = dict.fromkeys(table.name for each in sets for table in each.suite.tables)
    if unknown := next((name for name in options.tables or () if name not in (ALL, *known)), ""):
        raise ProbandError(f"no table {unknown!r}; there are {', '.join(known) or 'none'}")
    folder = Folder(out, force=options.force)
    with Progress("report", total=sum(3 + len(options.tables_of(each.suite)) for each in sets)) as bar:
        studies = studies_of(sets, options, bar.advance)
        colour(studies, [short_model(each) for each in (profile.models if profile else ())])
        sections, browsed = list[Section](), list[dict[str, int]]()
        for study in studies:
            sections.append(section := section_of(study, options, bar.advance))
            for sheet in (section.overall, *section.tables):
                folder.sheet(sheet)
            browsed.append(write_browser(study, folder.add))
            bar.advance()
    tested = [(section.study, section.tables) for section in sections]
    claims = judge(tested) if options.claims else []
    findings = judge(tested, options.findings) if options.findings else []
    if options.claims:
        folder.sheet(claims_sheet(claims, {study.key: study.name for study in studies}))
        folder.add("claims.json", {"claims": _plain(claims)})
    title = options.title or "Proband report: " + ", ".join(dict.fromkeys(each.suite.name for each in sets))
    if profile is not None:
        folder.add("profile.json", as_json(profile))
        folder.sheet(table := as_table(profile), partial(dot_plot, table))
    texts = pages(sections, browsed, title=title, claims=claims, learnt=findings, notes=options.notes, profile=profile)
    folder.contents |= texts
    summary = {"title": title, "findings": _plain(findings)}
    summary["sets"] = [summary_of(section) for section in sections]
    verdicts = {"holds": 0, "fails": 0, "open": 0, **Counter(verdict.verdict for verdict in claims)}
    folder.finish(summary | ({"claims": _plain(claims)} if options.claims else {}))
    return {
        "page": str(out / "index.html"),
        **counts_of(system for study in studies for system in study.systems),
        "items": sum(study.asked_count for study in studies),
        "answers": sum(len(run.lines) for study in studies for run in study.answered_items),
        "sentences": [sentence for section in sections for sentence in section.findings],
        "scores": [line for section in sections for line in scores_of(section)],
        **({"claims": verdicts} if options.claims else {}),
        **({"findings": _plain(findings)} if findings else {}),
    }


def _plain(records: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(each) for each in records]


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
