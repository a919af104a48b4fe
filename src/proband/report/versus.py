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
    reach = max([abs(c.low) for c in compared] + [abs(c.high) for c in compared] + [1e-9])
    body = "".join(_line(c, reach, percent=percent, grouped=grouped) for c in compared)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Paired comparisons"><table class="whole">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _line(c: Comparison, reach: float, *, percent: bool, grouped: bool) -> str:
    where = f"<td>{escape(words.group(c.group))}</td>" if grouped else ""
    verdict = c.verdict(percent=percent)
    gap = f"{words.signed(c.difference, percent=percent)} "
    span = f'<span class="ci">{words.interval(c.low, c.high, percent=percent)}</span>'
    hint = escape(f"{c.a} − {c.b}\n{words.count(c.n, 'item')} in {words.count(c.clusters, 'cluster')}\np = {c.p:.2g}")
    return (
        f'<tr class="{"" if c.clear else "noise"}">{where}<td>{escape(c.a)}</td><td>{escape(c.b)}</td>'
        f'<td class="num" data-tip="{hint}">{gap}{span}</td><td>{svg(_drawing(c, reach), page=True)}</td>'
        f'<td class="num">{escape(words.p_value(c.holm))}</td><td class="verdict">{escape(verdict)}</td></tr>'
    ).replace("\n", "&#10;")


def _drawing(c: Comparison, reach: float) -> Picture:
    """The interval against zero."""
    axis = Axis(-reach, reach, 4, WIDTH - 4, False)
    paint, y = ("m0" if c.clear else "pub"), HEIGHT / 2
    marks = (
        Mark(kind="line", at=(axis(0), 0, axis(0), HEIGHT), paint="rule", dash="3 3"),
        Mark(kind="line", at=(axis(c.low), y, axis(c.high), y), paint=paint, width=2.5, opacity=0.55),
        Mark(kind="dot", at=(axis(c.difference), y, 4), paint=paint, hollow=not c.clear),
    )
    title = f"{c.a} against {c.b}"
    return Picture(width=WIDTH, height=HEIGHT, marks=marks, title=title, description="interval of the difference")
