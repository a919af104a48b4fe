"""Which drawing suits a table, and the drawings: dots with intervals, lines and curves; and how they become SVG.

Numbers on the columns (k, layer) make lines, a panel per row, with published lines next to them; few rows make dots; a
table of many rows has no drawing, its cells are shaded (blue above chance or, where there is one, the best shortcut;
orange below; pale where the interval includes it). A table may bring curves (precision against recall), with a band
where the interval is known.

A drawing is a function of the table and a width, so that the page has a wide and a narrow one of the same figure. It is
a list of marks, laid out once and written as SVG: in the page its colours are the page's own (light or dark) and its
marks carry the words of their tooltip and the number of their model; as a file it has plain colours.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from proband.core.files import asset, minus
from proband.core.metrics import Estimate, Metric
from proband.core.suite import Curve, Curves, Published, Sheet
from proband.reporting.numbers import formatting
from proband.reporting.numbers.score_tables import Row, ScoreTable, is_published, tip

# The light colours of the page; those of models are distinguishable with any colour vision (after Okabe and Ito).
COLOURS: dict[str, str] = dict(re.findall(r"--(\w+): (#\w{6});", asset("proband.web", "page.css").partition("}")[0]))
MODELS = 12  # colours
CORNERS = {"square": (4, 45, 1.25), "triangle": (3, -90, 1.4), "diamond": (4, 0, 1.35), "pointer": (3, 90, 1.4)}
ARMS = ((0.45, -1.3), (0.45, -0.45), (1.3, -0.45), (1.3, 0.45), (0.45, 0.45), (0.45, 1.3))
PLUS = (*ARMS, *((-x, -y) for x, y in ARMS))
SHAPES = ("circle", *CORNERS, "plus")
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A line (x1 y1 x2 y2), rect (x y width height), dot (x y radius), text (x y) or poly (x1 y1 x2 y2 ...); `paint`
    names a colour of COLOURS."""

    kind: str
    at: tuple[float, ...]
    paint: str = "ink"
    text: str = ""
    size: float = 12.0
    anchor: str = "start"
    bold: bool = False
    width: float = 1.0
    dash: str = ""
    shape: str = "circle"
    hollow: bool = False
    filled: bool = False  # of a poly
    opacity: float = 1.0
    model: int | None = None
    tip: str = ""


@dataclass(frozen=True, kw_only=True)
class Picture:
    width: float
    height: float
    marks: tuple[Mark, ...]
    title: str
    description: str


def colour_of(model: int) -> str:
    """Models take the colours in turn."""
    return f"m{model % MODELS}"


def shape_of(model: int) -> str:
    """Shapes in turn, so that models of one colour, or of colours that some people see as one, differ in shape.

    >>> [(colour_of(model), shape_of(model)) for model in (0, 12, 24)]
    [('m0', 'circle'), ('m0', 'triangle'), ('m0', 'pointer')]
    """
    return SHAPES[(model + model // len(SHAPES)) % len(SHAPES)]


def style_classes(model: int) -> str:
    """The classes of the page that give a model its shape and colour.

    >>> style_classes(1), style_classes(12)
    ('s1 c1', 's2 c0')
    """
    return f"s{SHAPES.index(shape_of(model))} c{model % MODELS}"


# ---- what drawings share ---------------------------------------------------------------------------------------------


WIDE, NARROW = 1040.0, 322.0


@dataclass(frozen=True)
class Axis:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float
    percent: bool = False

    def __call__(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 4) -> list[float]:
        """Round numbers inside the range.

        >>> Axis(0.3, 1.0, 0, 1, True).ticks()
        [0.4, 0.6, 0.8, 1.0]
        """
        raw = (self.high - self.low) / about
        size = 10 ** math.floor(math.log10(raw))
        step = next(step for step in (size, 2 * size, 2.5 * size, 5 * size, 10 * size) if step >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 10) for i in range(first, last + 1)]

    def name(self, value: float) -> str:
        return minus(f"{100 * value if self.percent else value:g}")


def shorten(text: str, width: float, *, size: float = 12.0) -> str:
    """Shortened to a width, by an average letter.

    >>> shorten("encyclopedic", 40), shorten("ES", 40)
    ('encyc…', 'ES')
    """
    most = max(2, int(width / (0.55 * size)))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def text_width(texts: Sequence[str], *, size: float = 12.0) -> float:
    return max((len(text) for text in texts), default=0) * 0.6 * size


def soft_text(x: float, y: float, text: str, *, size: float = 11.0, anchor: str = "middle") -> Mark:
    """The name of a tick, an axis or a level."""
    return Mark(kind="text", at=(x, y), text=text, size=size, paint="soft", anchor=anchor)


def picture(table: ScoreTable, width: float, height: float, marks: Sequence[Mark], *, against: str = "") -> Picture:
    """A picture with alternative text; every number is in the table below it."""
    title = f"{table.layout.title}, {formatting.metric(table.metric)}{against}"
    description = f"{formatting.count(len(table.labels), 'model')}; the numbers are in the table."
    return Picture(width=width, height=height, marks=tuple(marks), title=title, description=description)


# ---- SVG -----------------------------------------------------------------------------------------------------------


def svg(picture: Picture, *, page: bool = False, switched: bool = True) -> str:
    """The picture as an SVG element; with `page`, in the page's colours and with tooltips, and with the numbers of the
    models by which the page switches marks on and off if they are `switched`."""
    size = f'viewBox="0 0 {_n(picture.width)} {_n(picture.height)}"'
    size += f' width="{_n(picture.width)}" height="{_n(picture.height)}"'
    name = f'role="img" aria-label="{_esc(picture.title)}. {_esc(picture.description)}"'
    if page:
        head = f'<svg class="figure" {size} {name} tabindex="0">'
    else:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {name} font-family="{_esc(FONT)}">'
        head += f"<title>{_esc(picture.title)}</title><desc>{_esc(picture.description)}</desc>"
        head += f'<rect width="100%" height="100%" fill="{COLOURS["paper"]}"/>'
    return head + "".join(_element(mark, page, page and switched) for mark in picture.marks) + "</svg>\n"


GEOMETRY = {
    "line": ("line", ("x1", "y1", "x2", "y2")),
    "rect": ("rect", ("x", "y", "width", "height")),
    "dot": ("circle", ("cx", "cy", "r")),
    "text": ("text", ("x", "y")),
}


def _element(mark: Mark, page: bool, switched: bool) -> str:
    paint, paper = (f"var(--{name})" if page else COLOURS[name] for name in (mark.paint, "paper"))
    style = f"fill:{paint}"
    if mark.kind == "dot":
        style = f"fill:{paper if mark.hollow else paint};stroke:{paint};stroke-width:1.5"
    elif mark.kind in ("line", "poly") and not mark.filled:
        style = f"fill:none;stroke:{paint};stroke-width:{_n(mark.width)}"
    name, attributes = _shape(mark)
    attributes |= {"style": style, "stroke-dasharray": mark.dash}
    if mark.kind == "text":
        attributes |= {"font-size": _n(mark.size), "text-anchor": mark.anchor}
        attributes["font-weight"] = "600" if mark.bold else ""
    attributes["data-m"] = str(mark.model) if switched and mark.model is not None else ""
    attributes["data-tip"] = mark.tip if page else ""
    attributes["opacity"] = _n(mark.opacity) if mark.opacity < 1 else ""
    written = " ".join(f'{key}="{_esc(value)}"' for key, value in attributes.items() if value)
    return f"<{name} {written}>{_esc(mark.text)}</{name}>" if mark.kind == "text" else f"<{name} {written}/>"


def _shape(mark: Mark) -> tuple[str, dict[str, str]]:
    """Element name and geometry."""
    if mark.kind == "poly" or mark.shape != "circle":
        name = "polyline" if mark.kind == "poly" and not mark.filled else "polygon"
        return name, {"points": " ".join(f"{_n(x)},{_n(y)}" for x, y in points(mark))}
    name, keys = GEOMETRY[mark.kind]
    return name, {key: _n(value) for key, value in zip(keys, mark.at)}


def points(mark: Mark) -> list[tuple[float, float]]:
    """The points of a poly, or the corners of a dot that is not round, with about the area of the circle."""
    if mark.kind == "poly":
        return list(zip(mark.at[::2], mark.at[1::2]))
    x, y, r = mark.at
    if mark.shape == "plus":
        return [(x + dx * r, y + dy * r) for dx, dy in PLUS]
    count, first, size = CORNERS[mark.shape]
    angles = [math.radians(first + 360 * i / count) for i in range(count)]
    return [(x + size * r * math.cos(angle), y + size * r * math.sin(angle)) for angle in angles]


def _n(value: float) -> str:
    """
    >>> _n(3.0), _n(3.14159)
    ('3', '3.1')
    """
    return f"{value:.1f}".removesuffix(".0")


def _esc(text: str) -> str:
    return html.escape(text, quote=True).replace("\n", "&#10;")


# ---- which drawing suits a table -------------------------------------------------------------------------------------

MANY_ROWS = 9


def drawing(table: ScoreTable) -> Callable[[ScoreTable, float], Picture] | None:
    if table.filled and table.numeric and len(table.columns) >= 3:
        return line_plot
    return dot_plot if table.filled and len(table.groups) <= MANY_ROWS else None


def figure_of(sheet: Sheet) -> Callable[[float], Picture] | None:
    """The drawing of a table, for any width."""
    if isinstance(sheet, ScoreTable):
        draw = drawing(sheet)
        return partial(draw, sheet) if draw else None
    return partial(curve_plot, sheet.curves, sheet.title) if sheet.curves is not None else None


# ---- dots with intervals: a strip per row, a panel per column --------------------------------------------------------


Band = tuple[str, Sequence[Row]]  # a labelled strip of a dot plot and its rows


def _lanes(band: Band) -> int:
    """Published rows share one."""
    return len({None if is_published(cells) else label for _, label, *cells in band[1]})


def dot_plot(table: ScoreTable, width: float) -> Picture:
    """A dot and its interval per model, a strip per row, a panel per column; dashes mark chance, a bar the best
    shortcut. The numbers of a single column are next to it; on a narrow screen its rows are named above."""
    bands = _bands(table)
    narrow = width < 500
    columns, alone = table.columns, len(table.columns) == 1
    per = 1 if narrow else max(1, min(len(columns), 4))
    names = text_width([label for label, _ in bands])
    left = 2.0 if alone and narrow else min(names + 14, (0.38 if narrow else 0.28) * width)
    lane, pad, top = 13.0, 28.0 if alone and narrow else 12.0, 6.0 if alone else 26.0
    heights = [pad + lane * _lanes(band) for band in bands]
    panel = (width - left - 8 - (110 if alone else 0)) / per
    tall = top + sum(heights) + 34
    low, high = table.value_range
    marks: list[Mark] = []
    for i, column in enumerate(columns):
        x, y = left + (i % per) * panel, (i // per) * tall
        axis = Axis(low, high, x + 8, x + panel - 18, table.metric.percent)
        if not alone:
            name = shorten(table.heading(column), panel - 12, size=13)
            marks.append(Mark(kind="text", at=(x + 8, y + 14), text=name, size=13, bold=True))
        marks += _panel_frame(axis, y + top, y + top + sum(heights), stripes=heights)
        at = y + top
        for band, tallness in zip(bands, heights):
            if alone and narrow:
                name = shorten(band[0], width - 16, size=13)
                marks.append(Mark(kind="text", at=(left + 8, at + 16), text=name, size=13))
            elif i % per == 0:
                name = shorten(band[0], left - 8)
                marks.append(Mark(kind="text", at=(left - 6, at + tallness / 2 + 4), text=name, anchor="end"))
            marks += _strip(table, band, i, axis, at, tallness, lane)
            at += tallness
        levels = [level for _, rows in bands if (level := _level_of("chance", rows, i)) is not None]
        if levels:
            marks.append(soft_text(axis(levels[0]), at + 28, "chance", size=10.5))
    bottom = tall * math.ceil(len(columns) / per)
    key, height = _key(table.labels, table.hues, width, bottom) if table.layout.rows else ([], bottom)
    return picture(table, width, height, [*marks, *key])


def _bands(table: ScoreTable) -> list[Band]:
    """A strip per row; in a table without rows a strip per model."""
    if table.layout.rows:
        return [(table.row_heading(group[0][0]), group) for group in table.groups]
    own: list[Band] = [(row[1], (row,)) for row in table.rows if not is_published(row[2:])]
    theirs = [row for row in table.rows if is_published(row[2:])]
    return own + ([("published", theirs)] if theirs else [])


def _level_of(name: str, rows: Sequence[Row], column: int) -> float | None:
    """The `chance` of a cell, which is that of its items, or its best `shortcut`."""
    values = (getattr(row[2 + column], name, None) for row in rows)
    return next((value for value in values if value is not None), None)


def _panel_frame(axis: Axis, top: float, bottom: float, *, stripes: Sequence[float]) -> list[Mark]:
    """Stripes, grid lines and tick names."""
    marks, at = [], top
    for i, height in enumerate(stripes):
        if i % 2 == 0:
            rect = (axis.start - 8, at, axis.end - axis.start + 16, height)
            marks.append(Mark(kind="rect", at=rect, paint="band"))
        at += height
    for tick in axis.ticks():
        x = axis(tick)
        marks.append(Mark(kind="line", at=(x, top, x, bottom), paint="faint"))
        marks.append(soft_text(x, bottom + 15, axis.name(tick)))
    return marks


def _strip(table: ScoreTable, band: Band, column: int, axis: Axis, top: float, tall: float, lane: float) -> list[Mark]:
    marks: list[Mark] = []
    first = top + tall - 6 - lane * (_lanes(band) - 0.5)
    dashed = Mark(kind="line", at=(), paint="rule", width=1.5, dash="3 3")
    bar = Mark(kind="line", at=(), paint="ink", width=2.5, opacity=0.75)
    for level, mark in (("chance", dashed), ("shortcut", bar)):
        if (score := _level_of(level, band[1], column)) is not None:
            marks.append(replace(mark, at=(axis(score), first - lane / 2 - 4, axis(score), top + tall - 2)))
    for number, row in enumerate(band[1]):
        y = first + lane * min(number, _lanes(band) - 1)
        _, label, *cells = row
        if isinstance(cell := cells[column], Published):
            at = (axis(cell.value), y, 3.6)
            dot = Mark(kind="dot", at=at, paint="pub", shape="diamond", hollow=True, tip=tip(table, row, column))
            marks.append(dot)
        elif isinstance(cell, Estimate):
            run = table.labels.index(label)
            hue = table.hues[run]
            at, text = (axis(cell.mean), y, 4.0), tip(table, row, column)
            dot = Mark(kind="dot", at=at, shape=shape_of(hue), model=run, tip=text)
            if cell.few:
                marks.append(replace(dot, paint="pub", opacity=0.6))
            else:
                span, paint = (axis(cell.low), y, axis(cell.high), y), colour_of(hue)
                marks.append(Mark(kind="line", at=span, paint=paint, width=2.5, opacity=0.55, model=run))
                marks.append(replace(dot, paint=paint))
            if len(table.columns) == 1:
                value, sign, more = table.words(cell)
                shown = value if cell.few else f"{value} {more[0]}{sign}"
                marks.append(Mark(kind="text", at=(axis.end + 14, y + 4), text=shown, size=11, model=run))
    return marks


# ---- the shade of a cell in a table ----------------------------------------------------------------------------------


DEEPEST = 0.85  # how much of the full colour the extreme has, so that the figure on it stays readable


def shade(cell: Estimate, span: tuple[float, float], metric: Metric) -> str:
    """The colour of the page for how far from the level to beat, as a share of the way to 1 (or to 0); without one, how
    good in the range.

    >>> from proband.core.metrics import ACCURACY
    >>> at = {chance: Estimate(mean=0.75, low=0.7, high=0.8, n=9, chance=chance) for chance in (0.5, 0.72, None)}
    >>> shade(at[0.5], (0, 1), ACCURACY) == shade(at[None], (0.5, 1.0), ACCURACY)
    True
    >>> shade(at[0.72], (0, 1), ACCURACY)
    'color-mix(in srgb, var(--high) 0%, var(--middle))'
    """
    mean, chance, name = cell.mean, cell.level, "high"
    if cell.against_level == "at":
        share = 0.0
    elif chance is None or not 0 < chance < 1:
        low, high = span if metric.better == "high" else span[::-1]
        share = (mean - low) / (high - low)
    elif mean >= chance:
        share = (mean - chance) / (1 - chance)
    else:
        name, share = "low", (chance - mean) / chance
    return f"color-mix(in srgb, var(--{name}) {round(100 * DEEPEST * share)}%, var(--middle))"


# ---- lines and bars over numbers -------------------------------------------------------------------------------------


DASHES = ("6 3", "2 3", "8 3 2 3", "4 2")
KEY = 16.0  # height of a name below the panels
MARK = 8.0  # height of a mark: nearer ones would hide each other
MANY = 5  # of more models than these the bands are fainter


def line_plot(table: ScoreTable, width: float) -> Picture:
    """Mean against the column's number with a band for the interval; published figures dashed and hollow."""
    groups = [group for group in table.groups if group[0][0] is not None]
    narrow = width < 500
    names = [label for group in groups for _, label, *cells in group if is_published(cells)]
    room = 0.0 if narrow or not names else min(180.0, text_width(names, size=11) + 12)
    per = 1 if narrow else min(len(groups), 3, max(1, int(width // (215 + room))))
    panel, tall = width / per, 230.0 if narrow else 270.0 if len(groups) > 1 else 360.0
    numbers = [float(column[0]) for column in table.columns]
    low, high = table.value_range
    marks: list[Mark] = []
    for i, group in enumerate(groups):
        x, y = (i % per) * panel, (i // per) * tall
        step = min(MARK, 0.8 * (panel - 58 - room) / len(numbers) / len(table.labels))  # marks are side by side
        pad = step * (len(table.labels) - 1) / 2
        across = Axis(min(numbers), max(numbers), x + 42 + pad, x + panel - 16 - room - pad, False)
        up = Axis(low, high, y + tall - 48, y + 28, table.metric.percent)
        marks += _frame(table, group, across, up, y, numbers, pad=pad)
        marks += _published(table, group, across, up, room, pad=pad)
        for row in group:
            if not is_published(row[2:]):
                marks += _line(table, row, across, up, step, pad)
    key, height = _key(table.labels, table.hues, width, tall * math.ceil(len(groups) / per))
    against = f" against {formatting.name(table.layout.columns[0])}"
    return picture(table, width, height, [*marks, *key], against=against)


def _key(
    names: Sequence[str], hues: Sequence[int], width: float, top: float, *, dashes: Sequence[str] = ()
) -> tuple[list[Mark], float]:
    """Names below the panels, as many in a row as fit; and where they end. One model alone needs none."""
    if len(names) < 2 and not dashes:
        return [], top
    one = min(width - 42, text_width(names, size=11) + 40)
    per = max(1, int((width - 42) // one))
    marks = []
    for number, (name, hue) in enumerate(zip(names, hues)):
        x, y = 42 + (number % per) * one, top + 10 + KEY * (number // per)
        paint, dash = colour_of(hue), dashes[number] if dashes else ""
        marks.append(Mark(kind="line", at=(x, y - 4, x + 22, y - 4), paint=paint, width=2, dash=dash, model=number))
        if not dashes:
            marks.append(Mark(kind="dot", at=(x + 11, y - 4, 3.6), paint=paint, shape=shape_of(hue), model=number))
        text = shorten(name, one - 34, size=11)
        marks.append(Mark(kind="text", at=(x + 28, y), text=text, size=11, model=number))
    return marks, top + 10 + KEY * math.ceil(len(names) / per)


def _frame(
    table: ScoreTable, rows: Sequence[Row], across: Axis, up: Axis, top: float, numbers: Sequence[float], *, pad: float
) -> list[Mark]:
    marks, left = [], across.start - pad
    if table.layout.rows:
        title = shorten(table.row_heading(rows[0][0]), across.end - across.start, size=13)
        marks.append(Mark(kind="text", at=(left, top + 15), text=title, size=13, bold=True))
    for tick in up.ticks(5):
        y = up(tick)
        marks.append(Mark(kind="line", at=(left - 4, y, across.end + pad + 4, y), paint="faint"))
        marks.append(soft_text(left - 8, y + 4, up.name(tick), anchor="end"))
    gap = (across.end - across.start) / max(1, len(numbers) - 1)
    every = max(1, math.ceil(22 / gap))
    marks += [soft_text(across(number), up.start + 16, across.name(number)) for number in numbers[::every]]
    middle = (across.start + across.end) / 2
    marks.append(soft_text(middle, up.start + 34, formatting.name(table.layout.columns[0]), size=12))
    for level, name, width, dash in (("chance", "chance", 1.5, "3 3"), ("shortcut", "best shortcut", 2.0, "7 4")):
        values = [(number, _level_of(level, rows, at)) for at, number in enumerate(numbers)]
        known = [(across(number), up(value)) for number, value in values if value is not None]
        if len(known) > 1:  # a dashed line through a value per column, with its name at the end
            marks.append(Mark(kind="poly", at=tuple(chain(*known)), paint="rule", width=width, dash=dash))
            marks.append(soft_text(known[-1][0], known[-1][1] - 5, name, size=10.5, anchor="end"))
    return marks


def _line(table: ScoreTable, row: Row, across: Axis, up: Axis, step: float, pad: float) -> list[Mark]:
    _, label, *cells = row
    run = table.labels.index(label)
    known = [(at, cell) for at, cell in enumerate(cells) if isinstance(cell, Estimate)]
    xs = [across(float(table.columns[at][0])) + step * run - pad for at, _ in known]
    ends = [(e.mean, e.mean) if e.few else (e.low, e.high) for _, e in known]
    lower = [(x, up(low)) for x, (low, _) in zip(xs, ends)]
    upper = [(x, up(high)) for x, (_, high) in zip(xs, ends)]
    path = [(x, up(cell.mean)) for x, (_, cell) in zip(xs, known)]
    hue = table.hues[run]
    paint, outline = colour_of(hue), tuple(chain(*upper, *lower[::-1]))
    faint = 0.14 if len(table.labels) <= MANY else 0.07
    band = Mark(kind="poly", at=outline, paint=paint, filled=True, opacity=faint, model=run)
    if len(known) == 1:  # a band of no width
        band = Mark(kind="line", at=(*lower[0], *upper[0]), paint=paint, width=2.5, opacity=0.55, model=run)
    marks = [band, Mark(kind="poly", at=tuple(chain(*path)), paint=paint, width=2, model=run)]
    for (x, y), (at, cell) in zip(path, known):
        few, text = cell.few, tip(table, row, at)
        dot = Mark(kind="dot", at=(x, y, 3.6), hollow=few, shape=shape_of(hue), model=run, tip=text)
        marks.append(replace(dot, paint="pub" if few else paint))
    return marks


def _published(table: ScoreTable, rows: list[Row], across: Axis, up: Axis, room: float, *, pad: float) -> list[Mark]:
    marks: list[Mark] = []
    ends: list[tuple[float, str]] = []
    for i, row in enumerate(row for row in rows if is_published(row[2:])):
        known = [(at, cell) for at, cell in enumerate(row[2:]) if isinstance(cell, Published)]
        places = [(across(float(table.columns[at][0])), up(figure.value)) for at, figure in known]
        if len(places) > 1:
            path, dash = tuple(chain(*places)), DASHES[i % len(DASHES)]
            marks.append(Mark(kind="poly", at=path, paint="pub", width=1.5, dash=dash))
        for (x, y), (at, _) in zip(places, known):
            marks.append(Mark(kind="dot", at=(x, y, 3.2), paint="pub", hollow=True, tip=tip(table, row, at)))
        ends.append((places[-1][1], row[1]))
    if room:
        below = -math.inf
        for y, model in sorted(ends):
            below = max(below + 13, y + 4)
            name = shorten(model, room - 10, size=11)
            marks.append(Mark(kind="text", at=(across.end + pad + 10, below), text=name, size=11, paint="pub"))
    return marks


# ---- curves of a table ----------------------------------------------------------------------------------------------


CURVE_DASHES = ("", "6 3", "2 3", "8 3 2 3")


def curve_plot(curves: Curves, title: str, width: float) -> Picture:
    """The curves in one frame, their names below it."""
    tall = 260.0 if width < 500 else 420.0
    across = Axis(0.0, 1.0, 46, width - 16, True)
    low, high = curves.y_range
    up = Axis(low, high if high > low else low + 0.1, tall - 40, 16, True)
    marks, numbers = _curve_frame(curves, across, up), range(len(curves.lines))
    dashes = [CURVE_DASHES[number // MODELS % len(CURVE_DASHES)] for number in numbers]
    for number, line in enumerate(curves.lines):
        marks += _curve(line, number, across, up, dashes[number])
    key, height = _key([line.name for line in curves.lines], numbers, width, tall + 8, dashes=dashes)
    names = ", ".join(line.name for line in curves.lines)
    return Picture(
        width=width,
        height=height + 8,
        marks=(*marks, *key),
        title=title,
        description=f"{curves.y} against {curves.x} in percent: {names}",
    )


def _curve_frame(curves: Curves, across: Axis, up: Axis) -> list[Mark]:
    marks = []
    for tick in up.ticks(5):
        marks.append(Mark(kind="line", at=(across.start, up(tick), across.end, up(tick)), paint="faint"))
        marks.append(soft_text(across.start - 6, up(tick) + 4, up.name(tick), anchor="end"))
    marks += [soft_text(across(tick), up.start + 16, across.name(tick)) for tick in across.ticks(6)]
    marks.append(soft_text((across.start + across.end) / 2, up.start + 33, f"{curves.x} (%)", size=12))
    return [*marks, soft_text(across.start, up.end - 4, f"{curves.y} (%)", size=12, anchor="start")]


def _curve(line: Curve, number: int, across: Axis, up: Axis, dash: str) -> list[Mark]:
    paint, marks = colour_of(number), []
    if len(line.band) > 1:
        upper = [(across(x), up(high)) for x, _, high in line.band]
        lower = [(across(x), up(low)) for x, low, _ in line.band]
        outline = tuple(chain(*upper, *lower[::-1]))
        marks.append(Mark(kind="poly", at=outline, paint=paint, filled=True, opacity=0.1, model=number))
    path = [(across(x), up(y)) for x, y in line.points]
    if len(path) > 1:
        marks.append(
            Mark(kind="poly", at=tuple(chain(*path)), paint=paint, width=2, dash=dash, model=number, tip=line.name)
        )
    elif path:
        marks.append(Mark(kind="dot", at=(*path[0], 3.6), paint=paint, model=number, tip=line.name))
    return marks
