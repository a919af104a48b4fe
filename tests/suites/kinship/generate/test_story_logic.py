"""Backward chaining: paths of k facts that prove the goal, nobody twice, every step a rule with a single outcome."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from tests.suites.kinship.generate.conftest import SOUND

from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.generate.story_logic import backward
from proband.suites.kinship.logic.closure import chart
from proband.suites.kinship.world.families import COMMON, FamilyGraph, family_pool, resolve
from proband.suites.kinship.world.relations import NEUTRAL, RELATIONS


@pytest.fixture(scope="module")
def grounds() -> list[FamilyGraph]:
    family = family_pool(SOUND, seed=5)
    return [family(i) for i in range(6)]


@pytest.mark.parametrize("k", [2, 3, 5, 8, 10])
def test_chains_are_simple_paths_whose_steps_are_rules(grounds: list[FamilyGraph], k: int) -> None:
    rng = random.Random(k)
    made = 0
    for ground in grounds:
        for goal in sorted(ground.pairs):
            pair = rng.choice(ground.pairs[goal])
            found = backward(ground, pair, k, rng.random)
            if found is None:
                continue
            made += 1
            path, steps = found
            assert (path[0], path[-1], len(path), len(set(path))) == (*pair, k + 1, k + 1)
            assert all(ground.matrix[a][b] != ground.none for a, b in pairwise(path))
            facts = {pair}  # replay the steps: each replaces a fact by two that compose to it and to nothing else
            for a, y, b in steps:
                facts.remove((a, b))
                facts |= {(a, y), (y, b)}
                first, second = SOUND.neutrals[ground.matrix[a][y]], SOUND.neutrals[ground.matrix[y][b]]
                outcome = SOUND.compose(first, second)
                if ground.genders[a] == ground.genders[b]:
                    outcome -= {"spouse"}
                assert outcome == {SOUND.neutrals[ground.matrix[a][b]]}
            assert facts == set(pairwise(path))
    assert made > 30


def test_every_family_of_the_pool_has_every_relation(grounds: list[FamilyGraph]) -> None:
    assert all(len(ground.pairs) == 42 for ground in grounds)


def test_all_22_relations_can_be_targets_at_every_length(grounds: list[FamilyGraph]) -> None:
    """The paper's generator can never ask for a sibling-in-law."""
    for k in (2, 3, 6, 10):
        reached = set()
        rng = random.Random(0)
        for _ in range(40):
            for ground in grounds:
                for relation, z, x in sorted(ground.pairs):
                    if (relation, z) not in reached:
                        pair = rng.choice(ground.pairs[relation, z, x])
                        if backward(ground, pair, k, rng.random):
                            reached.add((relation, z))
        assert len(reached) == 22, k


def test_rules_and_people_are_drawn_uniformly() -> None:
    rng = random.Random(0)
    groups = [[1], [2, 3], [4, 5, 6, 7]]
    counts = Counter(resolve(groups, {1, 5}, rng.random) for _ in range(30_000))
    assert set(counts) == {2, 3, 4, 6, 7}  # 1 and 5 are taken, and with 1 the whole first rule
    assert all(abs(counts[y] / 30_000 - 1 / 4) < 0.015 for y in (2, 3))
    assert all(abs(counts[y] / 30_000 - 1 / 6) < 0.015 for y in (4, 6, 7))
    assert resolve(groups, set(range(8)), rng.random) == resolve([], set(), rng.random) == -1


def test_spread_states_rare_relations_more_often() -> None:
    """Chains with one outcome rarely state grandparents, uncles and nephews; noise that is spread makes up for it."""
    shares = {}
    for spread in (False, True):
        options = BuildOptions(task="all", k="3", per_k=110, spread=spread, certify="none")
        built = build(options, seed=0)
        stated = Counter(word for item in built.items for _, word, _ in item.facts["edges"])
        assert set(stated) == set(RELATIONS)
        shares[spread] = min(stated[word] / stated.total() for word in RELATIONS if NEUTRAL[word] not in COMMON)
    assert shares[False] < 0.02 < shares[True]


def test_chains_that_are_spread_prove_their_goal_too() -> None:
    family = family_pool(SOUND, seed=5, spread=True)(0)
    rng, rare = random.Random(1), 0
    for goal, pairs in sorted(family.pairs.items()):
        found = backward(family, rng.choice(pairs), 4, rng.random)
        if found is not None:
            clause = [family.matrix[a][b] for a, b in pairwise(found[0])]
            genders = [family.genders[person] for person in found[0]]
            assert chart(SOUND, clause, genders)[0] == 1 << goal[0]
            rare += bool(family.rare & set(clause))
    assert rare > 5
