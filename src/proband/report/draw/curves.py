"""Curves of an analysis (precision against recall): a line per system, with a band where its interval is known."""

from __future__ import annotations

from itertools import chain

from proband.core.suite import Curve, Curves
from proband.report.draw.axes import Axis, shorten
from proband.report.draw.marks import MODELS, Mark, Picture, colour_of

DASHES = ("", "6 3", "2 3", "8 3 2 3")
LINE = 16.0  # height of a name in the key


def curve_plot(curves: Curves, title: str, width: float) -> Picture:
    """The curves in one frame, their names below it."""
    per = 1 if width < 500 else 3
    tall = 260.0 if width < 500 else 420.0
    across = Axis(*curves.x_range, 46, width - 16, True)
    up = Axis(*curves.y_range, tall - 40, 16, True)
    marks = _frame(curves, across, up)
    for number, line in enumerate(curves.lines):
        marks += _line(line, number, across, up)
    for number, line in enumerate(curves.lines):
        marks += _key(line, number, x=46 + (number % per) * (width - 60) / per, y=tall + 14 + LINE * (number // per))
    height = tall + 14 + LINE * -(-len(curves.lines) // per) + 8
    names = ", ".join(line.name for line in curves.lines)
    return Picture(
        width=width,
        height=height,
        marks=tuple(marks),
        title=title,
        description=f"{curves.y} against {curves.x} in percent: {names}",
    )


def _frame(curves: Curves, across: Axis, up: Axis) -> list[Mark]:
    marks = []
    for tick in up.ticks(5):
        marks.append(Mark(kind="line", at=(across.start, up(tick), across.end, up(tick)), paint="faint"))
        at = (across.start - 6, up(tick) + 4)
        marks.append(Mark(kind="text", at=at, text=up.name(tick), size=11, paint="soft", anchor="end"))
    for tick in across.ticks(6):
        at = (across(tick), up.start + 16)
        marks.append(Mark(kind="text", at=at, text=across.name(tick), size=11, paint="soft", anchor="middle"))
    middle = ((across.start + across.end) / 2, up.start + 33)
    marks.append(Mark(kind="text", at=middle, text=f"{curves.x} (%)", size=12, paint="soft", anchor="middle"))
    corner = (across.start, up.end - 4)
    marks.append(Mark(kind="text", at=corner, text=f"{curves.y} (%)", size=12, paint="soft"))
    return marks


def _line(line: Curve, number: int, across: Axis, up: Axis) -> list[Mark]:
    paint, marks = colour_of(number), []
    if len(line.band) > 1:
        upper = [(across(x), up(high)) for x, _, high in line.band]
        lower = [(across(x), up(low)) for x, low, _ in line.band]
        outline = tuple(chain(*upper, *lower[::-1]))
        marks.append(Mark(kind="poly", at=outline, paint=paint, filled=True, opacity=0.1, model=number))
    path = [(across(x), up(y)) for x, y in line.points]
    if len(path) > 1:
        dash = DASHES[number // MODELS % len(DASHES)]
        marks.append(
            Mark(kind="poly", at=tuple(chain(*path)), paint=paint, width=2, dash=dash, model=number, tip=line.name)
        )
    elif path:
        marks.append(Mark(kind="dot", at=(*path[0], 3.6), paint=paint, model=number, tip=line.name))
    return marks


def _key(line: Curve, number: int, *, x: float, y: float) -> list[Mark]:
    paint, dash = colour_of(number), DASHES[number // MODELS % len(DASHES)]
    name = shorten(line.name, 300, size=11)
    return [
        Mark(kind="line", at=(x, y - 4, x + 18, y - 4), paint=paint, width=2, dash=dash, model=number),
        Mark(kind="text", at=(x + 24, y), text=name, size=11, model=number),
    ]
