"""Great-grandparents and cousins: stories of the wide world, proved by its table; the complete search agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.kinship.item_views import draw_item
from proband.suites.kinship.logic.closure import Symbolic
from proband.suites.kinship.logic.search import entailed, possible
from proband.suites.kinship.reading.reader import Read
from proband.suites.kinship.world.families import family_pool, matrix
from proband.suites.kinship.world.relations import WIDE_WORLD
from proband.suites.kinship.world.rules import load

WIDE = WIDE_WORLD.neutrals
NEW = set(WIDE[-3:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wide")
    proband.build("kinship", out=folder, rules="wide", k="2,3,5", per_k=54, task="clean,irrelevant", seed=4)
    return folder


@pytest.fixture(scope="module")
def items(folder: Path) -> list[Item]:
    return list(read_items(folder))


@pytest.mark.nightly
def test_verified_agreed_on_and_solved(folder: Path, items: list[Item]) -> None:
    checked = proband.verify(folder)["checked"]
    assert checked == {
        "text rendered again, proof replayed with the rule table proved in Coq, family checked": len(items)
    }
    neutral = load("wide").code
    asked = {WIDE[neutral[item.facts["target"]]] for item in items}
    stated = {WIDE[neutral[word]] for item in items for _, word, _ in item.facts["edges"]}
    assert asked >= NEW
    assert stated >= NEW
    for item, answer in zip(items, Symbolic().answer(items), strict=True):
        facts = item.facts
        story = facts["genders"], [tuple(edge) for edge in facts["edges"]], tuple(facts["query"])
        assert entailed(*story, facts["target"], world=WIDE_WORLD)
        assert answer.scores.index(1.0) == item.gold
        assert len(item.choices) == 27
        assert draw_item(item) is not None


def test_definitions_in_a_family_one_by_one() -> None:
    family = family_pool(load("wide"), seed=3)(0).family
    table = matrix(family)
    for x in range(0, len(family), 7):
        for y in range(len(family)):
            held = [] if x == y else list(family.neutral_relations(x, y))
            assert held == ([WIDE[table[x][y]]] if table[x][y] < len(WIDE) else [])


def test_the_search_knows_them() -> None:
    story = ["male"] * 3, [(0, "father", 1), (1, "nephew", 2)], (0, 2)
    assert possible(*story, world=WIDE_WORLD) == {"cousin"}
    assert possible(*story) == {"none"}  # none of the 22
    with pytest.raises(ProbandError, match="'cousin' is no relation"):
        entailed(*story, "cousin")


def test_the_reader_reads_them_in_plain_sentences_and_leaves_other_texts_unread(
    items: list[Item], tmp_path: Path
) -> None:
    for item, answer in zip(items, Read().answer(items), strict=True):
        assert answer.status == "unread" or answer.scores.index(max(answer.scores)) == item.gold
    proband.build("kinship", out=tmp_path, rules="wide", k="3", per_k=27, form="facts")
    plain = list(read_items(tmp_path))
    assert [a.scores.index(1.0) for a in Read().answer(plain)] == [item.gold for item in plain]
