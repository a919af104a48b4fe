"""The pages of a report: index.html is the overview; each item set has its own page with its tables, figures,
tests, item browser and provenance; claims.html has the papers' findings as tests.

Style and script are written into each page: the files of one folder are all there is. The templates next to this file
put the numbers into words and HTML, and escape them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from proband.core.files import asset, content_hash, render
from proband.core.suite import Sheet
from proband.core.types import Run
from proband.reporting import tables
from proband.reporting.claims import Verdict
from proband.reporting.claims import counts as claim_counts
from proband.reporting.draw.charts import dot_plot, drawing, figure_of, line_plot, shade
from proband.reporting.draw.marks import NARROW, WIDE, Axis, Picture, look, svg, variable
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Comparison, Study
from proband.reporting.numbers.item_sets import ItemSet
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
    """Everything the page says of one item set."""

    study: Study
    overall: ScoreTable
    tables: tuple[Sheet, ...]  # those of scores first
    compared: tuple[Comparison, ...]
    findings: tuple[str, ...]  # the sentences that stand first
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
    contents, counts = _outline(views, first=bool(learnt or notes)), _counts(sections)
    if profile is not None:
        contents[1:1] = [("profile", "Profile", 1), ("examples", "Right and wrong", 1)]
    overview: dict[str, Any] = {
        "contents": contents,
        "counts": counts,
        "learnt": learnt,
        "notes": notes,
        "picture": _picture(sections) if learnt else None,
    }
    overview |= _profile(profile, views) if profile is not None else {"profile": None}
    texts = {"index.html": _rendered("overview", shared, **overview)}
    for section, view in zip(sections, views):
        own = {"here": view["file"], "s": view, "contents": view["contents"], "partly": _partly(section)}
        texts[view["file"]] = _rendered("item_set", shared, **own)
    if claims:
        names = {view["key"]: view["title"] for view in views}
        contents = [("claims", "Claims", 1)]
        own = {"here": "claims.html", "contents": contents, "names": names, "counts": claim_counts(claims)}
        texts["claims.html"] = _rendered("claims", shared, **own)
    return texts


def _picture(sections: Sequence[Section]) -> dict[str, str] | None:
    """The one figure of the first screen: a line along a number (the length of a chain), where a set has one."""
    tables = (each for section in sections for each in section.tables if isinstance(each, ScoreTable))
    table = next((each for each in tables if drawing(each) is line_plot), None)
    if table is None:
        return None
    return {"title": table.table.title, **_both_widths(partial(line_plot, table), switched=False)}


def _profile(profile: Profile, views: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the overview shows of a profile: its figure, and where the items of each set are."""
    table = as_table(profile)
    return {
        "profile": profile,
        "profile_figure": _both_widths(partial(dot_plot, table)),
        "profile_marks": marks_key(table, dot_plot),
        "item_pages": {view["study"].items.source: view["file"] for view in views},
    }


def page_of(template: str, *, title: str, boards: Sequence[Mapping[str, Any]], **values: Any) -> str:
    """A page of its own with the style and script of all: a leaderboard."""
    contents = [("overview", title, 1), *((each["name"].replace(" ", "-"), each["name"], 2) for each in boards)]
    shared = {**_shared(), "title": title, "pages": [("index.html", title)], "contents": contents, "boards": boards}
    return _rendered(template, shared, **values)


def items_page(study: Study, sheets: Sequence[Sheet], browsed: Mapping[str, int], *, lede: str) -> str:
    """The page of `proband items`."""
    contents = [("overview", "Items", 1), *((each.name, each.title, 1) for each in sheets)]
    contents.append(("items", "Item by item", 1))
    shared = {**_shared(), "title": "Items", "pages": [("index.html", "Items")], "contents": contents}
    partly = (
        "" if browsed["shown"] == browsed["items"] else f"Showing {browsed['shown']:,} of {browsed['items']:,} items."
    )
    own = {"sheets": sheets, "key": study.key, "lede": lede, "partly": partly}
    return _rendered("items", shared, **own)


def _rendered(template: str, shared: Mapping[str, Any], **values: Any) -> str:
    return render("proband.reporting.page", f"{template}.html", **{"here": "index.html", **shared, **values})


def _shared() -> dict[str, Any]:
    """What every page has: style and script, and the functions that templates call."""
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


def _outline(views: Sequence[Mapping[str, Any]], *, first: bool) -> list[tuple[str, str, int]]:
    """The contents of the overview: (anchor, words, level)."""
    learnt = [("learnt", "Main findings", 1)] if first else []
    parts = [("overview", "Overview", 1), *learnt, *((view["key"], view["title"], 2) for view in views)]
    return [*parts, ("tables", "Tables and figures", 1), ("reading", "How to read the numbers", 1)]


def _counts(sections: Sequence[Section]) -> str:
    every = {run.model for section in sections for run in section.study.items.runs}
    asked = {model for model in every if not model.startswith(("baseline:", "solver:"))} or every
    models = formatting.count(len(asked), "model")
    models += f" and {formatting.count(len(every - asked), 'baseline')}" if every - asked else ""
    answers = sum(len(run.lines) for section in sections for run in section.study.arrays.runs)
    items = sum(section.study.asked for section in sections)
    return ", ".join((models, formatting.count(items, "item"), formatting.count(answers, "answer")))


def _view(section: Section) -> dict[str, Any]:
    study, panels = section.study, [panel(each) for each in section.tables]
    suite = study.items.suite
    scored = study.mask({})
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
    """Overall differences in the open, those per column behind a line to click on."""
    if not compared:
        return None
    rest = [c for c in compared if c.group]
    pairs = len({frozenset((c.a, c.b)) for c in compared})
    return {
        "family": _family(max(1, round(len(compared) / pairs))),
        "overall": [c for c in compared if not c.group],
        "by": " and ".join(dict.fromkeys(formatting.name(tag) for c in rest for tag in c.group)),
        "rest": rest,
    }


def _family(comparisons: int) -> str:
    """
    >>> _family(3)
    'Holm’s correction over the 3 comparisons of each pair of models'
    """
    if comparisons == 1:
        return "one comparison per pair of models, so no correction"
    return f"Holm’s correction over the {comparisons} comparisons of each pair of models"


def _partly(section: Section) -> str:
    """What the item browser leaves out, if anything."""
    items, shown, drawn = (section.browsed[name] for name in ("items", "shown", "drawings"))
    parts = []
    if shown < items:
        at_random = "drawn at random"
        parts.append(f"showing {shown:,} of {items:,} items, {at_random}")
    if 0 < drawn < shown:
        parts.append(f"drawings of {drawn:,} items")
    return f"{section.study.name}: {'; '.join(parts)}." if parts else ""


# ---- the panel of a table: its drawings and its cells ----------------------------------------------------------------


def panel(sheet: Sheet) -> dict[str, Any]:
    """A table with its figure; one of scores with the classes, shades and tooltips of its cells."""
    draw = figure_of(sheet)
    if not isinstance(sheet, ScoreTable):
        numbers = tables.numeric(sheet)
        return {
            "sheet": sheet,
            "title": sheet.title,
            "figure": _both_widths(draw) if draw else None,
            "numbers": numbers,
        }
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
    """What the marks of a figure mean, as (class of the style sheet, words): those that it has."""
    few = [("few", "too few items to tell: no interval")] if grid.has_few else []
    published = [("diamond", "published")] if grid.published else []
    chance = [("dash", "chance")] if grid.has_chance else []
    chance += [("level", "best shortcut")] if any(cell.shortcut is not None for cell in grid.filled) else []
    level = "the best shortcut" if grid.level != "chance" else "chance"
    if draw is None:
        against = f"above {level}" if grid.has_chance else "darker: better"
        low = [("below", f"below {level}"), ("pale", f"° the interval includes {level}")] if grid.has_chance else []
        return [("above", against), *low, *few]
    band = "band" if draw is line_plot else "bar"
    return [("dot", "mean"), (band, "95% interval"), *chance, *published, *few]


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
            own["shade"] = variable(shade(cell, span, grid.metric)) if shaded and not cell.estimate.few else ""
            own["tip"] = tip(grid, line, at)
        yield own


def _both_widths(draw: Callable[[float], Picture], *, switched: bool = True) -> dict[str, str]:
    """A drawing for wide screens and for narrow ones."""
    from markupsafe import Markup

    wide, narrow = (Markup(svg(draw(width), page=True, switched=switched)) for width in (WIDE, NARROW))
    return {"wide": wide, "narrow": narrow}


# ---- where the numbers come from: items, licence, models, versions, settings, and the commands that repeat them -----


# options of `run` that are no options of a solver
FLAGS = ("limit", "split", "too-long", "prompt", "shots", "shots-from", "think", "system", "max-tokens", "logprobs")
NO_OPTIONS = ("asked", "prompt-sha", "where")  # what a run records beyond its options


def provenance(study: Study) -> dict[str, Any]:
    """The block of one item set: its items, then every run."""
    items, manifest = study.items, study.items.manifest
    facts = {
        "suite": items.suite.name,
        "paper": items.suite.cites,
        "items": f"{study.arrays.count:,} from {items.source or 'memory'}",
        "sha256 of the items": items.runs[0].items_sha,
        "licence of the data": manifest.get("licence") or "not stated",
        "build": build_command(items),
    }
    return {
        "facts": facts,
        "manifest": _indented(manifest) if manifest else "",
        "runs": [
            {
                "label": label,
                "answers": f"{len(answered.lines):,} answers"
                + (f", {how}" if (how := formatting.how_asked(run)) else ""),
                "command": run_command(run, items),
                "record": _indented(run),
            }
            for run, label, answered in zip(items.runs, items.labels, study.arrays.runs)
        ],
    }


def _indented(record: Any) -> str:
    return json.dumps(msgspec.to_builtins(record), ensure_ascii=False, indent=2)


def build_command(items: ItemSet) -> str:
    manifest = items.manifest
    parts = ["proband", "build", items.suite.name, "-o", items.source or "DIR"]
    parts += ["--seed", str(manifest["seed"])] if "seed" in manifest else []
    return shlex.join(parts + _flags(manifest.get("options", {})))


def run_command(run: Run, items: ItemSet) -> str:
    parts = ["proband", "run", items.source or "DIR", "-m", run.model, "-s", run.solver]
    given = {name.replace("_", "-"): value for name, value in run.settings.items()}
    own = {name: value for name, value in given.items() if name in FLAGS and value != 0}
    rest = {name: _listed(value) for name, value in given.items() if name not in (*FLAGS, *NO_OPTIONS)}
    words = [("--where", f"{name}={values}") for name, values in dict(run.settings.get("where", {})).items()]
    words += [("--set", f"{name}={value}") for name, value in rest.items() if value]
    parts += ["--seed", str(run.seed), *_flags(own), *(word for each in words for word in each), "-o", "RUNDIR"]
    return shlex.join(parts)


def _flags(options: Mapping[str, Any]) -> list[str]:
    """
    >>> _flags({"per_k": 20, "certify": True, "rules": None, "k": [2, 3]})
    ['--per-k', '20', '--certify', '--k', '2,3']
    """
    given = [("--" + name.replace("_", "-"), value) for name, value in options.items() if value is not False]
    words = [[flag] if value is True else [flag, text] for flag, value in given if (text := _listed(value))]
    return [word for each in words for word in each]


def _listed(value: Any) -> str:
    """
    >>> _listed([0, 6]), _listed(True), _listed(None)
    ('0,6', 'yes', '')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value) if isinstance(value, (str, int, float)) else ""
