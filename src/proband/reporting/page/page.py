"""The pages of a report: index.html is the overview; each item set has its own page with its tables, figures,
tests, item browser and provenance; claims.html has the papers' findings as tests. And the data of the item browser.

Style and script are written into each page: the files of one folder are all there is. The templates next to this file
put the numbers into words and HTML, and escape them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from proband.core.errors import ProbandError
from proband.core.files import asset, dumps, render
from proband.core.metrics import Estimate
from proband.core.suite import Published, Sheet
from proband.core.types import Answer, Item
from proband.reporting import tables
from proband.reporting.charts import (
    NARROW,
    WIDE,
    Axis,
    Picture,
    dot_plot,
    drawing,
    figure_of,
    line_plot,
    shade,
    style_classes,
    svg,
)
from proband.reporting.claims import Verdict
from proband.reporting.claims import counts as claim_counts
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import Comparison
from proband.reporting.numbers.score_tables import Row, ScoreTable, is_published, tip
from proband.reporting.numbers.study import Study, picked
from proband.reporting.profile import Profile
from proband.reporting.profile_texts import as_table
from proband.reporting.sections import Section
from proband.stats.clusters import Floats, Ints
from proband.stats.ranking import best_threshold

SCRIPTS = (
    ("proband.web", "page.js"),
    ("proband.reporting.page", "figures.js"),
    ("proband.reporting.page", "browser.js"),
)


def pages(
    sections: Sequence[Section],
    browsed: Sequence[Mapping[str, int]],
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
    for section, view, counts in zip(sections, views, browsed, strict=True):
        items, shown, drawn = (counts[name] for name in ("items", "shown", "drawings"))
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
        own["item_pages"] = {view["study"].source: view["file"] for view in views}
    contents += [("learnt", "Main findings", 1)] if learnt or notes else []
    contents += [(view["key"], view["title"], 2) for view in views]
    contents += [("tables", "Tables and figures", 1), ("reading", "How to read the numbers", 1)]
    scores = (each for section in sections for each in section.tables if isinstance(each, ScoreTable))
    if learnt and (plotted := next((each for each in scores if drawing(each) is line_plot), None)):
        own["picture"] = {"title": plotted.layout.title, **_both_widths(partial(line_plot, plotted), switched=False)}
    counted = formatting.counts_of(system for section in sections for system in section.study.systems)
    models = formatting.in_a_sentence([formatting.count(n, kind.removesuffix("s")) for kind, n in counted.items()])
    answers = sum(len(run.lines) for section in sections for run in section.study.answered_items)
    items = sum(section.study.asked_count for section in sections)
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
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return {
        "script_hash": f"sha256-{digest}",  # with it a content security policy allows an inline script
        "script": Markup(script),
        "style": Markup(style),
        "words": formatting,
        "style_classes": style_classes,
        "tip": tip,
        "plain_cell": tables.plain_cell,
        "axis_of": lambda lows, highs: Axis(min(lows), max(highs), 6, 144),
    }


def _view(section: Section) -> dict[str, Any]:
    study, panels = section.study, [panel(each) for each in section.tables]
    scored, suite = study.mask({}), study.suite
    rows = np.concatenate([run.values(study.main.name)[0] for run in study.answered_items])
    counted = np.unique(rows[scored[rows]])
    sizes = [cell.n for cell in study.cell(study.main, {}) if cell]
    each = f" ({min(sizes):,} to {max(sizes):,} per model)" if len(set(sizes)) > 1 else ""
    clusters = formatting.count(study.clusters.count, "cluster")
    about = [
        f"{formatting.count(study.asked_count, 'item')} asked, of {study.count:,} in {clusters}",
        study.source,
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
        "overall_unit": f"{section.overall.unit} over {formatting.count(len(counted), 'item')}{each}",
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
        "title": sheet.layout.title,
        "figure": _both_widths(draw, switched=sheet.by_system) if draw else None,
        "bodies": [_body(sheet, group) for group in sheet.groups],
        "sources": "; ".join(dict.fromkeys(figure.source for figure in sheet.published)),
        "bold": len(sheet.labels) > 1,
        "marks": marks_key(sheet, drawing(sheet)),
    }


def marks_key(table: ScoreTable, draw: Callable[..., Picture] | None) -> list[tuple[str, str]]:
    """The key of a figure: (class of the style sheet, words) for each kind of mark that it has."""
    few = [("few", "too few items to tell: no interval")] if any(cell.few for cell in table.filled) else []
    published = [("ring" if draw is line_plot else "diamond", "published")] if table.published else []
    chance = [("dash", "chance")] if table.has_chance else []
    chance += [("level", "best shortcut that was run")] * any(cell.shortcut is not None for cell in table.filled)
    level = table.level.partition(" (")[0]
    if draw is None:
        against = f"above {level}" if table.has_chance else "darker: better"
        low = [("below", f"below {level}"), ("pale", f"° {table.at_level}")] if table.has_chance else []
        return [("above", against), *low, *few]
    if draw is line_plot:  # where the lines of chance and of the shortcut are named
        return [("dot", "mean"), ("band", "95 % interval"), *published, *few]
    return [("dot", "mean"), ("bar", "95 % interval"), *chance, *published, *few]


def _body(table: ScoreTable, group: Sequence[Row]) -> dict[str, Any]:
    """The rows with equal tags. The best of ours is in bold, if there are several."""
    pick, top = max if table.metric.better == "high" else min, list[float | None]()
    ours = [row for row in group if not is_published(row[2:])]
    for column in range(len(table.columns) if len(ours) > 1 else 0):
        means = (cell.mean for row in ours if isinstance(cell := row[2 + column], Estimate))
        top.append(pick(means, default=None))
    lines = [_line(table, row, top or [None] * len(table.columns)) for row in group]
    return {"heading": table.row_heading(group[0][0]), "lines": lines}


def _line(table: ScoreTable, row: Row, top: Sequence[float | None]) -> dict[str, Any]:
    key, label, *cells = row
    theirs = is_published(cells)
    own = {"run": None if theirs else table.labels.index(label), "differs": table.differs.get((key, label), ())}
    return {"label": label, **own, "cells": [_cell(table, row, at, highest) for at, highest in enumerate(top)]}


def _cell(table: ScoreTable, row: Row, at: int, highest: float | None) -> dict[str, Any]:
    """A cell in words, its classes, its shade where the table has no figure, and its tooltip."""
    _, label, *cells = row
    cell, shaded = cells[at], drawing(table) is None
    own = {"words": table.words(cell), "classes": "", "shade": "", "tip": ""}
    if is_published(cells):
        sources = dict.fromkeys(each.source for each in cells if isinstance(each, Published))
        own["tip"] = f"{label} (published)\n{'; '.join(sources)}"
    elif isinstance(cell, Estimate):
        own["classes"] = "few" if cell.few else cell.against_level + (" best" if cell.mean == highest else "")
        own["shade"] = shade(cell, table.value_range, table.metric) if shaded and not cell.few else ""
        own["tip"] = tip(table, row, at)
    return own


def _both_widths(draw: Callable[[float], Picture], *, switched: bool = True) -> dict[str, str]:
    """A drawing for wide screens and for narrow ones."""
    from markupsafe import Markup

    wide, narrow = (Markup(svg(draw(width), page=True, switched=switched)) for width in (WIDE, NARROW))
    return {"wide": wide, "narrow": narrow}


# ---- where the numbers come from: items, licence, models, versions, settings ----------------------------------------


def provenance(study: Study) -> dict[str, Any]:
    """The manifest of the items, and the record of every run."""
    facts = {
        "suite": study.suite.name,
        "paper": study.suite.cites,
        "items": f"{study.count:,} from {study.source or 'memory'}",
        "sha256 of the items": study.runs[0].items_sha,
        "licence of the data": study.manifest.get("licence") or "not stated",
    }
    runs = []
    for run, label, answered in zip(study.runs, study.labels, study.answered_items):
        words = ", ".join(filter(None, [formatting.count(len(answered.lines), "answer"), formatting.how_asked(run)]))
        record = json.dumps(msgspec.to_builtins(run), ensure_ascii=False, indent=2)
        runs.append({"label": label, "answers": words, "record": record})
    shown = json.dumps(msgspec.to_builtins(study.manifest), ensure_ascii=False, indent=2) if study.manifest else ""
    return {"facts": facts, "manifest": shown, "runs": runs}


# ---- the item browser's data -----------------------------------------------------------------------------------------

# Small script files, since a page opened from disk may load scripts but not fetch. An index per item set holds what
# filters need (a code per tag, right or wrong per run); the items themselves lie in shards of a few hundred that the
# page loads when it shows them. Of a large item set the browser has a sample, which a second pass over the files picks
# out.

SHOWN = 2000  # items in the browser
SHARD = 250  # items a file
FILTERED = 400  # a tag with more values than this is searched, not picked from a list
DRAWN = 240  # items that carry the suite's drawings
TRIED = 3  # drawn items after which it is known whether a suite draws answers too
DRAWING_BYTES = 8 * 2**20


def script(call: str, *values: Any) -> str:
    """A line of JavaScript that hands values over as JSON that is inert inside HTML and JavaScript alike.

    >>> script("f", "</script>")
    'f("\\\\u003c/script>");\\n'
    """
    text = ",".join(map(dumps, values)).replace("<", "\\u003c")
    return f"{call}({text});\n".replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def write_browser(
    study: Study,
    write: Callable[[str, str], None],
    *,
    order: Floats | None = None,
    facts: Mapping[int, Mapping[str, str]] | None = None,
) -> dict[str, int]:
    """Write the index and the shards of one item set by `write(file, text)`; returns how many items it has, shows and
    draws. `order`: a number for every item, the lowest first (NaN: last); `facts`: further facts of an item."""
    values = outcomes(study)
    places = sample(study, most=SHOWN)
    places = places if order is None else places[np.argsort(order[places], kind="stable")]
    browser = _Browser(study, places, [line[places] for line in values], facts or {})
    records = browser.records()
    for number, first in enumerate(range(0, len(records), SHARD)):
        part = records[first : first + SHARD]
        write(f"data/{study.key}-{number}.js", script("PROBAND.shard", study.key, number, part))
    write(f"data/{study.key}-index.js", script("PROBAND.index", study.key, browser.index(records)))
    return {"items": study.count, "shown": len(records), "drawings": sum("svg" in each for each in records)}


def outcomes(study: Study) -> list[Floats]:
    """The main metric of each item, a line per run; NaN where there is none. A metric that ranks items has no number
    for one of them: its items are right (1) or wrong (0) at the run's own threshold."""
    count, entry = study.count, [run.values(study.main.name) for run in study.answered_items]
    lines = []
    for run, (rows, numbers) in enumerate(entry):
        line = np.full(count, np.nan)
        if study.main.over == "item":  # the mean of its numbers
            counted = np.bincount(rows, minlength=count)
            total = np.bincount(rows, weights=numbers, minlength=count)
            line[counted > 0] = (total / np.maximum(counted, 1))[counted > 0]
        elif numbers.ndim == 2 and numbers.shape[1] == 2:  # a score and the truth
            read = ~np.isin(rows, study.answered_items[run].of_status("unread"))
            scores, truth = numbers[read].T
            line[rows[read]] = (scores >= best_threshold(scores, truth)) == (truth > 0.5)
        lines.append(line)
    return lines


class _Browser:
    """The items at `places` with everyone's answers; `values` are the main metric of each run for them."""

    def __init__(
        self, study: Study, places: Any, values: Sequence[Any], facts: Mapping[int, Mapping[str, str]]
    ) -> None:
        self.study, self.places, self.facts = study, places.tolist(), facts
        tags = study.tags
        self.listed = [name for name in study.written if len(tags[name].values) <= FILTERED]
        result = picked(study.items_from, Item, self.places)
        self.items = [result[place] for place in self.places]
        runs = [run for system in study.systems for run in system.runs]
        self.values = [values[run] for run in runs]
        self.answers = [self._answers(run) for run in runs]
        self.labels = [study.labels[run] for run in runs]

    def _answers(self, run: int) -> list[Answer | None]:
        answered = self.study.answered_items[run].answered
        line = np.searchsorted(answered, self.places)
        lines = {place: int(at) for place, at in zip(self.places, line) if at < len(answered) and answered[at] == place}
        result = picked(self.study.answered[run].answers, Answer, lines.values())
        return [result[lines[place]] if place in lines else None for place in self.places]

    def records(self) -> list[dict[str, Any]]:
        records = [self._record(i) for i in range(len(self.items))]
        spent, pictures, answered = 0, 0, True
        asked = [i for i in range(len(records)) if any(given[i] is not None for given in self.answers)]
        most = min(DRAWN, len(asked))
        for i in [asked[at * len(asked) // most] for at in range(most)]:  # evenly spaced
            if spent >= DRAWING_BYTES:
                break
            if drawings := self._drawings(i, answers=answered):
                records[i]["svg"] = drawings
                spent += sum(len(svg) for svg in drawings.values())
                pictures += 1
                answered = answered and (pictures < TRIED or len(drawings) > 1)
        return records

    def index(self, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        study, groups = self.study, groups_of(self.study)
        asked = [i for i, record in enumerate(records) if any(each is not None for each in record["answers"])]
        return {
            "suite": study.suite.name,
            "count": len(records),
            "total": study.count,
            "shard": SHARD,
            "ids": [record["id"] for record in records],
            "runs": self.labels,
            "looks": [style_classes(hue) for hue, system in zip(study.hues, study.systems) for _ in system.runs],
            "tags": {
                name: {
                    "title": self._title(name),
                    "values": [formatting.tag(value) for value in study.tags[name].values],
                    "codes": study.tags[name].codes[self.places].tolist(),
                }
                for name in self.listed
            },
            "right": ["".join(map(self._sign, given, line.tolist())) for given, line in zip(self.answers, self.values)],
            "ranked": study.main.over == "set",
            "drawn": [i for i, record in enumerate(records) if "svg" in record],
            **({"asked": asked} if 0 < len(asked) < len(records) else {}),
            **({} if groups is None else {"groups": groups[self.places].tolist()}),
        }

    def _record(self, i: int) -> dict[str, Any]:
        item = self.items[i]
        record: dict[str, Any] = {"id": item.id, "prompt": item.prompt}
        if item.choices:
            record |= {"choices": item.choices, "gold": item.gold}
        own = {name: value for name, value in item.tags.items() if name not in self.listed}
        facts = dict(self.facts.get(self.places[i], {}))
        if own or facts:
            record["tags"] = {self._title(name): formatting.tag(value) for name, value in own.items()} | facts
        record["answers"] = [_answer(given[i], float(line[i])) for given, line in zip(self.answers, self.values)]
        text = self.study.suite.show(item)
        return record | ({"show": text} if text.strip() != item.prompt.strip() else {})

    def _title(self, tag: str) -> str:
        return self.study.suite.tag_titles.get(tag, formatting.name(tag))

    def _sign(self, answer: Answer | None, value: float) -> str:
        """1 right, 0 wrong, t a tie with the right choice, h partly right, u unread, f failed or withheld, s skipped,
        n not covered, - no verdict."""
        if answer is not None and answer.status:
            return "f" if answer.status in ("error", "content_filter") else answer.status[0]
        if value != value or not self.study.main.percent:
            return "-"
        if answer is not None and 0 < value < 1:
            return "t" if answer.scores else "h"
        return "1" if value >= 1 else "0"

    def _drawings(self, i: int, *, answers: bool) -> dict[str, str]:
        """The suite's drawing of the item, and one per run where it differs. Drawings are shown as images, so that
        nothing in them can run."""
        draw, item = self.study.suite.draw, self.items[i]
        plain = draw(item, None)
        result = {"": plain} if plain else {}
        for label, given in zip(self.labels, self.answers) if answers else ():
            answer = given[i]
            own = draw(item, answer) if answer is not None and not answer.status else None
            if own and own != plain:
                result[label] = own
        for image in result.values():
            if not image.startswith('<svg xmlns="http://www.w3.org/2000/svg"'):  # images need the namespace
                raise ProbandError(f"the drawing of item {item.id!r} does not begin with <svg xmlns=...>")
        return result


def _answer(answer: Answer | None, value: float) -> dict[str, Any] | None:
    if answer is None:
        return None
    fields = {
        "s": [float(f"{score:.6g}") for score in answer.scores] or None,
        "t": answer.text,
        "l": None if answer.logprob is UNSET else round(answer.logprob, 4),
        "b": answer.blanks or None,
        "status": answer.status or None,
    }
    known = {name: each for name, each in fields.items() if each is not None}
    return {"v": None if value != value else round(value, 4), **known}


# ---- which items are shown, where there are too many -----------------------------------------------------------------


def sample(study: Study, *, most: int) -> Ints:
    """At most `most` places of items, in their order: all, or some drawn at random, with all variations of an item."""
    count, rng = study.count, np.random.default_rng(study.seed)
    if count <= most:
        return np.arange(count)
    groups = groups_of(study)
    groups = np.arange(count) if groups is None else groups
    names = np.unique(groups)
    chosen = rng.choice(names, size=max(1, most * len(names) // count), replace=False)
    return np.flatnonzero(np.isin(groups, chosen))


def groups_of(study: Study) -> Ints | None:
    """Of each item of a varied set a number that it shares with its source; None for other sets. The variations of an
    item follow it (pipeline/vary.py)."""
    tag = study.tags.get("variation")
    if tag is None or "original" not in tag.values:
        return None
    groups: Ints = np.cumsum((tag.codes == tag.values.index("original")) | (tag.codes < 0))
    return groups
