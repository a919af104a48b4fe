"""Published replies under proved labels: a file of ours whose right scores are counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.cli import main

VALID = "1. All cats are dogs\n2. All dogs are bees\nDoes it logically follow that:\nAll cats are bees?"
WRONG = "1. All cats are dogs\n2. Some dogs are bees\nDoes it logically follow that:\nSome cats are bees?"
MODELS = {  # model -> what it replies to the valid and to the invalid form
    "careful": ("<answer>Yes</answer>", "Hm. <answer>No</answer>"),
    "credulous": ("<answer>Yes</answer>", "<answer>Yes</answer>"),
    "untagged": ("Yes", "No"),
}


def replies(path: Path, *, items: int = 12) -> Path:
    """Every third label is wrong: the invalid form is called valid. A reply without a tag was read as nothing."""
    lines: list[dict[str, Any]] = []
    for model, texts in MODELS.items():
        for item in range(items):
            invalid = item % 3 == 0
            question = (WRONG if invalid else VALID).replace("cats", f"cats{item}")
            text = texts[invalid]
            read = text.partition("<answer>")[2].partition("</answer>")[0] or None
            lines.append(
                {"question": question, "label": "Yes", "model": model, "level": "easy", "item": item,
                 "read_answer": read, "reply": text, "score": float(read == "Yes")}
            )  # fmt: skip
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def test_scores_before_and_after_are_those_counted_by_hand(tmp_path: Path) -> None:
    path = replies(tmp_path / "replies.jsonl")
    result = proband.audit(path, out=tmp_path / "audit", replies=path)
    level = result["models"]["easy"]
    means = {
        name: [round(each[what]["mean"], 3) for what in ("published", "proved", "read again")]
        for name, each in level["models"].items()
    }
    assert means == {"careful": [0.667, 1, 1], "credulous": [1, 0.667, 0.667], "untagged": [0, 0, 1]}
    assert level["order"] == {
        "published": ["credulous", "careful", "untagged"],
        "proved": ["careful", "credulous", "untagged"],
        "read again": ["careful", "untagged", "credulous"],
    }
    assert level["swapped"] == [("credulous", "careful")]
    assert (level["items"], level["settled items"], result["rows"]) == (12, 12, 12)
    change = level["models"]["careful"]["change"]
    assert change["low"] < 1 / 3 < change["high"]
    lists = [json.loads(line) for line in (tmp_path / "audit" / "exclusions.jsonl").read_text().splitlines()]
    assert [each["item"] for each in lists] == [0, 3, 6, 9]
    assert all((each["verdict"], each["right"]) == ("false", "No") for each in lists)
    assert "cats" not in json.dumps(lists)


def test_right_labels_change_nothing(tmp_path: Path) -> None:
    path = replies(tmp_path / "replies.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    right = [each for each in lines if each["item"] % 3]
    path.write_text("".join(json.dumps(each) + "\n" for each in right))
    level = proband.audit(path, out=tmp_path / "audit", replies=path)["models"]["easy"]
    assert not level["swapped"]
    assert all(each["change"]["value"] == 0 for each in level["models"].values())
    assert (tmp_path / "audit" / "exclusions.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None}, "no column for the answer"),
        ({"model": None}, "a reply needs the columns 'model' and"),
        ({"read_answer": None, "reply": None}, "a reply needs the columns 'model' and"),
        ({"score": "good"}, "'score' is 'good', not a number"),
    ],
)
def test_what_is_no_reply_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    path = replies(tmp_path / "replies.jsonl", items=3)
    changed = tmp_path / "changed.jsonl"
    lines = [{**json.loads(line), **change} for line in path.read_text().splitlines()]
    lines = [{name: value for name, value in each.items() if value is not None or name not in change} for each in lines]
    changed.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert main(["audit", str(path), "--replies", str(changed), "-o", str(tmp_path / "audit")]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert message in error[-1]
    assert "changed.jsonl" in error[-1]


def test_replies_to_other_questions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = replies(tmp_path / "replies.jsonl", items=3)
    other = tmp_path / "other.jsonl"
    other.write_text(path.read_text().replace("cats", "lions"))
    assert main(["audit", str(path), "--replies", str(other), "-o", str(tmp_path / "audit")]) == 2
    assert "no reply answers a question of the source" in capsys.readouterr().err


def test_a_reason_is_no_sentence_of_a_story(tmp_path: Path) -> None:
    question = "Zion is married to Sage. They have a child called Rain.\n\nHow is Sage related to Zion?"
    row = {"question": question, "label": "wife", "model": "one", "item": 1, "read_answer": "wife", "score": 1.0}
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps({**row, "model": name}) + "\n" for name in ("one", "two")))
    proband.audit(path, out=tmp_path / "audit", domain="kinship", world="strict", replies=path)
    (excluded,) = map(json.loads, (tmp_path / "audit" / "exclusions.jsonl").read_text().splitlines())
    assert (excluded["verdict"], excluded["why"]) == ("gender open", "")
