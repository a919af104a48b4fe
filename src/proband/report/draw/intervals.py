"""A small drawing of each difference: its interval against zero."""

from __future__ import annotations

from collections.abc import Sequence

from proband.report.draw.axes import Axis
from proband.report.draw.marks import Mark, Picture
from proband.report.numbers.pairs import Comparison

WIDTH, HEIGHT = 150.0, 18.0


def differences(compared: Sequence[Comparison]) -> list[Picture]:
    """One picture per comparison, all on one axis."""
    span = (min(0.0, *(c.low for c in compared), -1e-9), max(1e-9, *(c.high for c in compared)))
    return [_drawing(c, span) for c in compared]


def _drawing(c: Comparison, span: tuple[float, float]) -> Picture:
    axis = Axis(*span, 6, WIDTH - 6)
    paint, y = ("m0" if c.clear else "pub"), HEIGHT / 2
    marks = (
        Mark(kind="line", at=(axis(0), 0, axis(0), HEIGHT), paint="rule", dash="3 3"),
        Mark(kind="line", at=(axis(c.low), y, axis(c.high), y), paint=paint, width=2.5, opacity=0.55),
        Mark(kind="dot", at=(axis(c.difference), y, 4), paint=paint, hollow=not c.clear),
    )
    title = f"{c.a} against {c.b}"
    return Picture(width=WIDTH, height=HEIGHT, marks=marks, title=title, description="interval of the difference")
