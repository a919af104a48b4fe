"""index.html: the overview, a section per item set, the item browser, and where the numbers come from.

Style and script are written into the page, so that one file and its data folder are all there is. Whatever comes
from items, models or suites goes through `escape`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from proband.report import words
from proband.report.cells import Cell, Study
from proband.report.compare import Comparison
from proband.report.figures import Axis, tip, value_range
from proband.report.grids import Grid
from proband.report.marks import MODELS, SHAPES
from proband.report.panel import panel
from proband.report.provenance import provenance
from proband.report.tables import unit
from proband.report.versus import versus


@dataclass(frozen=True, kw_only=True)
class Section:
    """Everything the page says of one item set."""

    study: Study
    overall: Grid
    grids: tuple[Grid, ...]
    compared: tuple[Comparison, ...]
    said: tuple[str, ...]
    browsed: Mapping[str, int]


def page(sections: Sequence[Section], *, title: str, missing: str) -> str:
    """The whole page; `missing` says which figure files could not be written."""
    script, style = (files("proband.report").joinpath(name).read_text("utf-8") for name in ("page.js", "page.css"))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    parts = {
        "hashes": f"'sha256-{digest}'",
        "title": escape(title),
        "style": style,
        "nav": _nav(sections),
        "main": "\n".join(
            [
                _overview(sections, title),
                *(_suite(section, name(section, sections)) for section in sections),
                _browser(sections),
                _origin(sections),
            ]
        ),
        "footer": _footer(missing),
        "script": script,
    }
    template = files("proband.report").joinpath("template.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], template)


def _nav(sections: Sequence[Section]) -> str:
    links = [("overview", "Overview"), *((s.study.joined.key, name(s, sections)) for s in sections)]
    links += [("items", "Items"), ("provenance", "Provenance")]
    return "".join(f'<a href="#{key}">{escape(text)}</a>' for key, text in links)


def name(section: Section, sections: Sequence[Section]) -> str:
    """The suite, with the source where two item sets are of one suite."""
    own = section.study.joined
    rest = [other.study.joined for other in sections if other.study.joined.loaded.suite.name == own.loaded.suite.name]
    if len(rest) == 1:
        return own.loaded.suite.name
    told_apart = own.loaded.source and [other.loaded.source for other in rest].count(own.loaded.source) == 1
    name = own.loaded.suite.name
    short = own.loaded.source.removeprefix(name).lstrip("-_ ") if told_apart else own.key  # kinship-small: small
    return f"{name} ({short})" if short else name


# ---- overview ------------------------------------------------------------------------------------------------------


def _overview(sections: Sequence[Section], title: str) -> str:
    models = {run.model for s in sections for run, _ in s.study.joined.loaded.runs}
    answers = sum(len(given) for s in sections for _, given in s.study.joined.loaded.runs)
    items = sum(len(s.study.joined.loaded.items) for s in sections)
    counts = ", ".join((words.count(len(models), "model"), words.count(items, "item"), words.count(answers, "answer")))
    cards = "".join(_card(section, name(section, sections)) for section in sections)
    said = "".join(
        f"<h3>{escape(name(s, sections))}</h3>{_sentences(s.said)}" if len(sections) > 1 else _sentences(s.said)
        for s in sections
        if s.said
    )
    stands = f'<div class="panel"><h2>What stands out</h2>{said}</div>' if said else ""
    return (
        f'<section id="overview"><h1>{escape(title)}</h1><p class="lede">{counts}.</p>'
        f'<div class="cards">{cards}</div>{stands}</section>'
    )


def _sentences(said: Sequence[str]) -> str:
    return f'<ul class="words">{"".join(f"<li>{escape(each)}</li>" for each in said)}</ul>'


def _card(section: Section, title: str) -> str:
    joined = section.study.joined
    counted = {int(row) for values in joined.metrics[joined.main] for row in values.rows}  # not the training items
    return (
        f'<article class="card"><h2><a href="#{joined.key}">{escape(title)}</a></h2>'
        f'<p class="question">{escape(joined.loaded.suite.question)}</p>{_headline(section.overall)}'
        f'<p class="meta">{escape(unit(section.overall))} over '
        f"{words.count(len(counted), 'item')}</p></article>"
    )


def _headline(grid: Grid) -> str:
    """One line per model: name, interval on a track, number."""
    row, column = grid.rows[0], grid.columns[0]
    low, high = value_range(grid)
    axis = Axis(low, high, 0.0, 100.0, grid.percent)
    out = [_entry(grid, run, cell, axis) for run, cell in enumerate(grid.cells[row, column])]
    ticks = "".join(f'<span style="left:{axis(t):.2f}%">{axis.name(t)}</span>' for t in axis.ticks())
    out.append(f'<div class="entry" aria-hidden="true"><dd class="where"><div class="axis">{ticks}</div></dd></div>')
    return f'<dl class="headline">{"".join(out)}</dl>'


def _entry(grid: Grid, run: int, cell: Cell | None, axis: Axis) -> str:
    look, shape = f"c{run % MODELS}", f"s{run % len(SHAPES)}"
    start = f'<div class="entry"><dt><span class="swatch {shape} {look}"></span>{escape(grid.labels[run])}</dt>'
    if cell is None:
        return f'{start}<dd class="where"></dd><dd class="value">–</dd></div>'
    e = cell.estimate
    chance = f'<i class="chance" style="left:{axis(cell.chance):.2f}%"></i>' if cell.chance is not None else ""
    span = f'<i class="span" style="left:{axis(e.low):.2f}%;width:{axis(e.high) - axis(e.low):.2f}%"></i>'
    dot = f'<i class="mean swatch {shape}" style="left:{axis(e.mean):.2f}%"></i>'
    hint = escape(tip(grid, run, grid.rows[0], grid.columns[0], cell)).replace("\n", "&#10;")
    return (
        f'{start}<dd class="where"><div class="track {look}" data-tip="{hint}">{chance}{span}{dot}</div></dd>'
        f'<dd class="value"><b>{words.figure(e.mean, percent=grid.percent)}</b> '
        f'<span class="ci">{words.interval(e.low, e.high, percent=grid.percent)}</span></dd></div>'
    )


# ---- one item set --------------------------------------------------------------------------------------------------


def _suite(section: Section, title: str) -> str:
    joined = section.study.joined
    loaded = joined.loaded
    clusters = len({each for clusters in joined.clusters for each in clusters})
    about = f"{words.count(len(loaded.items), 'item')} in {words.count(clusters, 'cluster')}"
    about += f" · {loaded.source}" if loaded.source else ""
    about += f" · {loaded.suite.cites}" if loaded.suite.cites else ""
    parts = [
        f'<section id="{joined.key}"><h2>{escape(title)}</h2>',
        f'<p class="question">{escape(loaded.suite.question)}</p><p class="meta">{escape(about)}</p>',
        _legend(section),
        *(panel(grid) for grid in section.grids),
        _comparisons(section),
        "</section>",
    ]
    return "\n".join(parts)


def _legend(section: Section) -> str:
    buttons = "".join(
        f'<button type="button" aria-pressed="true" data-model="{run}"><span class="swatch s{run % len(SHAPES)} '
        f'c{run % MODELS}"></span>{escape(label)}</button>'
        for run, label in enumerate(section.study.joined.labels)
    )
    keys = '<span class="key"><span class="dash"></span>chance</span>' if _has_chance(section) else ""
    if any(grid.others(row) for grid in section.grids for row in grid.rows):
        keys += '<span class="key"><span class="swatch published"></span>published</span>'
    return f'<div class="legend" role="group" aria-label="Models shown">{buttons}{keys}</div>'


def _has_chance(section: Section) -> bool:
    return any(cell and cell.chance is not None for g in section.grids for found in g.cells.values() for cell in found)


def _comparisons(section: Section) -> str:
    """Overall differences in the open, those per column behind a line to click on."""
    if not section.compared:
        return ""
    percent = section.study.percent(section.study.joined.main)
    overall = [c for c in section.compared if not c.group]
    rest = [c for c in section.compared if c.group]
    by = " and ".join(dict.fromkeys(tag for c in rest for tag in c.group))
    more = f"<details><summary>by {escape(by)}</summary>{versus(rest, percent=percent)}</details>" if rest else ""
    return (
        '<article class="panel"><h3>Which differences are real</h3>'
        f'<p class="meta">{escape(words.metric(section.study.joined.main))}, paired on the items both models answered; '
        f"clustered test; p-values corrected together for {words.count(len(section.compared), 'comparison')} (Holm)</p>"
        f"{versus(overall, percent=percent)}{more}</article>"
    )


# ---- items and origin ----------------------------------------------------------------------------------------------


def _browser(sections: Sequence[Section]) -> str:
    options = "".join(f'<option value="{s.study.joined.key}">{escape(name(s, sections))}</option>' for s in sections)
    partly = [
        f"{name(s, sections)}: the full text of {s.browsed['texts']:,} of {s.browsed['items']:,} items"
        + (f" and drawings of {s.browsed['drawings']:,}" if s.browsed["drawings"] else "")
        for s in sections
        if s.browsed["texts"] < s.browsed["items"] or 0 < s.browsed["drawings"] < s.browsed["items"]
    ]
    rest = "<code>proband show</code> has the rest."
    note = f'<p class="note">This page carries, for {escape("; ".join(partly))}. {rest}</p>'
    return (
        '<section id="items"><h2>Items</h2><p class="question">Every question, what each model made of it, and what '
        'was right.</p><div class="panel"><div class="filters" role="search">'
        f'<label>item set<select id="set">{options}</select></label><span id="tags" class="filters"></span>'
        '<label>text<input id="search" type="search" placeholder="words in the item" autocomplete="off"></label></div>'
        '<div class="bar"><output id="found" aria-live="polite">needs JavaScript</output>'
        '<button id="before" type="button" disabled>Previous</button><button id="after" type="button" disabled>Next'
        f'</button></div><ol class="items" id="list"></ol>{note if partly else ""}</div></section>'
    )


def _origin(sections: Sequence[Section]) -> str:
    blocks = "".join(f'<div class="panel">{provenance(section.study.joined)}</div>' for section in sections)
    return (
        '<section id="provenance"><h2>Provenance</h2><p class="question">What was run on what, and how to run it '
        f"again.</p>{blocks}{_reading(sections)}</section>"
    )


def _reading(sections: Sequence[Section]) -> str:
    study = sections[0].study
    return (
        '<div class="panel"><h3>How to read the numbers</h3><ul class="words">'
        "<li>Brackets hold 95% intervals of a bootstrap that draws clusters, not items: items made from the same "
        f"material count as one draw ({study.draws:,} draws, seed {study.seed}).</li>"
        "<li>° marks a cell whose interval includes chance, ▼ one that lies below it. Chance is what a coin would "
        "reach on the same choices.</li>"
        "<li>The best of our models in each group is in bold; bold says nothing about the noise, the paired "
        "comparisons do.</li><li>Published figures stand in italics. They come from other people’s runs, often on "
        "other items, and have no interval here.</li></ul></div>"
    )


def _footer(missing: str) -> str:
    note = f" {escape(missing)}" if missing else ""
    return f'<p>Made by Proband. All numbers: <a href="report.json">report.json</a>.{note}</p>'
