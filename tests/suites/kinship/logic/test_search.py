"""The search against all families of up to six people, enumerated outright."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations, permutations, product

import pytest
from tests.suites.kinship.enumerated_families import Pairs, compose, families, neutral_table, unordered

from proband.core.errors import ProbandError
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.logic.sat_clauses import witnesses
from proband.suites.kinship.world.relations import (
    GENDER,
    INVERSE,
    NEUTRAL,
    RELATIONS,
    STRICT,
    Edge,
    World,
    agrees,
    word,
)

# ---- what can be seen in the enumerated families -----------------------------------------------------------------

Config = tuple[tuple[str, ...], tuple[str, ...]]  # genders of some people; what each ordered pair of them is, or ""


@cache
def configurations(people: int, size: int) -> frozenset[Config]:
    """What can be seen between `people` distinct members of a family of `size`."""
    neutral: set[tuple[tuple[str, ...], ...]] = set()  # without genders, which only couples restrict
    for couples, homes in {unordered(couples, homes) for _, couples, homes in families(size)}:
        table = neutral_table(couples, homes)
        for chosen in combinations(range(size), people):
            neutral.add(tuple(table.get((a, b), ()) for a in chosen for b in chosen if a != b))
    seen: set[Config] = set()
    places = [(a, b) for a in range(people) for b in range(people) if a != b]
    for pairs, genders in product(neutral, product(("male", "female"), repeat=people)):
        stated = list(zip(places, pairs))
        if not any(words == ("husband", "wife") and genders[a] == genders[b] for (a, b), words in stated):
            seen.add((genders, tuple(words[genders[b] == "female"] if words else "" for (_, b), words in stated)))
    return frozenset(turned(config, order) for config in seen for order in permutations(range(people)))


def turned(config: Config, order: tuple[int, ...]) -> Config:
    """The same people looked at in another order."""
    genders, pairs = config
    n = len(order)
    return (
        tuple(genders[x] for x in order),
        tuple(pairs[pair_index(a, b, n)] for a in order for b in order if a != b),
    )


def pair_index(i: int, j: int, people: int) -> int:
    """Where the ordered pair (i, j) stands in a configuration."""
    return i * (people - 1) + j - (j > i)


# ---- the tests ---------------------------------------------------------------------------------------------------

MEN = ("male", "male", "male")


def seen(configs: frozenset[Config], genders: tuple[str, ...], edges: list[Edge], query: tuple[int, int]) -> set[str]:
    """What the query is in the enumerated families in which the edges hold."""
    n = len(genders)
    places = [(pair_index(i, j, n), relation) for i, relation, j in edges]
    ask = pair_index(*query, n)
    of_genders = by_genders(configs)[genders]
    return {pairs[ask] or "none" for pairs in of_genders if all(pairs[p] == r for p, r in places)}


@cache
def by_genders(configs: frozenset[Config]) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    found: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for genders, pairs in configs:
        found.setdefault(genders, []).append(pairs)
    return found


def needed(edges: list[Edge]) -> int:
    return sum(witnesses(NEUTRAL[relation], STRICT) for _, relation, _ in edges)


def random_story(rng: random.Random, *, people: int, edges: int) -> tuple[tuple[str, ...], list[Edge]]:
    genders = tuple(rng.choice(("male", "female")) for _ in range(people))
    pairs = rng.sample(list(permutations(range(people), 2)), edges)
    words = {g: [r for r in RELATIONS if GENDER[r] == g] for g in ("male", "female")}
    return genders, [(i, rng.choice(words[genders[j]]), j) for i, j in pairs]


def compare(configs: frozenset[Config], *, size: int, people: int, stories: int, seed: int) -> tuple[int, int]:
    """Check random stories; returns how many were decided exactly and how many of those had a family."""
    rng = random.Random(seed)
    exact = alive = 0
    for _ in range(stories):
        genders, edges = random_story(rng, people=people, edges=rng.randint(1, people))
        query = (0, people - 1)
        brute = seen(configs, genders, edges, query)
        found = certify.possible(genders, edges, query)
        assert brute <= found, (genders, edges)
        if people + needed(edges) <= size:  # then every family that matters is among the enumerated
            exact += 1
            alive += bool(brute)
            assert bool(brute) == bool(found)
            for target in (brute | {"brother", "aunt", "mother-in-law"}) - {"none"}:
                assert certify.entailed(genders, edges, query, target) == (brute == {target}), (genders, edges)
        if people + needed(edges) + 2 <= size:
            assert brute == found, (genders, edges)
    return exact, alive


def test_agrees_with_enumerated_families() -> None:
    exact, alive = compare(configurations(3, 5), size=5, people=3, stories=300, seed=1)
    assert exact > 90
    assert alive > 20


@pytest.mark.nightly
def test_agrees_with_enumerated_families_about_four_people() -> None:
    exact, alive = compare(configurations(4, 5), size=5, people=4, stories=300, seed=2)
    assert exact > 20
    assert alive > 4


@pytest.mark.nightly
def test_agrees_with_enumerated_families_of_six() -> None:
    exact, alive = compare(configurations(3, 6), size=6, people=3, stories=3000, seed=3)
    assert exact > 1500
    assert alive > 400


@pytest.mark.parametrize("size", [5, pytest.param(6, marks=pytest.mark.nightly)])
def test_every_composition_of_two_facts(size: int) -> None:
    """All chains a - b - c: whatever five or six people can show is possible."""
    configs = configurations(3, size)
    table: dict[tuple[str, str, str], set[str]] = {}
    for genders, pairs in configs:
        first, second = pairs[pair_index(0, 1, 3)], pairs[pair_index(1, 2, 3)]
        if first and second:
            table.setdefault((genders[0], first, second), set()).add(pairs[pair_index(0, 2, 3)] or "none")
    exact = 0
    for gender, first, second in product(("male", "female"), RELATIONS, RELATIONS):
        genders = (gender, GENDER[first], GENDER[second])
        edges = [(0, first, 1), (1, second, 2)]
        found = certify.possible(genders, edges, (0, 2))
        brute = table.get((gender, first, second), set())
        assert brute <= found
        if 3 + needed(edges) + 2 <= size:
            assert brute == found
            exact += 1
    assert exact > 50


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([(0, "son", 1), (1, "uncle", 2)], {"brother", "brother-in-law"}),  # the paper's rule gives brother alone
        ([(0, "son", 1), (1, "grandfather", 2)], {"father", "father-in-law"}),  # the paper's rule gives father alone
        ([(0, "father", 1), (1, "brother", 2)], {"uncle"}),
        ([(0, "brother", 1), (1, "brother", 2)], {"brother"}),
        ([(0, "father", 1), (1, "son", 2)], {"brother"}),
        ([(0, "grandson", 1), (1, "father", 2)], {"son", "son-in-law"}),
        ([(0, "father", 1), (1, "father", 0)], set()),
    ],
)
def test_compositions_of_the_paper(edges: list[Edge], expected: set[str]) -> None:
    assert certify.possible(MEN, edges, (0, 2)) == expected


def test_a_family_keeps_the_storys_own_numbers() -> None:
    genders = ["female", "male", "male", "female"]
    edges = [(2, "daughter", 0), (0, "uncle", 1), (1, "sister", 3)]
    family = certify.family_of(genders, edges, (2, 1), avoid=["sibling"])
    assert family is not None
    assert agrees(family, genders, edges)
    assert family.relations(2, 1) == {"brother-in-law"}


def test_unknown_genders_are_left_open() -> None:
    assert certify.possible([None, None, None], [(0, "father", 1), (2, "father", 1)], (0, 2)) == {"brother", "sister"}
    assert not certify.entailed([None, None, None], [(0, "father", 1), (2, "father", 1)], (0, 2), "brother")
    assert certify.entailed([None, None, "male"], [(0, "father", 1), (2, "father", 1)], (0, 2), "brother")


def test_a_word_against_a_gender_is_inconsistent() -> None:
    assert certify.possible(["male", "male"], [(0, "sister", 1)], (0, 1)) == frozenset()
    assert not certify.entailed(["male", "male"], [(0, "sister", 1)], (0, 1), "sister")


def test_inverse_facts_say_the_same() -> None:
    rng = random.Random(5)
    for _ in range(150):
        genders, edges = random_story(rng, people=4, edges=3)
        turned = [(j, word(INVERSE[NEUTRAL[relation]], genders[i]), i) for i, relation, j in edges]
        assert certify.possible(genders, edges, (0, 3)) == certify.possible(genders, turned, (0, 3))


def test_laxer_worlds_have_more_families() -> None:
    """Each world's families include the strict ones, so what is possible only grows."""
    rng = random.Random(6)
    grew = 0
    for _ in range(60):
        genders, edges = random_story(rng, people=4, edges=3)
        strict = certify.possible(genders, edges, (0, 3))
        for world in (World(one_spouse=False, no_stepparents=False, married_parents=False), World(two_genders=False)):
            lax = certify.possible(genders, edges, (0, 3), world=world)
            assert strict <= lax
            grew += strict < lax
    assert grew


def test_uncle_by_marriage() -> None:
    edges: list[Edge] = [(0, "mother", 1), (1, "sister", 2), (2, "husband", 3)]
    genders = ["male", "female", "female", "male"]
    # by blood too where two brothers married two sisters; brother-in-law where the asker married his sister
    assert certify.possible(genders, edges, (0, 3)) == {"none", "uncle", "brother-in-law"}
    assert certify.entailed(genders, edges, (0, 3), "uncle", world=World(by_blood=False))


UNCLES = World(by_blood=False)
Several = dict[tuple[int, int], frozenset[tuple[str, str]]]


def with_uncles_by_marriage(couples: tuple[tuple[int, ...], ...], homes: tuple[tuple[int, ...], ...]) -> Several:
    """(i, j) -> the pairs of words for all that j is to i; a parent's sibling's spouse is an uncle or aunt."""
    table = neutral_table(couples, homes)

    def pairs(man: str) -> Pairs:
        return frozenset(pair for pair, words in table.items() if words[0] == man)

    several = {pair: {words} for pair, words in table.items()}
    for i, j in compose(compose(pairs("father"), pairs("brother")), pairs("husband")):
        assert i != j
        several.setdefault((i, j), set()).add(("uncle", "aunt"))
        several.setdefault((j, i), set()).add(("nephew", "niece"))
    return {pair: frozenset(words) for pair, words in several.items()}


@pytest.mark.parametrize(
    ("people", "stories", "most"), [(2, 80, 1), (3, 100, 2), pytest.param(4, 120, 4, marks=pytest.mark.nightly)]
)
def test_agrees_with_enumerated_families_where_uncles_are_by_marriage_too(people: int, stories: int, most: int) -> None:
    """Several relations may hold of one pair: a label is entailed iff it is among them in every family."""
    tables = {
        tuple(table.get((a, b), frozenset()) for a, b in permutations(chosen, 2))
        for table in (
            with_uncles_by_marriage(*each) for each in {unordered(couples, homes) for _, couples, homes in families(5)}
        )
        for chosen in permutations(range(5), people)
    }
    shown = sorted(tables, key=lambda table: [sorted(words) for words in table])
    rng, query, married = random.Random(people), (0, people - 1), ("husband", "wife")
    places, exact, follow = list(permutations(range(people), 2)), 0, 0
    for _ in range(stories):
        genders, edges = random_story(rng, people=people, edges=rng.randint(1, most))
        if rng.random() < 0.8:  # facts of one of the families
            facts = [(i, rng.choice(sorted(words)), j) for (i, j), words in zip(places, rng.choice(shown)) if words]
            edges = [(i, words[genders[j] == "female"], j) for i, words, j in rng.sample(facts, min(most, len(facts)))]
        brute = [
            {words[genders[query[1]] == "female"] for words in table[pair_index(*query, people)]}
            for table in shown
            if not any(married in words and genders[i] == genders[j] for (i, j), words in zip(places, table))
            and all(r in {w[genders[j] == "female"] for w in table[pair_index(i, j, people)]} for i, r, j in edges)
        ]
        found = certify.possible(genders, edges, query, world=UNCLES)
        assert {word for held in brute for word in held or {"none"}} <= found, (genders, edges)
        if people + sum(witnesses(NEUTRAL[relation], UNCLES) for _, relation, _ in edges) > 5:
            continue
        assert bool(brute) == bool(found), (genders, edges)
        exact += bool(brute)
        for target in RELATIONS:
            entailed = bool(brute) and all(target in held for held in brute)
            assert certify.entailed(genders, edges, query, target, world=UNCLES) == entailed, (genders, edges, target)
            follow += entailed
    assert exact > 20
    assert follow > 10


def test_hostile_input_is_told_in_a_line() -> None:
    with pytest.raises(ProbandError, match="person 7"):
        certify.possible(MEN, [(0, "son", 7)], (0, 2))
    with pytest.raises(ProbandError, match="'cousin' is no relation of this world"):
        certify.possible(MEN, [(0, "cousin", 1)], (0, 2))
    with pytest.raises(ProbandError, match="one person"):
        certify.possible(MEN, [(0, "son", 1)], (1, 1))
    with pytest.raises(ProbandError, match="'friend' is no relation of this world"):
        certify.entailed(MEN, [(0, "son", 1)], (0, 1), "friend")
    long: list[Edge] = [(i, "uncle", i + 1) for i in range(60)]
    with pytest.raises(ProbandError, match="too large to search: 61 people"):
        certify.entailed(["male"] * 61, long, (0, 60), "uncle")
