"""Paired comparisons as a table with a small drawing of each difference."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from proband.report import words
from proband.report.compare import Comparison
from proband.report.figures import Axis
from proband.report.marks import Mark, Picture, svg

WIDTH, HEIGHT = 150.0, 18.0


def versus(compared: Sequence[Comparison], *, percent: bool) -> str:
    """One line per comparison, the better model first."""
    grouped = any(c.group for c in compared)
    heads = [*(["where"] if grouped else []), "higher", "lower", "difference", "", "p (Holm)", "verdict"]
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    span = (min(0.0, *(c.low for c in compared)), max(1e-9, *(c.high for c in compared)))
    body = "".join(_line(c, span, percent=percent, grouped=grouped) for c in compared)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Paired comparisons"><table class="whole">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _line(c: Comparison, span: tuple[float, float], *, percent: bool, grouped: bool) -> str:
    where = f'<td class="place">{escape(words.group(c.group))}</td>' if grouped else ""
    gap = f"{words.signed(c.difference, percent=percent)} "
    within = f'<span class="ci">{words.interval(c.low, c.high, percent=percent)}</span>'
    hint = escape(f"{c.a} − {c.b}\n{words.count(c.n, 'item')} in {words.count(c.clusters, 'cluster')}\np = {c.p:.2g}")
    look = "" if c.clear else "noise"
    return (
        f'<tr class="{look}">{where}<td class="over">{escape(c.a)}</td><td class="under">{escape(c.b)}</td>'
        f'<td class="num" data-tip="{hint}">{gap}{within}</td><td class="plot">{svg(_drawing(c, span), page=True)}</td>'
        f'<td class="num p">{escape(words.p_value(c.holm))}</td><td class="verdict">{c.verdict}</td></tr>'
    ).replace("\n", "&#10;")


def _drawing(c: Comparison, span: tuple[float, float]) -> Picture:
    """The interval against zero."""
    axis = Axis(*span, 6, WIDTH - 6, False)
    paint, y = ("m0" if c.clear else "pub"), HEIGHT / 2
    marks = (
        Mark(kind="line", at=(axis(0), 0, axis(0), HEIGHT), paint="rule", dash="3 3"),
        Mark(kind="line", at=(axis(c.low), y, axis(c.high), y), paint=paint, width=2.5, opacity=0.55),
        Mark(kind="dot", at=(axis(c.difference), y, 4), paint=paint, hollow=not c.clear),
    )
    title = f"{c.a} against {c.b}"
    return Picture(width=WIDTH, height=HEIGHT, marks=marks, title=title, description="interval of the difference")
