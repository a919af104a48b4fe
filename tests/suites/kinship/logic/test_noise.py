"""Noise is of the kind it says, changes nothing, and noise that helps is caught."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from proband.core.files import encode, parse
from proband.core.types import Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.logic.closure import close, distance
from proband.suites.kinship.logic.noise import KINDS, NOISE
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL, word
from proband.suites.kinship.world.rules import load


def items(task: str, **options: Any) -> list[Item]:
    built = build(BuildOptions(**{"task": task, "k": "2..5", "per_k": 44, "certify": "none", **options}), seed=3)
    return [parse(Item, encode(item), file="items.jsonl") for item in built.items]


@pytest.mark.parametrize("task", ["supporting", "irrelevant", "disconnected", "all"])
@pytest.mark.parametrize(("size", "rules"), [("2", "sound"), ("2..4", "sound"), ("2..4", "grid")])
def test_noise_is_what_the_paper_defines(task: str, size: str, rules: str) -> None:
    low, _, high = size.partition("..")
    for item in items(task, noise_size=size, per_k=22, rules=rules):
        facts = item.facts
        noise = {kind: [e for e, its in facts["noise"] if its == kind] for kind in KINDS}
        assert {kind for kind, edges in noise.items() if edges} == set(NOISE[task])
        path = [e for e in facts["edges"] if all(e != other for other, _ in facts["noise"])]
        assert len(path) == facts["k"] == facts["depth"] == item.tags["k"]
        on_path = {p for i, _, j in path for p in (i, j)}
        for kind in NOISE[task]:
            touched = {p for i, _, j in noise[kind] for p in (i, j)} & on_path
            assert int(low) <= len(noise[kind]) <= int(high or low)
            assert len(touched) == {"supporting": 2, "irrelevant": 1, "disconnected": 0}[kind]
            if kind == "irrelevant":
                assert touched <= set(facts["query"])
        assert distance(facts["edges"], facts["query"]) == facts["k"]


@pytest.mark.parametrize("rules", ["sound", "grid"])
def test_each_kind_of_noise_has_a_size_of_its_own(rules: str) -> None:
    sizes = {"supporting": 3, "irrelevant": 1, "disconnected": 2}  # the last is not named
    for item in items("all", noise_size="supporting=3,irrelevant=1", per_k=8, k="3", rules=rules):
        assert Counter(kind for _, kind in item.facts["noise"]) == sizes


def test_noise_leaves_the_answer_and_the_shortest_proof_alone() -> None:
    """No fewer than k facts entail the answer: every subset of k - 1 facts, put to the complete search."""
    for item in items("all", k="2,3", per_k=6):
        facts = item.facts
        edges = [(i, w, j) for i, w, j in facts["edges"]]
        query = (facts["query"][0], facts["query"][1])
        assert certify.entailed(facts["genders"], edges, query, facts["target"])
        for fewer in combinations(edges, facts["k"] - 1):
            assert not certify.entailed(facts["genders"], fewer, query, facts["target"])


def test_memory_is_retrieval() -> None:
    for item in items("memory", k="1..5", per_k=22):
        facts = item.facts
        x, z = facts["query"]
        back = word(INVERSE[NEUTRAL[facts["target"]]], facts["genders"][x])  # a fact may be stated from either side
        assert [x, facts["target"], z] in facts["edges"] or [z, back, x] in facts["edges"]
        assert len(facts["edges"]) == facts["k"]
        assert (facts["depth"], facts["noise"]) == (1, [])
        assert all(len(step) == 2 for step in facts["proof"])  # at most a fact read from its other side


def test_mixed_has_every_kind() -> None:
    mixed = items("mixed", k="3", per_k=44 * 6)
    assert {item.tags["kind"] for item in mixed} == {
        "clean",
        "supporting",
        "irrelevant",
        "disconnected",
        "all",
        "memory",
    }
    assert {item.tags["task"] for item in mixed} == {"mixed"}


def test_noise_that_contradicts_is_caught_by_the_closure() -> None:
    item = items("supporting", k="2", per_k=1)[0]
    facts = item.facts
    x, z = facts["query"]
    wrong = "son" if facts["target"] == "father" else "father"
    genders = ["male" if p == z else g for p, g in enumerate(facts["genders"])]
    assert not close(load("sound"), genders, [*facts["edges"], (x, wrong, z), (z, wrong, x)]).consistent
