"""Questions of one's own through the whole workbench: models, replies, intervals, comparison, page, plan, exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_answers, read_items
from proband.core.types import Answer, Item
from proband.models.fake import ScriptedModel
from proband.suites.questions.replies import answered


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions") / "items"
    proband.build("questions", out=folder)
    return folder


@pytest.fixture(scope="module")
def open_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    rows = [{"question": f"What is {i} + {i}?", "answer": str(2 * i), "topic": "sums"} for i in range(500, 512)]
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    proband.build("questions", out=folder / "items", data=str(folder / "sums.jsonl"))
    return folder / "items"


class Replying:
    """A base model that writes what a function of the prompt gives."""

    name = "fake:replying"

    def __init__(self, write: Callable[[str], str]) -> None:
        self.write = write

    def identity(self) -> dict[str, str]:
        return {"kind": "fake", "writes": str(id(self))}

    def generate(self, prompts: Sequence[str], **how: Any) -> list[str]:
        return [self.write(prompt) for prompt in prompts]


def replying(items: Path, reply: Callable[[Item], str]) -> Replying:
    known = list(read_items(items))
    return Replying(lambda prompt: reply(next(item for item in known if item.prompt in prompt)))


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


def test_replies_to_open_questions(open_items: Path, tmp_path: Path) -> None:
    model = replying(open_items, lambda item: f"I add them.\nThe answer is {int(item.facts['answers'][0]):,}.")
    results = proband.run(open_items, model=model, out=tmp_path / "right")
    assert results.run.solver == "reply"
    (row, *_) = results.scores().to_dicts()
    assert (row["metric"], row["mean"], row["n"]) == ("accuracy", 1.0, 12)
    wrong = proband.run(open_items, model=Replying(lambda prompt: "7"), out=tmp_path / "wrong")
    assert wrong.scores().to_dicts()[0]["mean"] == 0.0
    assert proband.compare(tmp_path / "right", tmp_path / "wrong")["groups"][0]["difference"] == 1.0


CASES: Sequence[tuple[str, float]] = [
    ("Paris", 1.0),
    ("The Paris.", 1.0),
    ("**Answer:** Paris, of course", 1.0),
    ("<think>Paris? no</think>London", 0.0),
    ("It is not Paris.", 0.0),
    ("Parisian", 0.0),
    ("Could be Paris.\nThe answer is Rome.", 0.0),
    ("Paris\nLondon", 0.0),
    ("", 0.0),
]


@pytest.mark.parametrize(("reply", "accuracy"), CASES)
def test_which_replies_give_the_answer(reply: str, accuracy: float) -> None:
    item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["Paris", "the city of light"]})
    answer = Answer(item_id="q", text=reply, status="" if reply else "unread")
    assert answered(item, answer) == accuracy


def test_an_open_question_cannot_be_scored_by_likelihood(tmp_path: Path) -> None:
    text = "question,a,b,correct,answers\nx?,p,r,p,\ny?,,,,seven\n"
    (tmp_path / "mixed.csv").write_text(text)
    proband.build("questions", out=tmp_path / "items", data=str(tmp_path / "mixed.csv"), answers="answers")
    proband.run(tmp_path / "items", model=ScriptedModel(default=-1.0), solver="likelihood", out=tmp_path / "run")
    statuses = {answer.item_id: answer.status for answer in read_answers(tmp_path / "run/answers.jsonl")}
    assert statuses == {"q1": "", "q2": "skipped"}
