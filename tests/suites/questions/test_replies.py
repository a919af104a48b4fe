"""Replies to open questions: which of them give the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.suites.questions.conftest import Replying, replying

import proband
from proband.core.types import Answer, Item
from proband.suites.questions.replies import answered


@pytest.fixture(scope="module")
def open_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    rows = [{"question": f"What is {i} + {i}?", "answer": str(2 * i), "topic": "sums"} for i in range(500, 512)]
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    proband.build("questions", out=folder / "items", data=str(folder / "sums.jsonl"))
    return folder / "items"


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
    ("London, Paris, Rome, Berlin", 0.0),
    ("London, Rome and Paris", 0.0),
    ("Paris or London", 0.0),
    ("Either **London** or **Paris**", 0.0),
    ("Rome, Paris or London", 0.0),
    ("Paris? No, London.", 0.0),
    ("What is the capital? Paris", 1.0),
    ("Paris, France", 1.0),
    ("In 1940, as today, it was Paris.", 1.0),
    ("It is Paris, whether you like it or not.", 1.0),
    ("London? No. The answer is Paris.\nParis has two million people", 1.0),
]


def test_numbers_in_several_forms() -> None:
    item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["1234", "0.5"]})
    assert [answered(item, Answer(item_id="q", text=text)) for text in ("1,234", "1234.0", ".50")] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("reply", ["0.5", "The answer is 3.5.", "-5", "−5", "5.2", "1/5", "5 million", "5%", "1:5"])
def test_another_number_is_not_the_answer(reply: str) -> None:
    item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["5"]})
    assert answered(item, Answer(item_id="q", text=reply)) == 0.0
    assert answered(item, Answer(item_id="q", text="It is 5.")) == 1.0
    negative = Item(id="q", suite="questions", prompt="?", facts={"answers": ["-5"]})
    assert answered(negative, Answer(item_id="q", text="5")) == 0.0
    assert answered(negative, Answer(item_id="q", text="The answer is −5.")) == 1.0


@pytest.mark.parametrize(("reply", "accuracy"), CASES)
def test_which_replies_give_the_answer(reply: str, accuracy: float) -> None:
    item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["Paris", "the city of light"]})
    answer = Answer(item_id="q", text=reply, status="" if reply else "unread")
    assert answered(item, answer) == accuracy
