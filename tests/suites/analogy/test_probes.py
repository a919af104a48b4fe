"""The probes against their definitions and counts."""

from __future__ import annotations

import random

import pytest

from proband.suites.analogy.probes import PROBES, NegativeSampler, halves, positives
from proband.suites.analogy.relations import Relation, Tuple


def numbered(n: int) -> Relation:
    return Relation("number", "ES", tuple(Tuple(f"h{i}", (f"t{i}",)) for i in range(n)))


@pytest.mark.parametrize("n", [4, 7, 50])
def test_halves_part_the_tuples_and_give_n_times_n_minus_1_positives(n: int) -> None:
    first, second = halves(numbered(n), seed=3)
    assert sorted([*first, *second]) == list(range(n))
    assert len(second) - len(first) in (0, 1)
    for half in (first, second):
        assert len(positives(half)) == len(half) * (len(half) - 1) == len(set(positives(half)))


def test_fifty_tuples_give_two_times_25_times_24_positives() -> None:
    assert sum(len(positives(half)) for half in halves(numbered(50), seed=0)) == 2 * 25 * 24


@pytest.mark.parametrize("base", ["right", "other"])
@pytest.mark.parametrize("probe", ["random-head", "random-tail", "reverse", "type"])
def test_a_negative_has_the_form_of_its_probe(probe: str, base: str) -> None:
    sampler, half = NegativeSampler(numbered(20), base=base), list(range(20))
    for at in positives(half):
        (head, tail), *more = sampler.negatives(probe, at, half=half, rng=random.Random(str(at)))
        assert not more
        kinds, numbers = head[0] + tail[0], (int(head[1:]), int(tail[1:]))
        if probe == "reverse":
            assert kinds == "th"
            assert numbers[0] == numbers[1]
        else:
            assert kinds == "ht" if probe.startswith("random") else kinds in ("hh", "tt")
            assert numbers[0] != numbers[1]
        if probe == "type":
            assert at[0] not in numbers  # h_i != h_j != h_k
        expected = {"random-head": numbers[1], "random-tail": numbers[0], "reverse": numbers[0], "type": numbers[0]}
        if base == "right":
            assert expected[probe] == at[1]
    assert not sampler.true
    assert not sampler.without_negative


def test_the_printed_construction_is_that_of_section_2_2() -> None:
    """random spoils the input (h_i, t_i); reverse turns any tuple of R; type takes two others than the input."""
    sampler, half = NegativeSampler(numbered(5), base="paper", faithful=True), list(range(5))
    reversed_, types = set(), set()
    for seed in range(80):
        for i, j in positives(half):
            drawn = {
                probe: sampler.negatives(probe, (i, j), half=half, rng=random.Random(f"{seed}{i}{j}{probe}"))[0]
                for probe in PROBES
            }
            assert drawn["random-head"][1] == f"t{i}"
            assert drawn["random-head"][0] in {f"h{k}" for k in half if k != i}
            assert drawn["random-tail"][0] == f"h{i}"
            assert drawn["random-tail"][1] in {f"t{k}" for k in half if k != i}
            reversed_.add((i, drawn["reverse"][1]))
            types.add((i, *drawn["type"]))
    assert reversed_ == {(i, f"h{k}") for i in half for k in half}
    wanted = {(i, f"{w}{j}", f"{w}{k}") for i in half for j in half for k in half for w in "ht" if len({i, j, k}) == 3}
    assert types == wanted


def colours() -> Relation:
    pairs = [
        ("coal", "black"),
        ("crow", "black/grey"),
        ("snow", "white"),
        ("milk", "white"),
        ("blood", "red"),
        ("ash", "grey"),
    ]
    return Relation("thing : colour", "ES", tuple(Tuple(h, tuple(t.split("/"))) for h, t in pairs))


def test_false_negatives_are_counted_and_refused_unless_faithful() -> None:
    """By enumeration: (crow, grey) by the tail of ash and (coal or crow, black), (snow or milk, white) by head."""
    relation, half = colours(), list(range(6))
    rates = {}
    for faithful in (True, False):
        sampler = NegativeSampler(relation, faithful=faithful)
        true = 0
        for seed in range(40):
            for at in positives(half):
                for probe in ("random-head", "random-tail"):
                    pairs = sampler.negatives(probe, at, half=half, rng=random.Random(f"{seed}{at}{probe}"))
                    true += sum(relation.holds(pair) for pair in pairs)
        rates[faithful] = sum(sampler.true.values()) / sum(sampler.drawn.values())
        assert (true > 0) == faithful
    # the same first draws either way; expected: candidates (h_k, t_j) or (h_j, t_k) true / candidates, over all i, j, k
    hits, total = 0.0, 0
    for i, j in positives(half):
        for probe in ("random-head", "random-tail"):
            rest = [k for k in half if k not in (i, j)]
            tuples = relation.tuples
            made = [
                (tuples[k].head, tuples[j].tail) if probe == "random-head" else (tuples[j].head, tuples[k].tail)
                for k in rest
            ]
            # a tail equal to the right one is no random tail
            made = [p for p in made if probe == "random-head" or p[1] != tuples[j].tail]
            hits += sum(relation.holds(p) for p in made) / len(made)
            total += 1
    assert rates[True] == rates[False] == pytest.approx(hits / total, abs=0.03)


def test_a_relation_whose_every_negative_is_true_gives_none() -> None:
    all_red = Relation("thing : colour", "ES", tuple(Tuple(f"thing{i}", ("red",)) for i in range(6)))
    sampler = NegativeSampler(all_red)
    assert sampler.negatives("random-head", (0, 1), half=range(6), rng=random.Random(0)) == []
    assert sampler.without_negative["random-head"] == 1
