"""A world of coordinates as an SVG: things on a grid, or events as bars over time."""

from __future__ import annotations

from html import escape

from proband.core.files import group_by_key
from proband.proof.differences import Positions

CELL, PAD = 44, 26


def draw(positions: Positions, question: tuple[str, str], answer: str) -> str:
    """Things where they are; the two of the question in the accent colour."""
    first = next(iter(positions.values()))
    if "start" in first:
        return _events(positions, question, answer)
    return (_places if {"x", "y"} <= first.keys() else _bars)(positions, question, answer)


def _bars(positions: Positions, question: tuple[str, str], answer: str) -> str:
    """Things as bars, on the scale on which they differ most."""
    scales = next(iter(positions.values()))
    widest = max(scales, key=lambda scale: max(p[scale] for p in positions.values()))
    bars = {name: {"start": 0, "end": p[widest] + 1} for name, p in positions.items()}
    return _events(bars, question, answer)


def _places(positions: Positions, question: tuple[str, str], answer: str) -> str:
    columns = sorted({p["x"] for p in positions.values()})
    rows = sorted({p["y"] for p in positions.values()}, reverse=True)
    wide, high = columns[-1] - columns[0], rows[0] - rows[-1]
    step = min(CELL, 300 / max(wide, high, 1))
    cells = group_by_key(((p["x"] - columns[0], rows[0] - p["y"]), name) for name, p in positions.items())
    parts = []
    for i in range(wide + 1):
        parts.append(_line(PAD + i * step, PAD, PAD + i * step, PAD + high * step))
    for j in range(high + 1):
        parts.append(_line(PAD, PAD + j * step, PAD + wide * step, PAD + j * step))
    for (i, j), names in sorted(cells.items()):
        parts.append(_label(PAD + i * step, PAD + j * step, names, question))
    return _svg(parts, wide * step + 2 * PAD, high * step + 2 * PAD, question, answer)


def _events(positions: Positions, question: tuple[str, str], answer: str) -> str:
    end = max(p["end"] for p in positions.values())
    step = min(CELL, 280 / max(end, 1))
    parts = []
    order = sorted(positions, key=lambda name: (positions[name]["start"], positions[name]["end"], name))
    for row, name in enumerate(order):
        p, y = positions[name], PAD + row * 26
        fill = "var(--accent,#b45309)" if name in question else "currentColor"
        parts.append(
            f'<rect x="{PAD + p["start"] * step:.1f}" y="{y:.1f}" width="{(p["end"] - p["start"]) * step:.1f}" '
            f'height="18" rx="3" fill="{fill}" fill-opacity=".25" stroke="{fill}"/>'
            f'<text x="{PAD + p["start"] * step + 6:.1f}" y="{y + 13:.1f}" fill="currentColor">{escape(name)}</text>'
        )
    width = max(end * step, max(PAD + positions[n]["start"] * step + 8 * len(n) for n in order))
    return _svg(parts, width + 2 * PAD, len(order) * 26 + 2 * PAD, question, answer)


def _label(x: float, y: float, names: list[str], question: tuple[str, str]) -> str:
    text, asked = " ".join(names), any(name in question for name in names)
    half = max(12.0, 4.5 * len(text) + 5)
    fill = "var(--accent,#b45309)" if asked else "var(--paper,#fff)"
    ink = "var(--on-accent,#fff)" if asked else "currentColor"
    return (
        f'<rect x="{x - half:.1f}" y="{y - 11:.1f}" width="{2 * half:.1f}" height="22" rx="5" fill="{fill}" '
        f'stroke="{fill if asked else "currentColor"}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="{ink}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" stroke="currentColor" stroke-opacity=".2"/>'


def _svg(parts: list[str], width: float, height: float, question: tuple[str, str], answer: str) -> str:
    caption = escape(f"{question[0]} to {question[1]}: {answer}")
    return (
        f'<svg viewBox="0 0 {width:.0f} {height + 18:.0f}" width="{width:.0f}" role="img" font-size="13" '
        f'font-family="system-ui,sans-serif" style="max-width:100%"><title>{caption}</title>{"".join(parts)}'
        f'<text x="{width / 2:.0f}" y="{height + 8:.0f}" text-anchor="middle" font-weight="600" '
        f'fill="var(--accent,#b45309)">{caption}</text></svg>'
    )
