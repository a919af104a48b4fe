"""Family trees: well-formed, everybody in their place, nothing but text from names."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from functools import cache
from itertools import combinations

import pytest

from proband.suites.kinship.item_views import GAP, Layout, family_svg, generations, levels
from proband.suites.kinship.logic.search import family_of
from proband.suites.kinship.world.relations import GENDER, RELATIONS, Edge, Family, lean

SVG = "{http://www.w3.org/2000/svg}"


@cache
def families(count: int) -> list[Family]:
    """Families of random consistent stories, of up to some fifteen people."""
    rng = random.Random(3)
    found: list[Family] = []
    while len(found) < count:
        people = rng.randint(3, 6)
        genders = [rng.choice(("male", "female")) for _ in range(people)]
        edges: list[Edge] = []
        for i in range(people - 1):
            words = [r for r in RELATIONS if GENDER[r] == genders[i + 1]]
            edges.append((i, rng.choice(words), i + 1))
        if family := family_of(genders, edges, (0, people - 1)):
            found.append(lean(family, edges, (0, people - 1)))
    return found


def test_everybody_is_drawn_once_and_apart() -> None:
    for family in families(40):
        names = [f"N{x}" for x in range(family.named)]
        root = ElementTree.fromstring(family_svg(family, names, query=(0, 1), answer="?"))
        boxes = [
            tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
            for rect in root.iter(f"{SVG}rect")
        ]
        assert len(boxes) == len(family)
        for (x, y, w, h), (x2, y2, w2, h2) in combinations(boxes, 2):
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y, "two people overlap"
        left, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
        assert all(left <= x and x + w <= left + width and y >= 0 and y + h <= height for x, y, w, h in boxes)
        assert [text.text for text in root.iter(f"{SVG}text")].count("N0") == 1


def test_parents_stand_above_children_and_spouses_side_by_side() -> None:
    level_found = 0
    for family in families(40):
        level = generations(family)
        for x in range(len(family)):
            assert all(level[p] < level[x] for p in family.parents[x])
        if levels(family) is not None:
            level_found += 1
            place = Layout(family, [40.0] * len(family))
            for x in range(len(family)):
                assert all(level[p] == level[x] - 1 for p in family.parents[x])
                assert all(level[s] == level[x] for s in family.spouses[x])
                assert all(abs(place.x[s] - place.x[x]) == pytest.approx(40 + GAP) for s in family.spouses[x])
    assert level_found > 12


def test_names_stay_text() -> None:
    family = family_of(["male", "female"], [(0, "wife", 1)], (0, 1))
    assert family is not None
    svg = family_svg(family, ["<script>", 'a"b'], (0, 1), title='"><script>')
    assert "<script" not in svg
    ElementTree.fromstring(svg)
