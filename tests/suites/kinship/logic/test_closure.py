"""The closure against families, against the complete search, and against its own broken rules."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proband.suites.kinship.generate.story_logic import backward
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.logic.closure import chart, close, depth, distance, entailed
from proband.suites.kinship.world.families import FamilyShape, family_pool, make_family, matrix
from proband.suites.kinship.world.relations import NEUTRALS
from proband.suites.kinship.world.rules import load

OTHER = len(NEUTRALS)  # no relation

SOUND = load("sound")
Story = tuple[list[str], list[tuple[int, str, int]], list[list[int]]]


def story(seed: int, *, people: int, facts: int) -> Story:
    """Some people of a family, some true facts about them, and what they really are to each other."""
    rng = random.Random(seed)
    family = make_family(rng, FamilyShape(children=(1, 3)))
    table = matrix(family)
    people = min(people, len(family))  # some families are small
    chosen = [rng.randrange(len(family))]
    while len(chosen) < people:  # neighbours of those chosen, so that there is something to tell
        near = [y for x in chosen for y in range(len(family)) if table[x][y] != OTHER and y not in chosen]
        chosen.append(rng.choice(near or [y for y in range(len(family)) if y not in chosen]))
    pairs = [(i, j) for i in range(people) for j in range(people) if table[chosen[i]][chosen[j]] != OTHER]
    stated = rng.sample(pairs, min(facts, len(pairs)))
    genders = [family.genders[x] for x in chosen]
    edges = [(i, SOUND.word(table[chosen[i]][chosen[j]], genders[j]), j) for i, j in stated]
    return genders, edges, [[table[x][y] for y in chosen] for x in chosen]


@given(st.integers(0, 2**32), st.integers(3, 7), st.integers(2, 8))
@example(737, 7, 4)  # a family of fewer than seven people
@settings(max_examples=150, deadline=None)
def test_the_truth_is_never_closed_out(seed: int, people: int, facts: int) -> None:
    genders, edges, truth = story(seed, people=people, facts=facts)
    closure = close(SOUND, genders, edges)
    assert closure.consistent
    for i in range(len(genders)):
        for j in range(len(genders)):
            if i != j:
                assert closure.sets[i][j] >> truth[i][j] & 1


@given(st.integers(0, 2**32), st.integers(3, 5), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_the_closure_never_says_more_than_the_complete_search(seed: int, people: int, facts: int) -> None:
    genders, edges, _ = story(seed, people=people, facts=facts)
    closure = close(SOUND, genders, edges)
    for i, j in combinations(range(len(genders)), 2):
        possible = {w if w != "none" else "other" for w in certify.possible(genders, edges, (i, j))}
        assert possible <= set(closure.answers(i, j))


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=100, deadline=None)
def test_on_a_path_the_chart_and_the_closure_agree(seed: int, k: int) -> None:
    """The chart works bottom up over segments, the closure from any pair to any other: the closure may know more."""
    rng = random.Random(seed)
    family = make_family(rng)
    table = matrix(family)
    path = [rng.randrange(len(family))]
    while len(path) <= k:
        near = [y for y in range(len(family)) if table[path[-1]][y] != OTHER and y not in path]
        if not near:
            return
        path.append(rng.choice(near))
    genders = [family.genders[x] for x in path]
    relations = [table[a][b] for a, b in pairwise(path)]
    edges = [(i, SOUND.word(r, genders[i + 1]), i + 1) for i, r in enumerate(relations)]
    left, proofs = chart(SOUND, relations, genders)
    closure = close(SOUND, genders, edges)
    assert closure.sets[0][k] & ~left == 0
    assert left >> table[path[0]][path[-1]] & 1
    if proofs:
        assert left == closure.sets[0][k] == 1 << table[path[0]][path[-1]]


def test_the_number_of_proofs_is_the_number_of_bracketings() -> None:
    """sibling x 4: any bracketing works, so the Catalan number; parent, sibling, sibling: only one of two does."""
    men = ["male"] * 6
    assert chart(SOUND, [2] * 4, men[:5])[1] == 5
    assert chart(SOUND, [2] * 5, men)[1] == 14
    assert chart(SOUND, [0, 2, 2], men[:4])[1] == 1


def bracketings(relations: list[int], genders: list[str]) -> list[int]:
    """The outcome of every bracketing that has a single one at each step."""
    if len(relations) == 1:
        return relations
    table = SOUND.same if genders[0] == genders[-1] else SOUND.table
    outcomes = [
        table[a][b]
        for m in range(1, len(relations))
        for a, b in product(bracketings(relations[:m], genders[: m + 1]), bracketings(relations[m:], genders[m:]))
    ]
    return [o.bit_length() - 1 for o in outcomes if 0 < o < 1 << OTHER and o & (o - 1) == 0]


@pytest.mark.parametrize("blind", [False, True])
def test_proofs_are_the_bracketings_one_by_one(blind: bool) -> None:
    rng, families, some = random.Random(1), family_pool(SOUND, seed=1), 0
    for k in (2, 3, 4, 5):
        for _ in range(100):
            ground = families(rng.randrange(5))
            found = backward(ground, rng.choice(rng.choice(sorted(ground.pairs.values()))), k, rng.random)
            if found is None:
                continue
            relations = [ground.matrix[a][b] for a, b in pairwise(found[0])]
            genders = [str(i) if blind else ground.genders[x] for i, x in enumerate(found[0])]
            left, proofs = chart(SOUND, relations, genders)
            assert proofs == len(bracketings(relations, genders))
            if proofs:
                some += 1
                assert left == 1 << ground.matrix[found[0][0]][found[0][-1]]
    assert some > 100


def test_gender_decides_between_spouse_and_sibling_in_law() -> None:
    stated = [(0, "mother-in-law", 1)]
    assert entailed(SOUND, ["male", "female", "male"], [*stated, (1, "son", 2)], (0, 2)) == "brother-in-law"
    assert entailed(SOUND, ["male", "female", "female"], [*stated, (1, "daughter", 2)], (0, 2)) is None


@pytest.mark.parametrize(
    ("genders", "edges"),
    [
        (["male", "male"], [(0, "mother", 1)]),  # a word of the wrong gender
        (["male", "male"], [(0, "father", 1), (1, "father", 0)]),
        (["male", "female", "female"], [(0, "wife", 1), (0, "wife", 2)]),
        (["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2), (0, "father", 2)]),
        (["male", "male"], [(0, "father", 0)]),
    ],
)
def test_contradictions_are_found(genders: list[str], edges: list[tuple[int, str, int]]) -> None:
    assert not close(SOUND, genders, edges).consistent
    assert entailed(SOUND, genders, edges, (0, 1)) is None


def test_a_wrong_target_is_not_proved() -> None:
    genders, stated = ["male", "female", "male"], [(0, "mother", 1), (1, "brother", 2)]
    assert entailed(SOUND, genders, stated, (0, 2)) == "uncle"
    assert close(SOUND, genders, [*stated, (0, "grandfather", 2)]).consistent is False


def test_the_papers_rules_prove_what_is_false() -> None:
    """My child's uncle need not be my brother: the closure under CLUTRR's table says so, a family says otherwise."""
    genders, stated = ["male", "male", "male"], [(0, "son", 1), (1, "uncle", 2)]
    assert entailed(load("clutrr"), genders, stated, (0, 2)) == "brother"
    assert entailed(SOUND, genders, stated, (0, 2)) is None
    family = certify.family_of(genders, stated, (0, 2), avoid=["sibling"])
    assert family is not None
    assert family.broken() is None
    assert all(family.holds(edge) for edge in stated)
    assert not family.holds((0, "brother", 2))


@given(st.integers(0, 2**32), st.integers(3, 5))
@settings(max_examples=25, deadline=None)
def test_the_depth_is_the_size_of_the_smallest_set_of_facts_that_entails(seed: int, people: int) -> None:
    """Brute force over subsets of the facts, each put to the closure and to the complete search."""
    genders, edges, truth = story(seed, people=people, facts=5)
    for i, j in combinations(range(len(genders)), 2):
        if truth[i][j] == OTHER:
            continue
        target = SOUND.word(truth[i][j], genders[j])
        subsets = [some for size in range(1, len(edges) + 1) for some in combinations(edges, size)]
        found = depth(SOUND, genders, edges, (i, j))
        assert found == next((len(s) for s in subsets if entailed(SOUND, genders, s, (i, j)) == target), None)
        if found is not None:
            assert not any(certify.entailed(genders, s, (i, j), target) for s in subsets if len(s) < min(found, 3))


def test_distance() -> None:
    ring = [(0, "a", 1), (1, "a", 2), (2, "a", 3), (3, "a", 0)]
    assert [distance(ring, (0, j)) for j in (1, 2, 3)] == [1, 2, 1]
    assert distance(ring, (0, 9)) is None
