"""Hold-outs in every combination hold; a leak made on purpose shows in the report."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import pytest
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import encode, parse
from proband.core.types import Item
from proband.suites.kinship.generate.build import BuildTally, build
from proband.suites.kinship.generate.hold_outs import HeldClauses, leaks, names_of
from proband.suites.kinship.generate.options import HOLD_OUTS, BuildOptions
from proband.suites.kinship.world.rules import canonical_clause as canonical
from proband.suites.kinship.world.rules import load


def built(**options: Any) -> tuple[list[Item], dict[str, Any]]:
    made = build(BuildOptions(**{"k": "2,3", "per_k": 66, "test_per_k": 44, "certify": "none", **options}), seed=7)
    items = [parse(Item, encode(item), file="items.jsonl") for item in made.items]
    return items, dict(made.summary())


EVERY = list(chain.from_iterable(combinations(HOLD_OUTS, n) for n in range(1, 5)))


@pytest.mark.parametrize(
    "asked",
    [pytest.param(each, marks=pytest.mark.nightly if len(each) in (2, 3) else (), id=",".join(each)) for each in EVERY],
)
def test_every_combination_of_hold_outs(asked: tuple[str, ...]) -> None:
    items, summary = built(hold_out=",".join(asked), **({"test_k": "4,5"} if "lengths" in asked else {}))
    seen: dict[str, dict[str, set[Any]]] = {s: {w: set() for w in HOLD_OUTS} for s in ("train", "test")}
    inverse = load("sound").inverse
    numbers = {name: r for r, name in enumerate(load("sound").neutrals)}
    for item in items:
        mine, facts = seen[str(item.tags["split"])], item.facts
        mine["names"] |= set(facts["names"])
        mine["paraphrases"] |= {scene[0] for scene in facts["telling"]["scenes"]}
        mine["lengths"].add(facts["k"])
        if facts["k"] > 2:
            mine["clauses"].add(canonical(tuple(numbers[r] for r in facts["clause"].split(".")), inverse))
    for what in HOLD_OUTS:
        shared = seen["train"][what] & seen["test"][what]
        free = what not in asked and not (what == "clauses" and "lengths" in asked)  # longer clauses are all new
        assert bool(shared) == free, what
        if what != "paraphrases":  # the report counts frames among them, of which none are held out here
            assert summary["leaks"][what]["shared"] == len(shared)
        assert summary["leaks"][what]["held_out"] == (what in asked)
    assert summary["leaks"]["prompts"]["shared"] == 0


def test_all_22_targets_stay_in_training_and_test() -> None:
    items, _ = built(hold_out="clauses", k="2..5", per_k=44, test_per_k=44)
    for k in (2, 3, 4, 5):
        for split in ("train", "test"):
            targets = {i.tags["target"] for i in items if i.tags["split"] == split and i.tags["k"] == k}
            assert len(targets) == 22, (k, split)


def test_about_a_tenth_of_the_clauses_is_held_out() -> None:
    rules = load("sound")
    held = HeldClauses(rules, share=0.1, seed=0)
    n = len(rules.neutrals)
    four = [(a, b, c, d) for a in range(n) for b in range(n) for c in range(n) for d in range(n)]
    assert 0.09 < sum(held.held(clause) for clause in four) / len(four) < 0.11
    assert not any(held.held((a, b)) for a in range(n) for b in range(n))  # the paper: never clauses of two facts
    assert any(HeldClauses(rules, share=0.1, seed=1).held(c) != held.held(c) for c in four[:500])


def test_a_clause_and_its_mirror_are_held_out_together() -> None:
    rules = load("sound")
    held = HeldClauses(rules, share=0.3, seed=3)
    for clause in [(0, 2, 1), (3, 0, 2), (1, 1, 4), (8, 3, 2, 1), (5, 2, 0)]:
        mirror = tuple(rules.inverse[r] for r in reversed(clause))
        assert held.held(clause) == held.held(mirror)


def test_names_are_split_by_gender() -> None:
    from proband.suites.kinship.world.families import NAMES

    halves = names_of(NAMES, share=0.2, seed=0)
    for gender in ("male", "female"):
        assert len(halves["test"][gender]) == 30
        assert set(halves["test"][gender]) | set(halves["train"][gender]) == set(NAMES[gender])
        assert not set(halves["test"][gender]) & set(halves["train"][gender])


def test_a_leak_shows() -> None:
    items, _ = built(hold_out="names,clauses,paraphrases", k="3", per_k=22, test_per_k=22)
    tally = BuildTally()
    for item in items:
        tally.add(item)
        if item.id == "train-clean-k3-000000":  # one story in both
            tally.add(replace(item, split="test"))
    found = leaks(tally.seen, ("names", "clauses"))
    assert found["prompts"]["shared"] == found["clauses"]["shared"] == 1
    assert found["names"]["shared"] == 4
    assert found["paraphrases"]["shared"] >= 1
    assert found["sentences"]["shared"] >= 2  # the opening and what tells the facts
    assert 0 < found["sentences"]["share_of_occurrences"] < 0.2


def test_without_holding_out_the_report_says_how_much_is_known() -> None:
    _, summary = built(hold_out="names", k="2..4", per_k=220, test_per_k=88)
    assert summary["leaks"]["paraphrases"]["share_of_test"] > 0.9
    assert not summary["leaks"]["sentences"]["held_out"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"hold_out": "words"}, "'hold-out' has no 'words'"),
        ({"hold_out": "lengths", "test_k": "3,4"}, "not longer than all training ones"),
        ({"hold_out": "constructions:cleft"}, "'constructions' has no 'cleft'"),
        ({"hold_out": "paraphrases", "form": "facts"}, "rules of a family"),
    ],
)
def test_what_cannot_be_held_out_is_said(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ProbandError, match=says):
        built(**options)
