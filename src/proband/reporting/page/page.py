"""The pages of a report: index.html is the overview; each item set has its own page with its tables, figures,
tests, item browser and provenance; claims.html has the papers' findings as tests.

Style and script are written into each page: the files of one folder are all there is. The templates next to this file
put the numbers into words and HTML, and escape them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from proband.core.files import asset, content_hash, render
from proband.core.suite import Sheet
from proband.reporting import tables
from proband.reporting.claims import Verdict
from proband.reporting.claims import counts as claim_counts
from proband.reporting.draw.charts import dot_plot, drawing, figure_of, line_plot, shade
from proband.reporting.draw.marks import NARROW, WIDE, Axis, Picture, look, svg
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Comparison, Study
from proband.reporting.numbers.score_tables import Line, ScoreTable, tip
from proband.reporting.profile import Profile
from proband.reporting.profile_texts import as_table

SCRIPTS = (
    ("proband.web", "page.js"),
    ("proband.reporting.page", "figures.js"),
    ("proband.reporting.page", "browser.js"),
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """Everything on the page about one item set."""

    study: Study
    overall: ScoreTable
    tables: tuple[Sheet, ...]  # those of scores first
    compared: tuple[Comparison, ...]
    findings: tuple[str, ...]  # the main findings
    browsed: Mapping[str, int]


PAGES = ("index", "claims")  # names that no item set may have


def pages(
    sections: Sequence[Section],
    *,
    title: str,
    claims: Sequence[Verdict] = (),
    learnt: Sequence[Verdict] = (),
    notes: Sequence[tuple[str, str]] = (),
    profile: Profile | None = None,
) -> dict[str, str]:
    """File -> page: the overview, one page per item set, and the claims. The overview begins with what was `learnt` and
    the `notes`."""
    views = [_view(section) for section in sections]
    listed = [("index.html", "Overview"), *((view["file"], view["title"]) for view in views)]
    listed += [("claims.html", "Claims")] if claims else []
    shared = {**_shared(), "title": title, "pages": listed, "claims": claims, "sections": views}
    own: dict[str, Any] = _overview(sections, views, learnt, notes, profile)
    texts = {"index.html": _rendered("overview", shared, **own)}
    for section, view in zip(sections, views):
        items, shown, drawn = (section.browsed[name] for name in ("items", "shown", "drawings"))
        parts = [f"showing {shown:,} of {items:,} items, drawn at random"] if shown < items else []
        parts += [f"drawings of {drawn:,} items"] if 0 < drawn < shown else []
        partly = f"{section.study.name}: {'; '.join(parts)}." if parts else ""  # what the browser leaves out
        own = {"here": view["file"], "s": view, "contents": view["contents"], "partly": partly}
        texts[view["file"]] = _rendered("item_set", shared, **own)
    if claims:
        names = {view["key"]: view["title"] for view in views}
        contents = [("claims", "Claims", 1)]
        own = {"here": "claims.html", "contents": contents, "names": names, "counts": claim_counts(claims)}
        texts["claims.html"] = _rendered("claims", shared, **own)
    return texts


def _overview(
    sections: Sequence[Section],
    views: Sequence[Mapping[str, Any]],
    learnt: Sequence[Verdict],
    notes: Sequence[tuple[str, str]],
    profile: Profile | None,
) -> dict[str, Any]:
    """Of a profile its figure, and where the items of each set are; next to findings, one figure along a number (the
    length of a chain), where a set has one."""
    contents, own = [("overview", "Overview", 1)], dict[str, Any](picture=None)
    if profile is not None:
        contents += [("profile", "Profile", 1), ("examples", "Right and wrong", 1)]
        table = as_table(profile)
        own |= {"profile_figure": _both_widths(partial(dot_plot, table)), "profile_marks": marks_key(table, dot_plot)}
        own["item_pages"] = {view["study"].items.source: view["file"] for view in views}
    contents += [("learnt", "Main findings", 1)] if learnt or notes else []
    contents += [(view["key"], view["title"], 2) for view in views]
    contents += [("tables", "Tables and figures", 1), ("reading", "How to read the numbers", 1)]
    scores = (each for section in sections for each in section.tables if isinstance(each, ScoreTable))
    if learnt and (along := next((each for each in scores if drawing(each) is line_plot), None)):
        own["picture"] = {"title": along.table.title, **_both_widths(partial(line_plot, along), switched=False)}
    every = {run.model for section in sections for run in section.study.items.runs}
    asked = {model for model in every if not model.startswith(("baseline:", "solver:"))} or every
    models = formatting.count(len(asked), "model")
    models += f" and {formatting.count(len(every - asked), 'baseline')}" if every - asked else ""
    answers = sum(len(run.lines) for section in sections for run in section.study.arrays.runs)
    items = sum(section.study.asked for section in sections)
    counts = ", ".join((models, formatting.count(items, "item"), formatting.count(answers, "answer")))
    return own | {"contents": contents, "counts": counts, "learnt": learnt, "notes": notes, "profile": profile}


def page_of(template: str, *, title: str, parts: Sequence[tuple[str, str, int]], **values: Any) -> str:
    """A separate page with the shared style and script: a leaderboard, items."""
    contents = [("overview", title, 1), *parts]
    return _rendered(
        template, {**_shared(), "title": title, "pages": [("index.html", title)]}, contents=contents, **values
    )


def items_page(study: Study, sheets: Sequence[Sheet], browsed: Mapping[str, int], *, lede: str) -> str:
    """The page of `proband items`."""
    shown, items = browsed["shown"], browsed["items"]
    partly = "" if shown == items else f"Showing {shown:,} of {items:,} items."
    parts = [*((each.name, each.title, 1) for each in sheets), ("items", "Item by item", 1)]
    return page_of("items", title="Items", parts=parts, sheets=sheets, key=study.key, lede=lede, partly=partly)


def _rendered(template: str, shared: Mapping[str, Any], **values: Any) -> str:
    return render("proband.reporting.page", f"{template}.html", **{"here": "index.html", **shared, **values})


def _shared() -> dict[str, Any]:
    """The parts of every page: style, script, and the functions for templates."""
    from markupsafe import Markup

    script = "".join(asset(package, file) for package, file in SCRIPTS)
    style = asset("proband.web", "page.css") + asset("proband.reporting.page", "report.css")
    return {
        "script_hash": content_hash(script),
        "script": Markup(script),
        "style": Markup(style),
        "words": formatting,
        "look": look,
        "tip": tip,
        "plain_cell": tables.plain_cell,
        "axis_of": lambda lows, highs: Axis(min(lows), max(highs), 6, 144),
    }


def _view(section: Section) -> dict[str, Any]:
    study, panels = section.study, [panel(each) for each in section.tables]
    scored, suite = study.mask({}), study.items.suite
    rows = np.concatenate([run.values(study.main.name)[0] for run in study.arrays.runs])
    counted = np.unique(rows[scored[rows]])
    clusters = formatting.count(study.arrays.clusters.count, "cluster")
    about = [
        f"{formatting.count(study.asked, 'item')} asked, of {study.arrays.count:,} in {clusters}",
        study.items.source,
        suite.cites,
    ]
    axis_range = (0.0, 1.0) if study.main.percent else section.overall.value_range
    results = [(each["sheet"].name, each["title"], 2) for each in panels]
    contents = [("overview", "Overview", 1), *([("results", "Tables and figures", 1)] if results else []), *results]
    contents += [("tests", "Paired significance tests", 1)] if section.compared else []
    return {
        "key": study.key,
        "file": f"{study.key}.html",
        "contents": [*contents, ("items", "Items", 1), ("provenance", "Provenance", 1)],
        "title": study.name,
        "study": study,
        "about": " · ".join(each for each in about if each),
        "overall": section.overall,
        "axis": Axis(*axis_range, 0.0, 100.0, study.main.percent),
        "overall_unit": f"{section.overall.unit} over {formatting.count(len(counted), 'item')}",
        "findings": section.findings,
        "panels": panels,
        "compared": _comparisons(section.compared),
        "provenance": provenance(study),
    }


def _comparisons(compared: Sequence[Comparison]) -> dict[str, Any] | None:
    """Overall differences are visible, those per column folded."""
    if not compared:
        return None
    rest = [c for c in compared if c.group]
    tests = max(1, round(len(compared) / len({frozenset((c.a, c.b)) for c in compared})))
    several = f"Holm’s correction over the {tests} comparisons of each pair of models"
    return {
        "family": several if tests > 1 else "one comparison per pair of models, so no correction",
        "overall": [c for c in compared if not c.group],
        "by": " and ".join(dict.fromkeys(formatting.name(tag) for c in rest for tag in c.group)),
        "rest": rest,
    }


# ---- the panel of a table: its drawings and its cells ----------------------------------------------------------------


def panel(sheet: Sheet) -> dict[str, Any]:
    """A table with its figure; one of scores with the classes, shades and tooltips of its cells."""
    draw = figure_of(sheet)
    if not isinstance(sheet, ScoreTable):
        figure = _both_widths(draw) if draw else None
        return {"sheet": sheet, "title": sheet.title, "figure": figure, "numbers": tables.numeric(sheet)}
    return {
        "sheet": sheet,
        "title": sheet.table.title,
        "figure": _both_widths(draw, switched=sheet.by_system) if draw else None,
        "bodies": [_body(sheet, group) for group in sheet.groups],
        "sources": "; ".join(dict.fromkeys(figure.source for figure in sheet.published)),
        "bold": len(sheet.labels) > 1,
        "marks": marks_key(sheet, drawing(sheet)),
    }


def marks_key(grid: ScoreTable, draw: Callable[..., Picture] | None) -> list[tuple[str, str]]:
    """The key of a figure: (class of the style sheet, words) for each kind of mark that it has."""
    few = [("few", "too few items to tell: no interval")] if any(cell.estimate.few for cell in grid.filled) else []
    published = [("diamond", "published")] if grid.published else []
    chance = [("dash", "chance")] if grid.has_chance else []
    chance += [("level", "best shortcut")] if any(cell.shortcut is not None for cell in grid.filled) else []
    level = "the best shortcut" if grid.level != "chance" else "chance"
    if draw is None:
        against = f"above {level}" if grid.has_chance else "darker: better"
        low = [("below", f"below {level}"), ("pale", f"° the interval includes {level}")] if grid.has_chance else []
        return [("above", against), *low, *few]
    band = "band" if draw is line_plot else "bar"
    return [("dot", "mean"), (band, "95 % interval"), *chance, *published, *few]


def _body(grid: ScoreTable, group: Sequence[Line]) -> list[tuple[Line, list[dict[str, Any]]]]:
    """The lines of a row with their cells. The best of ours is in bold, if there are several."""
    pick, top = max if grid.metric.better == "high" else min, list[float | None]()
    ours = [line.cells for line in group if line.run is not None]
    for column in range(len(grid.columns) if len(ours) > 1 else 0):
        top.append(pick((cell.estimate.mean for cells in ours if (cell := cells[column])), default=None))
    return [(line, list(_cells(grid, line, top or [None] * len(grid.columns)))) for line in group]


def _cells(grid: ScoreTable, line: Line, top: Sequence[float | None]) -> Iterator[dict[str, Any]]:
    """Each cell in words, its classes, its shade where the table has no figure, and its tooltip."""
    shaded, span = drawing(grid) is None, grid.value_range
    for at, (shown, highest) in enumerate(zip(grid.words(line), top)):
        own = {"words": shown, "classes": "", "shade": "", "tip": ""}
        if line.run is None:
            own["tip"] = f"{line.label} (published)\n{line.source}"
        elif (cell := line.cells[at]) is not None:
            best = " best" if cell.estimate.mean == highest else ""
            own["classes"] = "few" if cell.estimate.few else cell.against_level + best
            own["shade"] = shade(cell, span, grid.metric) if shaded and not cell.estimate.few else ""
            own["tip"] = tip(grid, line, at)
        yield own


def _both_widths(draw: Callable[[float], Picture], *, switched: bool = True) -> dict[str, str]:
    """A drawing for wide screens and for narrow ones."""
    from markupsafe import Markup

    wide, narrow = (Markup(svg(draw(width), page=True, switched=switched)) for width in (WIDE, NARROW))
    return {"wide": wide, "narrow": narrow}


# ---- where the numbers come from: items, licence, models, versions, settings ----------------------------------------


def provenance(study: Study) -> dict[str, Any]:
    """The manifest of the items, and the record of every run."""
    items, manifest = study.items, study.items.manifest
    facts = {
        "suite": items.suite.name,
        "paper": items.suite.cites,
        "items": f"{study.arrays.count:,} from {items.source or 'memory'}",
        "sha256 of the items": items.runs[0].items_sha,
        "licence of the data": manifest.get("licence") or "not stated",
    }
    runs = []
    for run, label, answered in zip(items.runs, items.labels, study.arrays.runs):
        words = ", ".join(filter(None, [formatting.count(len(answered.lines), "answer"), formatting.how_asked(run)]))
        record = json.dumps(msgspec.to_builtins(run), ensure_ascii=False, indent=2)
        runs.append({"label": label, "answers": words, "record": record})
    shown = json.dumps(msgspec.to_builtins(manifest), ensure_ascii=False, indent=2) if manifest else ""
    return {"facts": facts, "manifest": shown, "runs": runs}
