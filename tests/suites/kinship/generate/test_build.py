"""The builder: the same bytes from any process, quotas, certificates, and what it refuses."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import pytest

from proband.core.errors import ProbandError
from proband.core.files import encode, parse
from proband.core.types import Item
from proband.suites.kinship import SUITE
from proband.suites.kinship.clutrr.items import to_cells
from proband.suites.kinship.generate.build import Rounds, build
from proband.suites.kinship.generate.options import TASKS, BuildOptions, make_plan
from proband.suites.kinship.logic import search as certify
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.world.families import likeness
from proband.suites.kinship.world.rules import load


def lines(*, seed: int = 0, **options: Any) -> list[bytes]:
    built = build(BuildOptions(**{"certify": "none", **options}), seed=seed)
    return list(map(encode, built.items))


def items(**options: Any) -> list[Item]:
    return [parse(Item, line, file="items.jsonl") for line in lines(**options)]


EVERYTHING: dict[str, Any] = {"task": ",".join(TASKS), "k": "2,3,7", "per_k": 12}


def test_lines_are_what_the_house_writes() -> None:
    for line in lines(**EVERYTHING):
        assert encode(parse(Item, line, file="items.jsonl")) == line


def test_a_round_alone_is_the_round_in_the_stream() -> None:
    plan = make_plan(BuildOptions(task="all", k=4, per_k=120, certify="none"), seed=0)
    stream = lines(task="all", k=4, per_k=120)
    rounds = Rounds(plan)
    for number in (2, 0, 1):
        alone = [encode(item) for item in rounds.stories(plan.cells[0], number)]
        assert len(alone) == 44
        assert alone[: 120 - 44 * number] == stream[44 * number : 44 * number + 44]


@pytest.mark.nightly
def test_workers_do_not_matter() -> None:
    options: dict[str, Any] = {"task": "clean,mixed", "k": "2,3", "per_k": 50, "hold_out": "all", "test_k": "5"}
    assert lines(**options) == lines(**options, workers=2)
    assert lines(k="3", per_k=20, open=0.5) == lines(k="3", per_k=20, open=0.5, workers=2)


def test_hash_seed_and_process_do_not_matter(tmp_path: Path) -> None:
    code = (
        "import sys, hashlib; from proband.core.files import encode; from proband.suites.kinship import SUITE\n"
        "o = SUITE.options(task='mixed,all', k='2..4', per_k=10, hold_out='clauses,names', certify='none')\n"
        "b = SUITE.build(o, seed=5)\n"
        "print(hashlib.sha256(b'\\n'.join(map(encode, b.items))).hexdigest(), b.summary()['counts'])"
    )
    other = str(4242 if os.environ.get("PYTHONHASHSEED") != "4242" else 0)
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": other},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    options = BuildOptions(task="mixed,all", k="2..4", per_k=10, hold_out="clauses,names", certify="none")
    built = build(options, seed=5)
    digest = hashlib.sha256(b"\n".join(map(encode, built.items))).hexdigest()
    assert printed == f"{digest} {built.summary()['counts']}\n"


def test_another_seed_is_another_set() -> None:
    assert not {i.prompt for i in items(k=3, per_k=50)} & {i.prompt for i in items(k=3, per_k=50, seed=1)}


def test_labels_and_genders_are_balanced() -> None:
    for task in ("clean", "all", "memory"):
        found = items(task=task, k="4", per_k=88)
        assert set(Counter(i.tags["target"] for i in found).values()) == {4}
        assert len(Counter(i.tags["target"] for i in found[:22])) == 22
        x = Counter((i.tags["target"], i.facts["genders"][i.facts["query"][0]]) for i in found)
        assert all(count == (4 if target in ("husband", "wife") else 2) for (target, _), count in x.items())


def test_the_manifest_tells_priors_and_majority_accuracy() -> None:
    built = build(BuildOptions(k="3", per_k=44, certify="none"), seed=0)
    list(built.items)
    summary = built.summary()
    assert summary["counts"] == {"clean k=3": 44}
    assert summary["majority_accuracy"]["clean k=3"] == pytest.approx(1 / 22, abs=1e-4)
    assert sum(summary["priors"]["clean k=3"].values()) == pytest.approx(1, abs=1e-2)
    assert sum(summary["genders"].values()) == pytest.approx(1, abs=1e-2)
    json.dumps(summary)


def test_stored_proofs_hold_step_by_step() -> None:
    rules = load("sound")
    for item in items(task="clean,all", k="2..8", per_k=22):
        facts = item.facts
        known = {tuple(edge) for edge in facts["edges"]}
        turned = [step for step in facts["proof"] if len(step) == 2]
        for (i, word, j), other_side in turned:
            assert (i, word, j) in known
            back = rules.word(rules.inverse[rules.code[word]], facts["genders"][i])
            assert other_side == [j, back, i]
            known.add(tuple(other_side))
        for first, second, conclusion in facts["proof"][len(turned) :]:
            assert tuple(first) in known
            assert tuple(second) in known
            (x, a, y), (y2, b, z) = first, second
            assert y == y2
            outcome = rules.table[rules.code[a]][rules.code[b]]
            if facts["genders"][x] == facts["genders"][z]:
                outcome &= ~rules.opposite
            assert outcome == 1 << rules.code[conclusion[1]]
            assert [conclusion[0], conclusion[2]] == [x, z]
            known.add(tuple(conclusion))
        assert (facts["query"][0], facts["target"], facts["query"][1]) in known
        assert len(facts["proof"]) == len(turned) + facts["k"] - 1
        assert facts["proofs"] >= 1


def directed(item: Item) -> bool:
    """Whether the facts lead from the asker to the asked, each beginning where the one before ends."""
    here = item.facts["query"][0]
    for i, _, j in item.facts["edges"]:
        if i != here:
            return False
        here = j
    return bool(here == item.facts["query"][1])


@pytest.mark.parametrize("form", ["story", "graph", pytest.param("facts", marks=pytest.mark.nightly)])
def test_facts_are_stated_from_a_side_drawn_at_random(form: Literal["story", "facts", "graph"]) -> None:
    found = items(k="2..4", per_k=88, form=form)
    towards = sum(_away(item) for item in found) / sum(item.facts["k"] for item in found)
    assert 0.45 < towards < 0.55
    assert sum(map(directed, found)) / len(found) < 0.15  # 1/8 of two facts: two sides each, in either order
    kept = items(k="2..4", per_k=88, form=form, facts_along_chain=True)
    assert all(map(directed, kept))
    assert {item.tags["facts"] for item in kept} == {"along-chain"}
    assert not any("facts" in item.tags for item in found)
    for item, chain in zip(found, kept, strict=True):  # the same families, the same questions
        for name in ("clause", "names", "query", "target"):
            assert item.facts[name] == chain.facts[name]
        assert SUITE.verify is not None
        assert not SUITE.verify(item, {}).problem


def _away(item: Item) -> int:
    """How many facts lead from the asker's end of the chain to the other."""
    stated = {(i, j) for i, _, j in item.facts["edges"]}
    return sum(pair in stated for pair in ast.literal_eval(to_cells(item)["story_edges"]))


@pytest.mark.parametrize("form", ["facts", "graph"])
def test_plain_forms_state_every_gender(form: Literal["facts", "graph"]) -> None:
    for item in items(task="clean,all", k="2,3", per_k=22, form=form):
        story = item.prompt.rpartition("\n")[0]
        for name, gender in zip(item.facts["names"], item.facts["genders"], strict=True):
            assert (f"{name} is {gender}." if form == "facts" else f"({name}, {gender})") in story


def test_the_whole_story_closes_to_the_one_answer() -> None:
    for item in items(**EVERYTHING):
        facts = item.facts
        closure = close(load("sound"), facts["genders"], facts["edges"])
        assert closure.consistent
        assert closure.answers(*facts["query"]) == [facts["target"]]


@pytest.mark.parametrize("certify_", ["full", "sample"])
def test_certificates_are_counted(certify_: Literal["full", "sample"]) -> None:
    built = build(BuildOptions(task="all", k="2,3", per_k=20, certify=certify_), seed=0)
    found = [json.loads(encode(item)) for item in built.items]
    searched = sum("search" in item["facts"]["certified_by"] for item in found)
    assert all("closure" in item["facts"]["certified_by"] for item in found)
    assert searched == (40 if certify_ == "full" else 2)
    assert built.summary()["certificates"]["by_search"] == searched
    assert built.summary()["certificates"]["share_searched"] == searched / 40


def test_a_wrong_certificate_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify, "entailed", lambda *args, **settings: False)
    with pytest.raises(ProbandError, match="closure and search disagree"):
        lines(k=2, per_k=1, certify="full")


def test_the_papers_rules_make_stories_that_do_not_follow() -> None:
    found = items(rules="clutrr", k="2..6", per_k=90)
    verdicts = Counter(item.facts["certificate"] for item in found)
    assert verdicts["ambiguous"] > 50
    assert not any("in-law" in str(item.tags["target"]) and "sister" in str(item.tags["target"]) for item in found)


def test_a_second_world() -> None:
    """Places on a map: put them on a grid that fits the story, and look where the answer lies."""
    found = items(rules="grid", task="clean,supporting,irrelevant,disconnected,all,memory", k="2..5", per_k=16)
    assert {item.choices for item in found} == {load("grid").choices}
    for item in found:
        facts = item.facts
        assert set(facts["genders"]) == {"none"}
        closure = close(load("grid"), facts["genders"], facts["edges"])
        assert closure.answers(*facts["query"]) == [facts["target"]]
        assert all(name in item.prompt.lower() for name in facts["names"])


OWN = """
name = "office"
opposite = ["dance partner"]
sentences = ["{j} is the {word} of {i}.", "{i} has a {word}: {j}."]
[names]
male = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]
female = ["K", "L", "M", "N", "O", "P", "Q", "R", "S", "T"]
[relations]
boss = { male = "chief", female = "directress", inverse = "report" }
report = { inverse = "boss" }
peer = { inverse = "peer" }
"dance partner" = { inverse = "dance partner" }
[compose]
peer.peer = "peer"
peer.boss = "boss"
report.peer = "report"
boss.report = "peer"
"dance partner"."dance partner" = []
"""


def test_a_rule_base_of_ones_own_gendered_and_not(tmp_path: Path) -> None:
    file = tmp_path / "office.toml"
    file.write_text(OWN, encoding="utf-8")
    found = items(rules=str(file), task="clean,irrelevant,disconnected", k="2..4", per_k=16)
    assert {item.tags["target"] for item in found} == {"chief", "directress", "report", "peer"}
    assert found[0].choices == ("chief", "directress", "report", "peer", "dance partner")
    own = load(str(file))
    for item in found:
        closure = close(own, item.facts["genders"], item.facts["edges"])
        assert closure.consistent
        assert closure.answers(*item.facts["query"]) == [item.facts["target"]]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"task": "dirty"}, "no task 'dirty'"),
        ({"k": "two"}, "'k' is 'two'"),
        ({"task": ""}, "no task ''"),
        ({"k": "0"}, "'k' is '0'; the least is 1"),
        ({"test_k": "0"}, "'test-k' is '0'; the least is 1"),
        ({"k": "1", "task": "supporting"}, "'k' is 1; .* at least 2 facts"),
        ({"test_k": "1", "task": "supporting"}, "'test-k' is 1; .* at least 2 facts"),
        ({"k": "5..3"}, "the least is 1"),
        ({"k": 200, "hold_out": "lengths"}, "no test story can be longer than 'k' of 200"),
        ({"hold_out": "constructions:"}, "'constructions' has no ''"),
        ({"task": "supporting", "noise_size": "1"}, "a supporting path needs at least 2 facts"),
        ({"noise_size": "irrelevant=0"}, "'noise-size' is '0'; the least is 1"),
        ({"noise_size": "memory=2"}, "'noise-size' names 'memory'; kinds of noise are supporting"),
        ({"rules": "none.toml"}, "no rule base 'none.toml'"),
        ({"held": "names=1"}, "'held' has 'names=1'"),
        ({"held": "names=half"}, "'held' has 'names=half'"),
        ({"held": "phrases=0.1"}, "'held' has 'phrases=0.1'"),
    ],
)
def test_what_cannot_be_built_is_said(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ProbandError, match=says):
        lines(**{"k": 2, "per_k": 1, **options})


def test_items_know_their_split() -> None:
    assert {item.split for item in items(k=2, per_k=8)} == {"test"}
    for item in items(k="2,3", per_k=8, hold_out="names"):
        assert item.split == item.tags["split"]


def test_memory_stays_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held after 1,350 stories is what was held after 900."""
    import tracemalloc

    monkeypatch.setattr("proband.suites.kinship.generate.story_logic.FAMILIES", 2)
    stream = iter(build(BuildOptions(k=3, per_k=3000, certify="none", form="facts"), seed=0).items)
    tracemalloc.start()
    held = []
    for _ in range(3):
        for _ in range(450):
            next(stream)
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[2] - held[1] < 150_000


def test_no_story_has_names_that_are_alike() -> None:
    """Also with the names of the test split, of which there are 30 of each gender."""
    options = BuildOptions(task="clean,all", k="2..10", per_k=22, test_per_k=22, hold_out="names", certify="none")
    stories = 0
    for item in build(options, seed=5).items:
        names = item.facts["names"]
        stories += 1
        assert not [(a, b) for a, b in combinations(names, 2) if likeness(a) & likeness(b)]
    assert stories > 700


def test_full_certification_searches_the_answerable_story_of_a_pair() -> None:
    for item in items(k=3, per_k=4, open=0.5, certify="full"):
        searched = item.facts["certificate"] in ("entailed", "open")
        assert ("search" in item.facts["certified_by"]) == searched
