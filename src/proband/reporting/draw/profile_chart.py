"""The figure of a profile: a line per capability; each model's score with its interval, chance, the best shortcut,
people and the models that ship next to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proband.reporting.draw.marks import Axis, Mark, Picture, colour_of, shape_of, shorten, soft_text
from proband.reporting.profile import Capability, Profile

STEP = 17.0  # between two models of a row
TOP = 26.0
KEY = 17.0
# marks as they stand in the key, about (0, 0)
CHANCE = Mark(kind="line", at=(0, -6, 0, 6), paint="soft", width=1.5, dash="2 2")
SHORTCUT = Mark(kind="line", at=(0, -6, 0, 6), paint="ink", width=2.5, opacity=0.75)
PEOPLE = Mark(kind="dot", at=(0, 0, 4.2), paint="pub", shape="diamond", hollow=True)


def profile_chart(profile: Profile, width: float) -> Picture:
    narrow = width < 500
    left, right = (8.0, width - 106) if narrow else (292.0, width - 190)
    axis = Axis(0.0, 1.0, left, right, True)
    marks, y = list[Mark](), TOP
    for each in profile.capabilities:
        tall = STEP * len(profile.models) + (26 if narrow else 15)
        title = shorten(each.does, width - 20 if narrow else left - 22, size=13)
        if narrow:
            marks.append(Mark(kind="text", at=(left, y + 13), text=title, size=13))
        else:
            marks.append(Mark(kind="text", at=(left - 16, y + tall / 2 + 4), text=title, size=13, anchor="end"))
        first = y + (26 if narrow else 16)
        marks += _levels(profile, each, axis, first - 9, first - 9 + STEP * len(profile.models))
        marks += _models(profile, each, axis, first, narrow=narrow)
        y += tall
        marks.append(Mark(kind="line", at=(8 if narrow else 0, y, width, y), paint="faint"))
    grid = [Mark(kind="line", at=(axis(t), TOP, axis(t), y), paint="faint") for t in axis.ticks(5)]
    grid += [soft_text(axis(t), TOP - 8, axis.name(t)) for t in axis.ticks(5)[:-1]]
    grid.append(soft_text(axis(1.0), TOP - 8, "100 %", anchor="end"))
    key, bottom = _key(profile, width, y + 20)
    names = ", ".join(each.does for each in profile.capabilities)
    return Picture(
        width=width,
        height=bottom,
        marks=(*grid, *marks, *key),
        title=profile.title,
        description=f"Scores in percent by capability: {names}; the numbers are in the table.",
    )


def _levels(profile: Profile, each: Capability, axis: Axis, top: float, bottom: float) -> Iterator[Mark]:
    row = next((row for row in profile.of(each) if row.levels), None)
    middle = (top + bottom) / 2
    if row is not None and row.chance is not None:
        at = axis(row.chance)
        yield replace(CHANCE, at=(at, top, at, bottom), tip=f"chance {100 * row.chance:.1f} %")
    if row is not None and (best := row.shortcut) is not None:
        at = axis(best.value)
        yield replace(SHORTCUT, at=(at, top, at, bottom), tip=f"{best.name}: {100 * best.value:.1f} %")
    for number, (name, means) in enumerate(profile.references.items()):
        if (mean := means.get(each.does)) is not None:
            yield replace(_reference(profile, number), at=(axis(mean), middle, 3.4), tip=f"{name}: {100 * mean:.1f} %")
    if each.people is not None:
        tip = f"{each.people.source}: {100 * each.people.value:.1f} %"
        yield replace(PEOPLE, at=(axis(each.people.value), middle, 4.2), tip=tip)


def _reference(profile: Profile, number: int) -> Mark:
    hue = len(profile.models) + number
    return Mark(kind="dot", at=(0, 0, 3.4), paint=colour_of(hue), shape=shape_of(hue), hollow=True)


def _models(profile: Profile, each: Capability, axis: Axis, y: float, *, narrow: bool) -> Iterator[Mark]:
    for number, row in enumerate(profile.of(each)):
        e, paint, place = row.estimate, colour_of(number), axis.end + 12
        if e is None:
            yield replace(soft_text(place, y + 4, "not asked", anchor="start"), tip=row.reason)
            y += STEP
            continue
        shown = f"{100 * e.mean:.1f} %" if e.few else f"{100 * e.mean:.1f} [{100 * e.low:.0f}, {100 * e.high:.0f}]"
        tip = f"{profile.name(row.model)} {each.does}: {shown}, n = {e.n}"
        if not e.few:
            span = (axis(e.low), y, axis(e.high), y)
            yield Mark(kind="line", at=span, paint=paint, width=5, opacity=0.35, model=number, tip=tip)
        yield Mark(kind="dot", at=(axis(e.mean), y, 4.6), paint=paint, shape=shape_of(number), model=number, tip=tip)
        sign, size = " ✓" if row.can else "", 11 if narrow else 12
        yield Mark(kind="text", at=(place, y + 4), text=f"{shown}{sign}", size=size, model=number)
        y += STEP


def _key(profile: Profile, width: float, y: float) -> tuple[list[Mark], float]:
    entries: list[tuple[Mark, str]] = []
    for number, model in enumerate(profile.models):
        dot = Mark(kind="dot", at=(0, 0, 4.6), paint=colour_of(number), shape=shape_of(number))
        entries.append((dot, f"{profile.name(model)} (95 % interval)"))
    entries.append((CHANCE, "chance"))
    if any(row.shortcut for row in profile.rows):
        entries.append((SHORTCUT, "best shortcut"))
    entries += [(_reference(profile, number), name) for number, name in enumerate(profile.references)]
    if any(each.people for each in profile.capabilities):
        entries.append((PEOPLE, "people, other items"))
    if any(row.can for row in profile.rows):
        entries.append((Mark(kind="text", at=(-5, 4), text="✓", size=12), "above chance and shortcuts (Holm)"))
    marks, x = list[Mark](), 14.0
    for mark, text in entries:
        wide = 28 + 7.0 * len(text)
        if x > 14 and x + wide > width:
            x, y = 14.0, y + KEY
        marks.append(_moved(mark, x, y))
        marks.append(Mark(kind="text", at=(x + 11, y + 4), text=shorten(text, width - 40, size=11), size=11))
        x += wide
    return marks, y + 14


def _moved(mark: Mark, x: float, y: float) -> Mark:
    at = mark.at
    if mark.kind == "line":
        return replace(mark, at=(at[0] + x, at[1] + y, at[2] + x, at[3] + y))
    return replace(mark, at=(at[0] + x, at[1] + y, *at[2:]))
