"""Items as family trees: the answer on the arc, noise in the background, no picture without a family."""

from __future__ import annotations

import json
import random
import re

import pytest

from proband.core.errors import ProbandError
from proband.core.files import encode
from proband.core.types import Answer, Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import TASKS, BuildOptions
from proband.suites.kinship.item_views import draw_item
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.logic.closure import fill_in
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, RELATIONS, Edge, agrees


def item(**facts: object) -> Item:
    base = {
        "names": ["Ann", "Bo", "Cy", "Di"],
        "genders": ["female", "male", "male", "male"],
        "edges": [[0, "father", 1], [1, "brother", 2], [0, "brother", 3]],
        "noise": [[[0, "brother", 3], "irrelevant"]],
        "query": [0, 2],
        "target": "uncle",
    }
    return Item(id="i", suite="kinship", prompt="?", choices=RELATIONS, gold=12, facts=base | facts)


def test_items_with_and_without_an_answer() -> None:
    drawn = draw_item(item())
    assert drawn is not None
    assert ">uncle<" in drawn
    assert len(re.findall(r'fill-opacity=".55">Di<', drawn)) == 1  # Di, who is noise
    right = tuple(float(r == "uncle") for r in RELATIONS)
    wrong = tuple(float(r == "nephew") for r in RELATIONS)
    assert "uncle ✓" in (draw_item(item(), Answer(item_id="i", scores=right)) or "")
    assert "nephew ✗ (uncle)" in (draw_item(item(), Answer(item_id="i", scores=wrong)) or "")


def test_the_same_item_is_the_same_picture() -> None:
    first = draw_item(item())
    certify.possible(["male"] * 4, [(0, "uncle", 1), (1, "son", 2), (2, "uncle", 3)], (0, 3))
    assert draw_item(item()) == first


def test_no_picture_where_there_is_no_family() -> None:
    assert draw_item(item(edges=[[0, "father", 1], [1, "daughter", 0], [1, "mother", 0]])) is None
    assert draw_item(item(edges=[[0, "left-of", 1]])) is None
    assert draw_item(Item(id="i", suite="kinship", prompt="?")) is None


def stories(count: int, *, people: tuple[int, int], facts: int) -> list[tuple[list[str], list[Edge]]]:
    """Facts at random: some can be true together, some cannot."""
    rng, found = random.Random(facts), []
    for _ in range(count):
        genders = [rng.choice((MALE, FEMALE)) for _ in range(rng.randint(*people))]
        edges: list[Edge] = []
        for _ in range(rng.randint(1, facts)):
            i, j = rng.sample(range(len(genders)), 2)
            edges.append((i, rng.choice([r for r in RELATIONS if GENDER[r] == genders[j]]), j))
        found.append((genders, edges))
    return found


@pytest.mark.parametrize(("people", "facts"), [((2, 3), 3), ((3, 4), 4), ((4, 5), 6)])
def test_there_is_one_exactly_where_the_search_finds_one(people: tuple[int, int], facts: int) -> None:
    verdicts = {True: 0, False: 0}
    for genders, edges in stories(150, people=people, facts=facts):
        family = fill_in(genders, edges)
        verdicts[family is not None] += 1
        assert (family is None) == (not certify.consistent(genders, edges)), (genders, edges)
        if family is not None:
            assert agrees(family, genders, edges)
            assert family == fill_in(genders, edges)
    assert min(verdicts.values()) > 15, verdicts


def test_every_relation_by_itself() -> None:
    for relation in RELATIONS:
        for gender in (MALE, FEMALE):
            family = fill_in([gender, GENDER[relation]], [(0, relation, 1)])
            assert (family is None) == ((relation, gender) in (("husband", MALE), ("wife", FEMALE)))
            assert family is None or family.relations(0, 1) == {relation}


def test_built_stories_have_one_and_it_has_the_answer() -> None:
    built = build(BuildOptions(task=",".join(TASKS), k="2,5,10", per_k=22, certify="none"), seed=1)
    for facts in (json.loads(encode(item))["facts"] for item in built.items):
        family = fill_in(facts["genders"], [(i, w, j) for i, w, j in facts["edges"]])
        assert family is not None
        assert family.relations(*facts["query"]) == {facts["target"]}


def test_people_and_words_there_are_not() -> None:
    with pytest.raises(ProbandError, match="person 2 is not one of the 2"):
        fill_in([MALE, MALE], [(0, "son", 2)])
    with pytest.raises(ProbandError, match="'cousin' is not one"):
        fill_in([MALE, MALE], [(0, "cousin", 1)])
