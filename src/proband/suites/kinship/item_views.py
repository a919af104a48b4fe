"""Views of one item: as text, and as a family tree in which its story is true.

The tree: generations in layers, a double line for a marriage, dots for people without a name. Men are boxes, women
rounded; the two people of the question are filled and joined by a dashed arc with its answer. Colours come
from the page (`currentColor`, the variables --accent and --paper), so the picture follows its light or dark theme.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.metrics import chosen_answer
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.search import family_of
from proband.suites.kinship.world.families import family_of_rows
from proband.suites.kinship.world.relations import FEMALE, Edge, Family, World, lean
from proband.suites.kinship.world.rules import StoryFacts, facts_of, of_item

Unit = tuple[int, ...]  # people side by side: a couple, or one person
GAP, ROW, NAME_HEIGHT, DOT = 20.0, 74.0, 26.0, 12.0


def show(item: Item) -> str:
    """The prompt, the facts with their noise, the proof line by line and the certificate."""
    lines = [item.prompt, ""]
    if item.gold is not None:
        lines += [f"answer: {item.choices[item.gold]}", ""]
    if "edges" in item.facts:
        facts = facts_of(item)
        noise, k = dict(facts.noise), "?" if facts.k is None else facts.k
        lines.append(f"facts ({k} in the chain, {len(noise)} noise; shortest proof {facts.depth}):")
        for edge in facts.edges:
            kind = noise.get(edge)
            lines.append(f"  {fact(edge, facts.names)}" + (f"   [{kind}]" if kind else ""))
        lines.append("proof:" if facts.proof else "proof: it is stated")
        lines += [f"  {step(s, facts.names)}" for s in facts.proof]
        if facts.certificate:
            by = " and ".join(facts.certified_by)
            lines.append(f"certificate: {facts.certificate}" + (f", by {by}" if by else ""))
    return "\n".join(lines)


def fact(edge: Edge, names: Sequence[str]) -> str:
    """
    >>> fact((0, "aunt", 1), ["Arthur", "Sharon"])
    'Sharon is the aunt of Arthur'
    """
    i, word, j = edge
    return f"{names[j]} is the {' or '.join(word.split('|'))} of {names[i]}"


def step(premises: Sequence[Edge], names: Sequence[str]) -> str:
    """
    >>> step([(0, "mother", 1), (1, "brother", 2), (0, "uncle", 2)], ["Al", "Bea", "Cy"])
    'Bea is the mother of Al, Cy is the brother of Bea: Cy is the uncle of Al'
    """
    *given, last = (fact(edge, names) for edge in premises)
    return f"{', '.join(given)}: {last}"


def draw_item(item: Item, answer: Answer | None = None) -> str | None:
    """A family in which the item's story is true, with the question marked; None if there is no such family.

    With an answer, the arc shows it, and the right answer if it differs.
    """
    if "edges" not in item.facts:
        return None
    try:
        facts = facts_of(item)
        if facts.families:
            return _several_families(item, facts, answer)
        family = _family_of(facts, of_item(item).kin)
    except (KeyError, TypeError, ValueError, ProbandError):
        return None
    if family is None:
        return None
    noise = [edge for edge, _ in facts.noise]
    noisy = {x for i, _, j in noise for x in (i, j)}
    needed = {x for edge in facts.edges if edge not in noise for x in edge[::2]}
    return family_svg(
        family,
        list(facts.names),
        query=facts.pair,
        answer=_verdict(item, answer),
        faint=noisy - needed,
        title=f"The family of {item.id}",
    )


def _several_families(item: Item, facts: StoryFacts, answer: Answer | None) -> str:
    """Families side by side, each with its own answer, for a question that is open or has several possible answers."""
    pictures = list[str]()
    for rows in facts.families:
        family = family_of_rows(rows, named=len(facts.names), world=of_item(item).kin)
        own = " or ".join(sorted(family.relations(*facts.pair))) or "none of these"
        pictures.append(family_svg(family, list(facts.names), query=facts.pair, answer=own, title=own))
    return side_by_side(pictures, title=f"{len(pictures)} families of {item.id}: {_verdict(item, answer)}")


@lru_cache(maxsize=8)
def _family_of(facts: StoryFacts, world: World) -> Family | None:
    """The family stored in the item, or one found by the search; the same for all answers to a story."""
    if facts.family:
        family: Family | None = family_of_rows(facts.family, named=len(facts.names), world=world)
    else:
        family = family_of(facts.genders, facts.edges, facts.pair, world=world)
    return family and lean(family, facts.edges, facts.pair)


def _verdict(item: Item, answer: Answer | None) -> str:
    right = str(item.facts.get("target", ""))
    if answer is None or len(answer.scores) != len(item.choices) or not answer.scores:
        return right
    chosen = chosen_answer(item, answer)
    return f"{right} ✓" if chosen == right else f"{chosen} ✗ ({right})"


# ---- positions: generations in layers, couples side by side, relatives close together ----------------------------


def levels(family: Family) -> list[int] | None:
    """A generation per person: children one below their parents, spouses level; None if this is impossible.

    >>> levels(Family(named=2, genders=("male", "female", "male"), father=(2, None, None),
    ...               mother=(None, None, None), spouses=((1,), (0,), ())))
    [1, 1, 0]
    """
    level: dict[int, int] = {}
    for people in _connected(family):
        level[people[0]], todo = 0, people[:1]
        for x in todo:  # grows during the loop
            below = dict.fromkeys(family.parents[x], -1) | dict.fromkeys(family.children[x], 1)
            near = below | dict.fromkeys(family.spouses[x], 0)
            todo += [y for y in near if y not in level]
            if any(level.setdefault(y, level[x] + step) != level[x] + step for y, step in near.items()):
                return None
        top = min(level[x] for x in people)
        level |= {x: level[x] - top for x in people}
    return [level[x] for x in range(len(family))]


def generations(family: Family) -> list[int]:
    """A layer per person: `levels` or, for marriages between generations, parents above children."""
    level = levels(family)
    if level is None:
        level = [0] * len(family)
        for _ in range(len(family)):
            for x in range(len(family)):
                level[x] = max([level[x], *(level[p] + 1 for p in family.parents[x])])
    return level


class Layout:
    """Centres of all people. In a row, each unit (a couple or one person) is as close as possible to the mean position
    of its parents and children. Unconnected groups are drawn apart."""

    def __init__(self, family: Family, widths: Sequence[float]) -> None:
        self.family, self.widths = family, widths
        self.level, self.x, right = generations(family), [0.0] * len(family), 0.0
        for people in _connected(family):
            rows = self._rows(people)
            for sweep in range(14):
                for row in rows[:: 1 if sweep % 2 == 0 else -1]:
                    self._settle(row)
            shift = right - min(self.x[x] - widths[x] / 2 for x in people)
            for x in people:
                self.x[x] += shift
            right = max(self.x[x] + widths[x] / 2 for x in people) + 2 * GAP

    def _rows(self, people: Sequence[int]) -> list[list[Unit]]:
        rows: list[list[Unit]] = [[] for _ in range(max(self.level) + 1)]
        placed: set[int] = set()
        for x in people:
            if x not in placed:
                partner = [s for s in self.family.spouses[x] if s not in placed and self.level[s] == self.level[x]]
                rows[self.level[x]].append((x, *partner[:1]))
                placed |= {x, *partner[:1]}
        return [row for row in rows if row]

    def _settle(self, row: list[Unit]) -> None:
        """Order a row by the preferred positions of its units, turn couples towards their own families, and place every
        unit as close to its preferred position as order and distance allow (isotonic regression)."""
        from scipy.optimize import isotonic_regression

        row.sort(key=lambda unit: (self._wish(unit), unit))
        for at, unit in enumerate(row):
            sides = [[self.x[p] for p in self.family.parents[person]] for person in unit]
            if len(unit) == 2 and all(sides) and sum(sides[0]) / len(sides[0]) > sum(sides[1]) / len(sides[1]):
                row[at] = unit[::-1]
        widths = [sum(self.widths[person] for person in unit) + GAP * (len(unit) - 1) for unit in row]
        reach = np.cumsum([0.0, *((a + b) / 2 + 1.4 * GAP for a, b in pairwise(widths))])
        wishes = np.array([self._wish(unit) for unit in row])
        for unit, centre, width in zip(row, isotonic_regression(wishes - reach).x + reach, widths):
            left = float(centre) - width / 2
            for person in unit:
                self.x[person] = left + self.widths[person] / 2
                left += self.widths[person] + GAP

    def _wish(self, unit: Unit) -> float:
        """The mean position of a unit's parents, children and spouses in other rows, or its own if there are none."""
        family = self.family
        apart = [s for person in unit for s in family.spouses[person] if self.level[s] != self.level[person]]
        near = [y for person in unit for y in (*family.parents[person], *family.children[person])]
        places = [self.x[y] for y in (*near, *apart)] or [self.x[person] for person in unit]
        return sum(places) / len(places)


def _connected(family: Family) -> list[list[int]]:
    """The connected groups of people."""
    group = list(range(len(family)))
    for x in range(len(family)):
        for y in (*family.parents[x], *family.spouses[x]):
            group = [group[x] if g == group[y] else g for g in group]
    return list(group_by_key((g, x) for x, g in enumerate(group)).values())


layout = lru_cache(maxsize=8)(Layout)  # a family is drawn once for every answer


# ---- the picture ---------------------------------------------------------------------------------------------------


def family_svg(
    family: Family,
    names: Sequence[str],
    query: tuple[int, int],
    *,
    answer: str = "",
    faint: Collection[int] = (),
    title: str = "A family",
) -> str:
    """The family as an SVG element. `names` are those of the first people; `faint` people (noise) are drawn lighter.

    >>> couple = Family(named=2, genders=("male", "female"), father=(None,) * 2, mother=(None,) * 2,
    ...                 spouses=((1,), (0,)))
    >>> family_svg(couple, ["Bo", "Ann"], (0, 1)).count("<line")
    2
    """
    widths = [max(34.0, 7.4 * len(names[x]) + 16) if x < len(names) else DOT for x in range(len(family))]
    place = layout(family, tuple(widths))
    y = [44.0 + ROW * level + NAME_HEIGHT / 2 for level in place.level]

    def person(x: int) -> str:
        named, queried, centre, width = x < len(names), x in query, place.x[x], widths[x]
        tall = NAME_HEIGHT if named else DOT
        round_ = tall / 2 if family.genders[x] == FEMALE else 3
        fill = "var(--accent,#b45309)" if queried else "var(--paper,#fff)" if named else "currentColor"
        quiet = ' stroke-opacity=".4"' if x in faint else "" if named else ' fill-opacity=".45" stroke-opacity="0"'
        shape = (
            f'<rect x="{centre - width / 2:.1f}" y="{y[x] - tall / 2:.1f}" width="{width:.1f}" height="{tall:.0f}" '
            f'rx="{round_:.0f}" fill="{fill}" stroke="{fill if queried else "currentColor"}"{quiet}/>'
        )
        if not named:
            return shape
        ink = "var(--on-accent,#fff)" if queried else "currentColor"
        pale = ' fill-opacity=".55"' if x in faint else ""
        place_of_name = f'x="{centre:.1f}" y="{y[x] + 4.5:.1f}" text-anchor="middle"'
        return f'{shape}<text {place_of_name} fill="{ink}"{pale}>{escape(names[x])}</text>'

    arc, right = _arc(place, y, query, answer)
    width = max(right, 2 + max(x + w / 2 for x, w in zip(place.x, widths)))
    people = [person(x) for x in range(len(family))]
    couples = [(a, b) for a in range(len(family)) for b in family.spouses[a] if a < b]
    marriages = [_line(place.x[a], y[a] + d, place.x[b], y[b] + d) for a, b in couples for d in (-2, 2)]
    parts = [*marriages, *_descents(family, place, y), arc, *people]
    label = escape(title, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="family" role="img" aria-label="{label}" '
        f'viewBox="-6 0 {width + 12:.0f} {max(y) + NAME_HEIGHT / 2 + 8:.0f}" width="{width + 12:.0f}" '
        'style="max-width:100%;height:auto;font:13px system-ui,sans-serif">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )


def side_by_side(pictures: Sequence[str], *, title: str) -> str:
    """Pictures of families in one picture, from left to right."""
    boxes = [re.findall(r'viewBox="-6 0 (\d+) (\d+)"', picture)[0] for picture in pictures]
    sizes = [(int(width), int(height)) for width, height in boxes]
    parts, at = list[str](), 0
    for picture, (width, height) in zip(pictures, sizes):
        parts.append(picture.replace("<svg ", f'<svg x="{at}" height="{height}" ', 1))
        at += width + 24
    label = escape(title, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="family" role="img" aria-label="{label}" '
        f'viewBox="0 0 {at - 24} {max(height for _, height in sizes)}" width="{at - 24}" '
        f'style="max-width:100%;height:auto"><title>{label}</title>{"".join(parts)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" stroke-opacity=".55"/>'


def _descents(family: Family, place: Layout, y: Sequence[float]) -> list[str]:
    """One stem per household, a bar, and a drop to every child; neighbouring bars have different heights."""
    homes = group_by_key((tuple(sorted(family.parents[x])), x) for x in range(len(family)) if family.parents[x])
    parts, met = [], dict.fromkeys(place.level, 0)
    for parents, children in sorted(homes.items(), key=lambda home: min(place.x[p] for p in home[0])):
        left, right = (pick(parents, key=lambda p: place.x[p]) for pick in (min, max))
        stem = (place.x[left] + place.widths[left] / 2 + place.x[right] - place.widths[right] / 2) / 2
        low = max(y[p] for p in parents)
        row = place.level[parents[0]]
        bar = low + NAME_HEIGHT / 2 + 11 + 8 * (met[row] % 3)
        met[row] += 1
        if len(children) == 1 and abs(place.x[children[0]] - stem) < GAP / 2:
            stem = place.x[children[0]]  # a straight line instead of a small step
        parts.append(_line(stem, low + 2, stem, bar))
        ends = [stem, *(place.x[c] for c in children)]
        parts.append(_line(min(ends), bar, max(ends), bar))
        parts += [_line(place.x[c], bar, place.x[c], y[c]) for c in children]
    return parts


def _arc(place: Layout, y: Sequence[float], query: tuple[int, int], answer: str) -> tuple[str, float]:
    """An arc from the asker to the asked with the answer on it, over the tree or next to people above each other; and
    its right end."""
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
