"""The column where the best shortcut is wrong: who composes stays, who copies the shortcut has nothing left."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import proband
from proband.core.files import read_answers, read_items
from proband.reporting.findings import SHORTCUT_RIGHT, SHORTCUT_WRONG
from proband.suites.kinship.shortcuts import SHORTCUTS


@pytest.mark.nightly
def test_a_model_that_does_what_the_shortcut_does(tmp_path: Path) -> None:
    items = tmp_path / "items"
    proband.build("kinship", out=items, k=2, per_k=220, hold_out="all", test_k="4,5", test_per_k=110)
    for model in ("solver:symbolic", *(f"baseline:{name}" for name in SHORTCUTS)):
        proband.run(items, model=model, out=tmp_path / "runs" / model.replace(":", "-"))
    test = {item.id: item for item in read_items(items / "items.jsonl") if item.split == "test"}
    counted = {
        name: {
            answer.item_id: answer.scores.index(max(answer.scores)) == test[answer.item_id].gold
            for answer in read_answers(tmp_path / "runs" / name / "answers.jsonl")
        }
        for name in (f"baseline-{name}" for name in SHORTCUTS)
    }
    best = max(counted, key=lambda name: sum(counted[name].values()))
    right = counted[best]
    shutil.copytree(tmp_path / "runs" / best, tmp_path / "runs" / "copy")
    note = tmp_path / "runs" / "copy" / "run.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"model": "openai:copy"}))
    proband.report([tmp_path / "runs"], out=tmp_path / "report")
    summary = json.loads((tmp_path / "report" / "report.json").read_text())["sets"][0]
    table = next(each for each in summary["tables"] if each["name"] == "kinship-shortcut")
    cells = {(each["model"], each["group"]["best shortcut"]): each for each in table["estimates"]}
    wrong = sum(not each for each in right.values())
    assert cells["solver:symbolic", SHORTCUT_WRONG]["mean"] == 1.0
    assert cells["solver:symbolic", SHORTCUT_WRONG]["n"] == wrong
    assert cells["solver:symbolic", SHORTCUT_RIGHT]["n"] == len(right) - wrong
    copy = cells["openai:copy", SHORTCUT_WRONG]  # a tie of several choices is a share of a right answer
    assert 0 <= copy["mean"] < 0.2 < 0.8 < cells["openai:copy", SHORTCUT_RIGHT]["mean"] <= 1
    assert copy["low"] <= copy["mean"] < copy["high"]
    first = summary["findings"][0]
    share = 100 * (1 - wrong / len(right))
    assert first.startswith(f"Where the best shortcut ({best.replace('-', ':')}")
    assert f"right on {share:.1f} %) is wrong, {wrong} items, copy falls from " in first
    assert f" to {100 * copy['mean']:.1f} % [" in first
    assert "solver:symbolic has the highest accuracy there, 100.0 %" in first


def test_no_column_without_shortcuts(tmp_path: Path) -> None:
    proband.build("analogy", out=tmp_path / "items")
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "run")
    made = proband.report([tmp_path / "run"], out=tmp_path / "report")
    summary = json.loads((tmp_path / "report" / "report.json").read_text())["sets"][0]
    assert "analogy-shortcut" not in [each["name"] for each in summary["tables"]]
    assert all("shortcut wrong" not in line for line in made["scores"])
