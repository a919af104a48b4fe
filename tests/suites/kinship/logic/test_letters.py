"""The number of proofs by parsing, against the chart of the closure and against every bracketing."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from proband.suites.kinship.logic import letters as module
from proband.suites.kinship.logic.chaining import backward, pool
from proband.suites.kinship.logic.closure import chart
from proband.suites.kinship.logic.letters import Proofs, spell
from proband.suites.kinship.logic.noise import walk
from proband.suites.kinship.world.families import OTHER, Shape
from proband.suites.kinship.world.rules import FEMALE, MALE, load

SOUND = load("sound")


def paths(count: int, k: int) -> list[tuple[list[int], list[str], int]]:
    """Paths through families, from chaining and at random: relations, genders, what the last is to the first."""
    rng, families = random.Random(k), pool(SOUND, seed=k, shape=Shape())
    found: list[tuple[list[int], list[str], int]] = []
    while len(found) < count:
        ground = families[rng.randrange(5)]
        chained = backward(ground, rng.choice(rng.choice(sorted(ground.pairs.values()))), k, rng.random)
        start = rng.randrange(len(ground.genders))
        away = walk(ground, start, k, used=set(), draw=rng.random)
        for path in (chained[0] if chained else None, [start, *away] if away else None):
            if path is not None:
                to = ground.matrix
                relations = [to[a][b] for a, b in pairwise(path)]
                found.append((relations, [ground.genders[x] for x in path], to[path[0]][path[-1]]))
    return found


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("blind", [False, True])
def test_parses_are_the_charts_proofs(k: int, blind: bool) -> None:
    proofs = Proofs(SOUND, blind=blind)
    some = 0
    for relations, genders, target in paths(200, k):
        letter, count = proofs[spell(relations, genders)]
        left, expected = chart(SOUND, relations, [str(i) for i in range(k + 1)] if blind else genders)
        if left == 1 << OTHER:
            continue  # the chart also counts proofs that there is no relation
        assert count == expected
        if count:
            some += 1
            assert left == 1 << target
            assert letter == spell([target], [genders[0], genders[-1]])[0]
    assert some > 50


def bracketings(relations: list[int], genders: list[str]) -> list[int]:
    """The outcome of every bracketing that has a single one at each step."""
    if len(relations) == 1:
        return relations
    table = SOUND.same if genders[0] == genders[-1] else SOUND.table
    outcomes = [
        table[a][b]
        for m in range(1, len(relations))
        for a, b in product(
            bracketings(relations[:m], genders[: m + 1]),
            bracketings(relations[m:], genders[m:]),
        )
    ]
    return [o.bit_length() - 1 for o in outcomes if 0 < o < 1 << OTHER and o & (o - 1) == 0]


def test_parses_are_the_bracketings_one_by_one() -> None:
    proofs = Proofs(SOUND)
    for k in (2, 3, 4, 5):
        for relations, genders, _ in paths(150, k):
            assert proofs[spell(relations, genders)][1] == len(bracketings(relations, genders))


def test_a_letter_has_relation_and_genders() -> None:
    assert spell([6], [MALE, FEMALE]) == (4 * 6 + 1,)
    assert spell([6, 3], [FEMALE, FEMALE, MALE]) == (4 * 6 + 2 + 1, 4 * 3 + 2)


def test_forgetting_does_not_change_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 3)
    forgetful, proofs = Proofs(SOUND), Proofs(SOUND)
    proofs.most = None
    for relations, genders, _ in paths(50, 6):
        word = spell(relations, genders)
        assert forgetful[word] == proofs[word]
        assert len(forgetful) <= 3
