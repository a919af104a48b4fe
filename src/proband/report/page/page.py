"""index.html: the overview, a section per item set, claims, the item browser, and where the numbers come from.

Style and script are written into the page, so that one file and its data folder are all there is. The templates beside
this file put the numbers into words and HTML, and escape them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proband.core.suite import Sheet
from proband.report.claims import Verdict
from proband.report.draw.axes import Axis, tip, value_range
from proband.report.draw.intervals import differences
from proband.report.draw.marks import MODELS, SHAPES, svg
from proband.report.numbers import words
from proband.report.numbers.cells import Study
from proband.report.numbers.grids import Grid
from proband.report.numbers.pairs import Comparison
from proband.report.page.panel import panel, sheet_file
from proband.report.page.provenance import provenance
from proband.report.tables.lines import unit
from proband.report.tables.sheets import numeric, printed
from proband.web.templates import asset, content_hash, render


@dataclass(frozen=True, kw_only=True)
class Section:
    """Everything the page says of one item set."""

    study: Study
    overall: Grid
    grids: tuple[Grid, ...]
    sheets: tuple[Sheet, ...]
    compared: tuple[Comparison, ...]
    said: tuple[str, ...]
    browsed: Mapping[str, int]


def page(sections: Sequence[Section], *, title: str, claims: Sequence[Verdict] = (), missing: str = "") -> str:
    """The whole page; `missing` says which figure files could not be written."""
    from markupsafe import Markup

    script, style = asset("proband.report.page", "page.js"), asset("proband.web", "page.css")
    named = [(section, name(section, sections)) for section in sections]
    return render(
        "proband.report.page",
        "index.html",
        title=title,
        script_hash=content_hash(script),
        script=Markup(script),
        style=Markup(style),
        counts=_counts(sections),
        sections=[_view(section, title) for section, title in named],
        claims=claims,
        partly=[text for section, title in named if (text := _partly(section, title))],
        missing=missing,
        words=words,
        look=look,
        tip=tip,
        printed=printed,
    )


def name(section: Section, sections: Sequence[Section]) -> str:
    """The suite, with the source where two item sets are of one suite."""
    own, suite = section.study.items.source, section.study.items.suite.name
    rest = [other.study.items.source for other in sections if other.study.items.suite.name == suite]
    if len(rest) == 1:
        return suite
    told_apart = own and rest.count(own) == 1
    short = own.removeprefix(suite).lstrip("-_ ") if told_apart else section.study.key  # kinship-small: small
    return f"{suite} ({short})" if short else suite


def _counts(sections: Sequence[Section]) -> str:
    models = {run.model for section in sections for run in section.study.items.runs}
    answers = sum(len(each) for section in sections for each in section.study.arrays.answered)
    items = sum(section.study.arrays.count for section in sections)
    return ", ".join((words.count(len(models), "model"), words.count(items, "item"), words.count(answers, "answer")))


def _view(section: Section, title: str) -> dict[str, Any]:
    study, grids = section.study, section.grids
    suite = study.items.suite
    counted = {int(row) for each in study.arrays.metrics[study.main.name] for row in each.rows}  # not training items
    clusters = words.count(study.arrays.clusters.count, "cluster")
    about = [f"{words.count(study.arrays.count, 'item')} in {clusters}", study.items.source, suite.cites]
    return {
        "key": study.key,
        "title": title,
        "study": study,
        "about": " · ".join(each for each in about if each),
        "overall": section.overall,
        "axis": Axis(*value_range(section.overall), 0.0, 100.0, study.main.percent),
        "overall_unit": f"{unit(section.overall)} over {words.count(len(counted), 'item')}",
        "said": section.said,
        "has_chance": any(grid.has_chance for grid in grids),
        "has_published": any(grid.others(row) for grid in grids for row in grid.rows),
        "panels": [panel(grid) for grid in grids],
        "sheets": [(sheet, sheet_file(sheet, study.key), numeric(sheet)) for sheet in section.sheets],
        "compared": _comparisons(section.compared),
        "provenance": provenance(study),
    }


def look(model: int) -> str:
    """The classes that give a model its colour and shape."""
    return f"s{model % len(SHAPES)} c{model % MODELS}"


def _comparisons(compared: Sequence[Comparison]) -> dict[str, Any] | None:
    """Overall differences in the open, those per column behind a line to click on."""
    if not compared:
        return None
    rest = [c for c in compared if c.group]
    pairs = len({frozenset((c.a, c.b)) for c in compared})
    return {
        "family": words.count(max(1, round(len(compared) / pairs)), "comparison"),
        "overall": _drawn([c for c in compared if not c.group]),
        "by": " and ".join(dict.fromkeys(words.name(tag) for c in rest for tag in c.group)),
        "rest": _drawn(rest),
    }


def _drawn(compared: Sequence[Comparison]) -> list[tuple[Comparison, Any]]:
    from markupsafe import Markup

    pictures = differences(compared) if compared else ()
    return [(c, Markup(svg(picture, page=True))) for c, picture in zip(compared, pictures)]


def _partly(section: Section, title: str) -> str:
    """What the item browser leaves out, if anything."""
    items, shown, drawn = (section.browsed[name] for name in ("items", "shown", "drawings"))
    parts = []
    if shown < items:
        parts.append(
            f"showing {shown:,} of {items:,} items, drawn at random within each combination of tags and outcomes"
        )
    if 0 < drawn < shown:
        parts.append(f"drawings of {drawn:,} items")
    return f"{title}: {'; '.join(parts)}." if parts else ""
