"""A picture as a list of marks, laid out once and written as SVG.

In the page its colours are the page's own (light or dark) and its marks carry the words of their tooltip and the number
of their model; as a file it has plain colours. And what drawings of a grid share: the axis, names that fit.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from proband.core.files import asset, minus
from proband.reporting.numbers import formatting
from proband.reporting.numbers.score_tables import ScoreTable

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


def look(model: int) -> str:
    """The classes of the page that give a model its shape and colour.

    >>> look(1), look(12)
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


def picture(grid: ScoreTable, width: float, height: float, marks: Sequence[Mark], *, against: str = "") -> Picture:
    """A picture with alternative text; every number is in the table below it."""
    title = f"{grid.table.title}, {formatting.metric(grid.metric)}{against}"
    description = f"{formatting.count(len(grid.labels), 'model')}; the numbers are in the table."
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
