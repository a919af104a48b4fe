"""`run --until` and `compare --until decided`: whole clusters in the order of the seed, looks that are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items, read_run
from proband.pipeline.compare import compare
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets
from proband.pipeline.run import run_all
from proband.reporting.numbers.study import Study


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("until")
    rows = [f"q{i},Is {i} even?,yes;no,{'yes' if i % 2 == 0 else 'no'},d{i // 3}" for i in range(900)]
    (folder / "rows.csv").write_text("\n".join(["id,question,choices,answer,cluster", *rows]) + "\n", encoding="utf-8")
    from proband.pipeline.build import build

    build("questions", out=folder / "items", data=folder / "rows.csv")
    return folder / "items"


def until(items: Path, out: Path, width: str, model: str = "baseline:random", **settings: Any) -> dict[str, Any]:
    run_all(items, model=model, out=out, profile=None, dry_run=False, until=width, **settings)
    result: dict[str, Any] = json.loads((out / "until.json").read_text())
    return result


def test_a_run_stops_when_its_interval_is_narrow_enough(items: Path, tmp_path: Path) -> None:
    found = until(items, tmp_path / "a", "±12")
    last = found["looks"][-1]
    assert found["reached"]
    assert (last["high"] - last["low"]) / 2 <= 0.12
    assert last["items"] < 900
    asked = {answer.item_id for answer in read_answers(tmp_path / "a" / "answers.jsonl")}
    assert len(asked) == last["items"]
    whole = {str(item.facts["clusters"]): set() for item in read_items(items)}  # type: dict[str, set[bool]]
    for item in read_items(items):
        whole[str(item.facts["clusters"])].add(item.id in asked)
    assert all(len(each) == 1 for each in whole.values())  # a cluster is asked as a whole or not at all
    again = until(items, tmp_path / "same", "±12")
    assert again["looks"] == found["looks"]
    assert until(items, tmp_path / "other", "±12", seed=1)["looks"] != found["looks"]


def test_a_folder_that_was_extended_says_so(items: Path, tmp_path: Path) -> None:
    until(items, tmp_path / "a", "±20")
    first = len(read_run(tmp_path / "a" / "run.json").settings["looks"])
    until(items, tmp_path / "a", "±10")
    assert len(read_run(tmp_path / "a" / "run.json").settings["looks"]) > first
    (only,) = item_sets([tmp_path / "a"])
    assert "Extended after a look" in Study(only).how_asked
    run(items, model="baseline:random", out=tmp_path / "b", limit=60)
    run(items, model="baseline:random", out=tmp_path / "b", limit=120)
    assert read_run(tmp_path / "b" / "run.json").settings["looks"] == [60]
    run(items, model="baseline:random", out=tmp_path / "c", limit=120)
    assert "looks" not in read_run(tmp_path / "c" / "run.json").settings


def test_two_runs_are_compared_at_every_look(items: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0)):
        until(items, tmp_path / name, "±9", seed=seed)
    same = compare(tmp_path / "a", tmp_path / "b", until="decided", equal_within=20.0)
    assert same["until"] is not None
    assert same["equal"] is not None
    assert not same["until"]["decided"]
    assert same["groups"][0]["changed"] is not None
    assert same["equal"][0]["p"] < 0.05  # the same model twice


@pytest.mark.parametrize(("width", "words"), [("wide", "such as ±3"), ("80", "between 0 and 50")])
def test_a_width_that_is_none_is_refused(items: Path, tmp_path: Path, width: str, words: str) -> None:
    with pytest.raises(ProbandError, match=words):
        until(items, tmp_path / "a", width)
