"""Questions of one's own through the whole workbench: models, replies, intervals, comparison, page, plan, exports."""

from __future__ import annotations

import json
from pathlib import Path

from tests.suites.questions.conftest import Replying, replying

import proband
from proband.core.files import read_answers, read_items
from proband.models.fake import ScriptedModel
from proband.suites.questions.replies import answered


def test_choices_are_scored_and_chosen(items: Path, tmp_path: Path) -> None:
    right = {item.id: item for item in read_items(items)}
    results = proband.run(items, model=replying(items, lambda item: item.choices[item.gold or 0]), out=tmp_path / "a")
    assert results.run.solver == "generate"
    assert {answered(right[a.item_id], a) for a in read_answers(tmp_path / "a/answers.jsonl")} == {1.0}
    baseline = proband.run(items, model="baseline:random", out=tmp_path / "b")
    (score,) = baseline.scores().filter(baseline.scores()["metric"] == "accuracy").head(1).to_dicts()
    assert score["low"] < 1 / 3 < score["high"] + 0.3
    compared = proband.compare(tmp_path / "a", tmp_path / "b")
    assert compared["groups"][0]["verdict"].endswith("is better")
    proband.report([tmp_path / "a", tmp_path / "b"], out=tmp_path / "report")
    assert "questions" in (tmp_path / "report" / "index.html").read_text("utf-8")
    assert proband.plan(tmp_path / "a", tmp_path / "b", difference=0.2)["design"]["items"] == 24
    for to in ("hf", "lm-eval", "inspect", "csv"):
        proband.export(items, to=to, out=tmp_path / (to + (".csv" if to == "csv" else "")))


def test_orders_of_the_choices(items: Path, tmp_path: Path) -> None:
    """`choose` asks in several orders: who always says A is found out."""
    proband.run(items, model=Replying(lambda prompt: "A"), solver="choose", out=tmp_path / "a")
    run = json.loads((tmp_path / "a/run.json").read_text())
    assert run["summary"]["letters"]["A"][0] == 1.0


def test_an_open_question_cannot_be_scored_by_likelihood(tmp_path: Path) -> None:
    text = "question,a,b,correct,answers\nx?,p,r,p,\ny?,,,,seven\n"
    (tmp_path / "mixed.csv").write_text(text)
    proband.build("questions", out=tmp_path / "items", data=str(tmp_path / "mixed.csv"), answers="answers")
    proband.run(tmp_path / "items", model=ScriptedModel(default=-1.0), solver="likelihood", out=tmp_path / "run")
    statuses = {answer.item_id: answer.status for answer in read_answers(tmp_path / "run/answers.jsonl")}
    assert statuses == {"q1": "", "q2": "skipped"}
