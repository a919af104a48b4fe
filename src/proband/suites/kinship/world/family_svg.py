"""A family as a small picture: generations in layers, a double line for a marriage, dots for people without a name.

Men are boxes, women rounded; the two people of the question are filled and joined by a dashed arc with its answer. The
picture takes its colours from where it stands (`currentColor`, the variables --accent and --paper), so it follows a
page's light and dark.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from proband.suites.kinship.world.family_layout import GAP, Layout
from proband.suites.kinship.world.kernel import Family
from proband.suites.kinship.world.relations import FEMALE

ROW, NAME_HEIGHT, DOT = 74.0, 26.0, 12.0


# ---- the picture ---------------------------------------------------------------------------------------------------


def family_svg(
    family: Family,
    names: Sequence[str],
    *,
    query: tuple[int, int] | None = None,
    answer: str = "",
    faint: Collection[int] = (),
    title: str = "A family",
) -> str:
    """The family as an SVG element. `names` are those of the first people; `faint` people stand back (noise).

    >>> couple = Family(named=2, genders=("male", "female"), father=(None,) * 2, mother=(None,) * 2,
    ...                 spouses=((1,), (0,)))
    >>> family_svg(couple, ["Bo", "Ann"]).count("<line")
    2
    """
    widths = [max(34.0, 7.4 * len(names[x]) + 16) if x < len(names) else DOT for x in range(len(family))]
    place = Layout(family, widths)
    top = 44.0 if query else 10.0
    y = [top + ROW * level + NAME_HEIGHT / 2 for level in place.level]
    width = max((x + w / 2 for x, w in zip(place.x, widths)), default=0.0) + 2
    height = max(y, default=0.0) + NAME_HEIGHT / 2 + 8
    parts = [*_marriages(family, place, y), *_descents(family, place, y)]
    if query:
        arc, right = _arc(place, y, query, answer)
        parts.append(arc)
        width = max(width, right)
    parts += [_person(family, x, place.x[x], y[x], widths[x], names, query, x in faint) for x in range(len(family))]
    label = escape(title, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="family" role="img" aria-label="{label}" '
        f'viewBox="-6 0 {width + 12:.0f} {height:.0f}" width="{width + 12:.0f}" '
        'style="max-width:100%;height:auto;font:13px system-ui,sans-serif">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" stroke-opacity=".55"/>'


def _marriages(family: Family, place: Layout, y: Sequence[float]) -> list[str]:
    parts = []
    for a in range(len(family)):
        for b in family.spouses[a]:
            if a < b:
                parts += [_line(place.x[a], y[a] + d, place.x[b], y[b] + d) for d in (-2, 2)]
    return parts


def _descents(family: Family, place: Layout, y: Sequence[float]) -> list[str]:
    """One stem per household, a bar, and a drop to every child; neighbouring households use bars of other heights."""
    homes: dict[tuple[int, ...], list[int]] = {}
    for x in range(len(family)):
        if family.parents[x]:
            homes.setdefault(tuple(sorted(family.parents[x])), []).append(x)
    parts, met = [], dict.fromkeys(place.level, 0)
    for parents, children in sorted(homes.items(), key=lambda home: min(place.x[p] for p in home[0])):
        left, right = (pick(parents, key=lambda p: place.x[p]) for pick in (min, max))
        stem = (place.x[left] + place.widths[left] / 2 + place.x[right] - place.widths[right] / 2) / 2
        low = max(y[p] for p in parents)
        row = place.level[parents[0]]
        bar = low + NAME_HEIGHT / 2 + 11 + 8 * (met[row] % 3)
        met[row] += 1
        if len(children) == 1 and abs(place.x[children[0]] - stem) < GAP / 2:
            stem = place.x[children[0]]  # a straight line rather than a jog
        parts.append(_line(stem, low + 2, stem, bar))
        ends = [stem, *(place.x[c] for c in children)]
        parts.append(_line(min(ends), bar, max(ends), bar))
        parts += [_line(place.x[c], bar, place.x[c], y[c]) for c in children]
    return parts


def _person(
    family: Family,
    x: int,
    centre: float,
    y: float,
    width: float,
    names: Sequence[str],
    query: tuple[int, int] | None,
    faint: bool,
) -> str:
    named = x < len(names)
    tall = NAME_HEIGHT if named else DOT
    round_ = tall / 2 if family.genders[x] == FEMALE else 3
    asked = bool(query) and x in (query or ())
    fill = "var(--accent,#b45309)" if asked else "var(--paper,#fff)" if named else "currentColor"
    quiet = ' stroke-opacity=".4"' if faint else "" if named else ' fill-opacity=".45" stroke-opacity="0"'
    stroke = fill if asked else "currentColor"
    shape = (
        f'<rect x="{centre - width / 2:.1f}" y="{y - tall / 2:.1f}" width="{width:.1f}" height="{tall:.0f}" '
        f'rx="{round_:.0f}" fill="{fill}" stroke="{stroke}"'
        f"{quiet}/>"
    )
    if not named:
        return shape
    ink = "var(--on-accent,#fff)" if asked else "currentColor"
    pale = ' fill-opacity=".55"' if faint else ""
    return (
        f'{shape}<text x="{centre:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="{ink}"{pale}>'
        f"{escape(names[x])}</text>"
    )


def _arc(place: Layout, y: Sequence[float], query: tuple[int, int], answer: str) -> tuple[str, float]:
    """From the asker to the asked, over the tree or, where one stands above the other, beside it; with the answer on
    it. And how far right it goes."""
    i, j = query
    xi, xj = place.x[i], place.x[j]
    if abs(xi - xj) < 40 and place.level[i] != place.level[j]:
        side = max(xi + place.widths[i] / 2, xj + place.widths[j] / 2)
        ends = (xi + place.widths[i] / 2, y[i]), (xj + place.widths[j] / 2, y[j])
        bend = (side + 44, y[i]), (side + 44, y[j])
        at = (side + 38, (y[i] + y[j]) / 2 + 4)
    else:
        ends = (xi, y[i] - NAME_HEIGHT / 2), (xj, y[j] - NAME_HEIGHT / 2)
        peak = min(y[i], y[j]) - NAME_HEIGHT / 2 - 34
        bend = (xi, peak), (xj, peak)
        at = ((xi + xj) / 2, 0.75 * peak + 0.125 * (ends[0][1] + ends[1][1]) - 5)
    half = 3.6 * len(answer)
    at_x = max(at[0], half)
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in (*bend, ends[1]))
    path = (
        f'<path d="M{ends[0][0]:.1f},{ends[0][1]:.1f} C{points}" fill="none" stroke="var(--accent,#b45309)" '
        'stroke-width="1.5" stroke-dasharray="5 4"/>'
    )
    text = (
        f'<text x="{at_x:.1f}" y="{at[1]:.1f}" text-anchor="middle" font-weight="600" fill="var(--accent,#b45309)" '
        f'stroke="var(--paper,#fff)" stroke-width="4" paint-order="stroke">{escape(answer)}</text>'
    )
    return path + (text if answer else ""), at_x + half
