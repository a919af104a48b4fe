"""Kinship in five worlds: what must not be called contradictory, and the search against every small family."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, permutations, product, takewhile
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import load, parse
from proband.proof.problem import Problem
from proband.suites.kinship.audit.family_prover import beyond, provided, solve, worlds_of
from proband.suites.kinship.world.relations import GENDER, NEUTRAL, RELATIONS, Family, World

WORLDS = worlds_of(load("kinship"))
MEN = (("Tom", "male"), ("Jim", "male"), ("Ned", "male"), ("Sam", "male"))
WOMEN = (("Ann", "female"), ("Fay", "female"), ("Gail", "female"), ("Kit", "female"))


def facts_of(*facts: str) -> tuple[Fact, ...]:
    """Facts from words such as "Jim husband Tom": Jim is the husband of Tom."""
    made = (fact.split() for fact in facts)
    return tuple(Fact(a, NEUTRAL[word], b, GENDER[word]) for a, word, b in made)


def possible(facts: tuple[Fact, ...], pair: tuple[str, str], world: str) -> set[str]:
    return set(solve(Problem(facts, pair, (*MEN, *WOMEN)), WORLDS[world]).possible)


@pytest.mark.parametrize(
    ("facts", "worlds"),
    [
        (facts_of("Jim husband Tom"), {"any-gender", "relaxed"}),
        (facts_of("Ann mother Sam", "Fay mother Sam"), {"any-gender", "relaxed"}),
        (facts_of("Fay wife Ned", "Sam son Ned", "Sam son Gail"), {"remarriage", "relaxed"}),
        (facts_of("Fay wife Ned", "Gail wife Ned"), {"remarriage", "relaxed"}),
        (facts_of("Ann mother Sam", "Fay mother Sam", "Gail mother Sam"), set()),
        (facts_of("Ann mother Sam", "Sam father Ann"), set()),
        (facts_of("Ann wife Tom", "Ann sister Tom"), set()),
        (facts_of("Ann mother Sam", "Sam son Tom", "Tom brother Ann"), set()),  # brother and sister have no child
    ],
)
def test_in_which_worlds_a_story_is_possible(facts: tuple[Fact, ...], worlds: set[str]) -> None:
    pair = (facts[0].who, facts[0].of)
    assert {world for world in WORLDS if possible(facts, pair, world)} == worlds


def test_what_follows_in_one_world_and_not_in_another() -> None:
    step = facts_of("Fay wife Ned", "Sam son Fay")
    assert possible(step, ("Ned", "Sam"), "strict") == {"father"}
    assert possible(step, ("Ned", "Sam"), "remarriage") > {"father"}
    married = facts_of("Ann sister Fay", "Tom husband Ann", "Fay mother Sam")
    assert "uncle" not in possible(married, ("Sam", "Tom"), "strict")
    solution = solve(Problem(married, ("Tom", "Sam"), (*MEN, *WOMEN)), WORLDS["uncles-by-marriage"])
    assert solution.certain == ("uncle",)


def test_a_relation_that_always_holds_does_not_hide_the_others() -> None:
    """A father's brother's wife is an aunt by marriage in every family; she may be more besides."""
    facts = facts_of("Sam son Ned", "Tom brother Ned", "Ann wife Tom")
    assert possible(facts, ("Ann", "Sam"), "uncles-by-marriage") == {"aunt", "niece", "sister-in-law"}
    assert {"aunt", "mother", "wife"} <= possible(facts, ("Ann", "Sam"), "relaxed")


@pytest.mark.parametrize(("axiom", "other"), [("married_parents", "niece"), ("strangers", "wife")])
def test_a_sister_may_be_more_besides_where_one_axiom_does_not_hold(axiom: str, other: str) -> None:
    """Their father may have had a child with another daughter of Sam's mother; or the two are married."""
    axioms: dict[str, Any] = {axiom: False}
    facts = facts_of("Ned father Sam", "Ann daughter Ned")
    solution = solve(Problem(facts, ("Ann", "Sam"), (*MEN, *WOMEN)), World(**axioms))
    assert {"sister", other} <= {*solution.possible}
    assert solution.certain == ("sister",)


@pytest.mark.parametrize(
    ("facts", "label", "verdicts"),
    [
        (facts_of("Ann sister Fay", "Fay mother Sam"), "cousin", {"strict": "false", "remarriage": "ambiguous"}),
        (facts_of("Ann sister Fay", "Fay mother Sam"), "great-uncle", {"strict": "false", "relaxed": "false"}),
        (facts_of("Ann mother Fay", "Fay mother Sam"), "great-aunt", {"strict": "false", "relaxed": "ambiguous"}),
        (facts_of("Fay mother Sam", "Fay sister Tom", "Ann daughter Tom"), "cousin", dict.fromkeys(WORLDS, "entailed")),
        (facts_of("Ann sister Fay", "Fay mother Kit", "Kit mother Sam"), "great-aunt", {"strict": "entailed"}),
        (facts_of("Fay mother Sam", "Ann niece Fay"), "great-aunt", {"strict": "false", "remarriage": "ambiguous"}),
    ],
)  # fmt: skip
def test_relations_beyond_the_22_hold_beside_them_only_in_other_worlds(
    facts: tuple[Fact, ...], label: str, verdicts: dict[str, str]
) -> None:
    """In the strict world nobody is an aunt and a cousin; elsewhere a mother's half-sister may be."""
    domain = load("kinship")
    problem = Problem(facts, ("Ann", "Sam"), (*MEN, *WOMEN))
    assert {w: beyond(domain.steps_beyond, problem, domain.beyond[label], WORLDS[w]) for w in verdicts} == verdicts


def test_a_world_of_ones_own_names_axioms() -> None:
    with pytest.raises(ProbandError, match="relaxes 'gravity'"):
        provided(parse(_toml().replace("by_blood", "gravity"), file="mine.toml"))


def _toml() -> str:
    from proband.core.files import DATA, read_utf8

    return read_utf8(DATA / "domains" / "kinship.toml")


# ---- every family of four people, enumerated by definitions of its own ----------------------------------------------


def families(world: World) -> Iterator[tuple[tuple[str, ...], list[set[int]], set[tuple[int, int]]]]:
    """(genders, parents, couples); parents come before their children."""
    pairs = list(combinations(range(4), 2))
    for genders in product(("male", "female"), repeat=4):
        for chosen in product((False, True), repeat=len(pairs)):
            couples = {pair for pair, on in zip(pairs, chosen) if on}
            if world.one_spouse and any(sum(x in pair for pair in couples) > 1 for x in range(4)):
                continue
            if world.two_genders and any(genders[a] == genders[b] for a, b in couples):
                continue
            choices = [[set(up) for n in range(3) for up in combinations(range(x), n)] for x in range(4)]
            for parents in product(*choices):
                if _is_family(world, genders, list(parents), couples):
                    yield genders, list(parents), couples


def _is_family(world: World, genders: tuple[str, ...], parents: list[set[int]], couples: set[tuple[int, int]]) -> bool:
    lineage: list[set[int]] = []
    for x in range(4):
        lineage.append({x}.union(*(lineage[p] for p in parents[x])))
    both = [tuple(sorted(up)) for up in parents if len(up) == 2]
    if any(lineage[a] & lineage[b] for a, b in [*couples, *both]):
        return False
    if world.two_genders and any(genders[a] == genders[b] for a, b in both):
        return False
    if world.married_parents and any(pair not in couples for pair in both):
        return False
    spouses = [{a if x == b else b for a, b in couples if x in (a, b)} for x in range(4)]
    return not (world.no_stepparents and any(spouses[p] - parents[x] for x in range(4) for p in parents[x]))


def test_relations_exclude_each_other_whatever_the_genders() -> None:
    assert {name for name, world in WORLDS.items() if world.exclusive} == {"strict", "any-gender"}
    world = WORLDS["any-gender"]
    for genders, parents, couples in takewhile(lambda each: set(each[0]) == {"male"}, families(world)):
        father, mother = zip(*((*up, None, None)[:2] for up in parents))
        spouses = tuple(tuple(b for pair in couples if x in pair for b in pair if b != x) for x in range(4))
        family = Family(named=4, genders=genders, father=father, mother=mother, spouses=spouses, world=world)
        assert family.broken() is None
        assert all(len(family.relations(a, b)) <= 1 for a, b in permutations(range(4), 2))


@pytest.mark.parametrize("name", list(WORLDS))
def test_the_search_knows_every_small_family(name: str) -> None:
    """What holds in a family of four people is possible by the search, for facts without witnesses of their own."""
    world, rng = WORLDS[name], random.Random(3)
    found: dict[tuple[tuple[str, ...], frozenset[tuple[int, str, int]]], set[str]] = {}
    for genders, parents, couples in families(world):
        if rng.random() > 0.15:
            continue
        held = {(i, "parent", j) for i in range(4) for j in parents[i]}
        held |= {(a, "spouse", b) for a, b in couples} | {(b, "spouse", a) for a, b in couples}
        for chosen in permutations(range(4), 3):
            place = {x: n for n, x in enumerate(chosen)}
            own = frozenset((place[i], r, place[j]) for i, r, j in held if i in place and j in place)
            answer = _direct(parents, couples, chosen)
            if answer and len(own) >= 2:
                found.setdefault((tuple(genders[x] for x in chosen), own), set()).add(answer)
    for (genders, own), answers in rng.sample(sorted(found.items(), key=repr), min(60, len(found))):
        names = ("A", "B", "C")
        facts = tuple(Fact(names[j], relation, names[i]) for i, relation, j in sorted(own))
        solution = solve(Problem(facts, ("B", "A"), tuple(zip(names, genders))), world)
        assert answers <= {NEUTRAL[each] for each in solution.possible if each in RELATIONS}, (genders, own)


def _direct(parents: list[set[int]], couples: set[tuple[int, int]], chosen: tuple[int, ...]) -> str:
    a, b = chosen[0], chosen[1]
    if b in parents[a]:
        return "parent"
    if a in parents[b]:
        return "child"
    if (min(a, b), max(a, b)) in couples:
        return "spouse"
    return "sibling" if parents[a] and parents[a] == parents[b] else ""
