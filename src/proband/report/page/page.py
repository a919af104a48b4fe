"""index.html: the overview, a section per item set, claims, the item browser, and where the numbers come from.

Style and script are written into the page, so that one file and its data folder are all there is. Here numbers become
words; the templates beside this file put them into HTML and escape them.
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
from proband.report.numbers.cells import Cell, Study
from proband.report.numbers.grids import Grid
from proband.report.numbers.pairs import Comparison
from proband.report.page.panel import panel, sheet_view
from proband.report.page.provenance import provenance
from proband.report.tables.lines import unit
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
    first = sections[0].study
    return render(
        "proband.report.page",
        "index.html",
        title=title,
        script_hash=content_hash(script),
        script=Markup(script),
        style=Markup(style),
        counts=_counts(sections),
        sections=[_view(section, name(section, sections)) for section in sections],
        claims=claims,
        partly=[_partly(section, name(section, sections)) for section in sections if _sampled(section)],
        draws=first.draws,
        seed=first.seed,
        missing=missing,
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
    study = section.study
    suite = study.items.suite
    counted = {int(row) for each in study.arrays.metrics[study.main.name] for row in each.rows}  # not training items
    about = [
        f"{words.count(study.arrays.count, 'item')} in {words.count(study.arrays.clusters.count, 'cluster')}",
        study.items.source,
        suite.cites,
    ]
    return {
        "key": study.key,
        "title": title,
        "question": suite.question,
        "about": " · ".join(each for each in about if each),
        "headline": _headline(section.overall),
        "headline_unit": f"{unit(section.overall)} over {words.count(len(counted), 'item')}",
        "said": section.said,
        "legend": [{"label": label, "look": look(at)} for at, label in enumerate(study.labels)],
        "has_chance": any(grid.has_chance for grid in section.grids),
        "has_published": any(grid.others(row) for grid in section.grids for row in grid.rows),
        "panels": [panel(grid) for grid in section.grids],
        "sheets": [sheet_view(sheet, study.key) for sheet in section.sheets],
        "compared": _comparisons(section),
        "provenance": provenance(study),
    }


def look(model: int) -> str:
    """The classes that give a model its colour and shape."""
    return f"s{model % len(SHAPES)} c{model % MODELS}"


# ---- overview ------------------------------------------------------------------------------------------------------


def _headline(grid: Grid) -> dict[str, Any]:
    """One line per model: name, interval on a track, number."""
    low, high = value_range(grid)
    axis = Axis(low, high, 0.0, 100.0, grid.metric.percent)
    cells = grid.cells[grid.rows[0], grid.columns[0]]
    return {
        "entries": [_entry(grid, at, cell, axis) for at, cell in enumerate(cells)],
        "ticks": [{"at": f"{axis(tick):.2f}", "name": axis.name(tick)} for tick in axis.ticks()],
    }


def _entry(grid: Grid, at: int, cell: Cell | None, axis: Axis) -> dict[str, Any]:
    entry = {"label": grid.labels[at], "look": look(at), "shape": look(at).split()[0], "colour": look(at).split()[1]}
    if cell is None:
        return entry | {"value": ""}
    e = cell.estimate
    return entry | {
        "value": words.figure(e.mean, grid.metric),
        "interval": words.interval(e.low, e.high, grid.metric),
        "chance": None if cell.chance is None else f"{axis(cell.chance):.2f}",
        "low": f"{axis(e.low):.2f}",
        "width": f"{axis(e.high) - axis(e.low):.2f}",
        "mean": f"{axis(e.mean):.2f}",
        "tip": tip(grid, at, grid.rows[0], grid.columns[0], cell),
    }


# ---- comparisons ---------------------------------------------------------------------------------------------------


def _comparisons(section: Section) -> dict[str, Any] | None:
    """Overall differences in the open, those per column behind a line to click on."""
    if not section.compared:
        return None
    study = section.study
    overall = [c for c in section.compared if not c.group]
    rest = [c for c in section.compared if c.group]
    pairs = len({(c.a, c.b) if c.a < c.b else (c.b, c.a) for c in section.compared})
    return {
        "metric": words.with_arrow(study.main),
        "family": words.count(max(1, round(len(section.compared) / pairs)), "comparison"),
        "overall": _differences(overall, study),
        "by": " and ".join(dict.fromkeys(words.name(tag) for c in rest for tag in c.group)),
        "rest": _differences(rest, study),
    }


def _differences(compared: Sequence[Comparison], study: Study) -> list[dict[str, Any]]:
    from markupsafe import Markup

    metric = study.main
    return [
        {
            "where": words.group(c.group) if c.group else "",
            "a": c.a,
            "b": c.b,
            "clear": c.clear,
            "difference": words.signed(c.difference, metric),
            "interval": words.interval(c.low, c.high, metric),
            "tip": f"{c.a} − {c.b}\n{words.count(c.n, 'item')} in {words.count(c.clusters, 'cluster')}\np = {c.p:.2g}\n"
            f"minimum detectable difference {words.distance(c.detectable, metric)}",
            "drawing": Markup(svg(picture, page=True)),
            "p": words.p_value(c.p_holm),
            "verdict": "significant" if c.clear else "not significant",
        }
        for c, picture in zip(compared, differences(compared) if compared else ())
    ]


# ---- items ---------------------------------------------------------------------------------------------------------


def _sampled(section: Section) -> bool:
    browsed = section.browsed
    return browsed["shown"] < browsed["items"] or 0 < browsed["drawings"] < browsed["shown"]


def _partly(section: Section, title: str) -> str:
    browsed = section.browsed
    parts = []
    if browsed["shown"] < browsed["items"]:
        parts.append(
            f"showing {browsed['shown']:,} of {browsed['items']:,} items, drawn at random within each combination of "
            "tags and outcomes"
        )
    if 0 < browsed["drawings"] < browsed["shown"]:
        parts.append(f"drawings of {browsed['drawings']:,} items")
    return f"{title}: {'; '.join(parts)}."
