"""`report` and `compare` on run folders: the same two runs, the same p-values."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.toy import toy_suite

import proband
from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import dumps, sha256_file, write_json, write_text
from proband.core.suite import Table
from proband.core.types import Answer, Item, Run
from proband.pipeline.compare import compare
from proband.pipeline.report import report
from proband.reporting.numbers.comparisons import ComparedRuns

TOY = toy_suite(tables=(Table(name="k", title="By k", rows=(), columns=("k",)),))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with items and three runs."""
    monkeypatch.setattr(suites, "suite", lambda name: TOY)
    rng = random.Random(0)
    items = [
        Item(
            id=str(i),
            suite="toy",
            prompt=f"{i}?",
            choices=("x", "y"),
            gold=0,
            tags={"k": i % 3, "even": i % 2 == 0},
            facts={"clusters": [f"c{rng.randrange(60)}"]},
        )
        for i in range(300)
    ]
    write_text(tmp_path / "items" / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
    sha = sha256_file(tmp_path / "items" / "items.jsonl")
    for model, skill in (("a", 0.8), ("b", 0.68), ("c", 0.4)):
        answers = [Answer(item_id=item.id, scores=(float(rng.random() < skill), 0.5)) for item in items]
        folder = tmp_path / "runs" / model
        write_text(folder / "answers.jsonl", "".join(dumps(each) + "\n" for each in answers))
        run = Run(suite="toy", solver="direct", model=model, seed=0, items_sha=sha, items="../../items")
        write_json(folder / "run.json", run)
    return tmp_path / "runs"


def test_report_and_compare_give_the_same_p_values(runs: Path, tmp_path: Path) -> None:
    report([runs], out=tmp_path / "three")
    report([runs / "b", runs / "a"], out=tmp_path / "two")
    alone = compare(runs / "a", runs / "b")
    assert [group["group"] for group in alone["groups"]] == ["test items", "k = 0", "k = 1", "k = 2"]
    wanted = [(g["p"], g["p_holm"]) for g in alone["groups"]]
    for name in ("three", "two"):
        found = json.loads((tmp_path / name / "report.json").read_text("utf-8"))["sets"][0]["comparisons"]
        assert [(c["p"], c["p_holm"]) for c in found if {c["a"], c["b"]} == {"a", "b"}] == wanted


def test_compare_keeps_the_order_it_was_given(runs: Path) -> None:
    one, other = compare(runs / "c", runs / "a"), compare(runs / "a", runs / "c")
    first, second = one["groups"][0], other["groups"][0]
    assert (one["a"], one["b"], first["verdict"]) == ("c", "a", "a is better")
    assert first["difference"] == pytest.approx(first["mean_a"] - first["mean_b"])
    assert first["difference"] == -second["difference"]
    assert (first["low"], first["high"]) == pytest.approx((-second["high"], -second["low"]))
    assert first["p"] == second["p"]


def test_compare_by_another_tag(runs: Path) -> None:
    found = compare(runs / "a", runs / "b", by="even")
    assert [group["group"] for group in found["groups"]] == ["test items", "even = no", "even = yes"]


def test_two_training_seeds_of_one_network_can_be_compared(runs: Path) -> None:
    for seed, name in enumerate(("a", "b")):
        changed(runs / name / "run.json", net={"net": "gat", "seed": seed})
    found = compare(runs / "a", runs / "b")
    assert (found["a"], found["b"]) == ("a", "b")


def test_a_run_may_be_named_by_a_link(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    link = tmp_path / "elsewhere" / "deep" / "first"
    link.symlink_to(runs / "a")
    assert compare(link, runs / "b")["groups"] == compare(runs / "a", runs / "b")["groups"]
    (tmp_path / "items").rename(tmp_path / "moved")
    with pytest.raises(ProbandError, match=r"items: no such file; the run in .*first used these items"):
        compare(link, runs / "b")
    assert compare(link, runs / "b", items=tmp_path / "moved")["groups"][0]["n"] == 300


def changed(path: Path, **fields: Any) -> None:
    write_json(path, msgspec.to_builtins(json.loads(path.read_text("utf-8")) | fields))


def test_errors_are_one_line(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProbandError, match="has no metric 'f1'; it has accuracy"):
        compare(runs / "a", runs / "b", metric="f1")
    with pytest.raises(ProbandError, match="contain 4 systems: name them separately"):
        compare(runs, runs / "b")
    lines = (runs / "a" / "answers.jsonl").read_bytes().splitlines(True)
    (runs / "a" / "answers.jsonl").write_bytes(b"".join(lines[:5]))
    assert compare(runs / "a", runs / "b")["groups"][0]["n"] == 5
    assert capsys.readouterr().err.count("not finished, 5 of 300 answers") == 1
    changed(runs / "a" / "run.json", settings={"limit": 5, "asked": 5})
    assert compare(runs / "a", runs / "b")["groups"][0]["n"] == 5
    assert "not finished" not in capsys.readouterr().err
    changed(runs / "a" / "run.json", items_sha="0" * 64)
    with pytest.raises(ProbandError, match="SHA-256 differs"):
        compare(runs / "a", runs / "b")


def test_results_have_the_keys_of_their_types(tmp_path: Path) -> None:
    """What Python gives is typed: no key is missing or unknown."""
    items = tmp_path / "items"
    proband.build("questions", out=items)
    for model in ("random", "majority"):
        proband.run(items, model=f"baseline:{model}", out=tmp_path / model)
    compared = proband.compare(tmp_path / "random", tmp_path / "majority", fail_if_worse=1)
    assert ComparedRuns.__required_keys__ <= compared.keys() <= ComparedRuns.__annotations__.keys()
