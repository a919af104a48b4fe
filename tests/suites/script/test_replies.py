"""Replies of all kinds, read as a person reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import proband
from proband.core.files import read_answers
from proband.core.types import Answer, Item
from proband.suites.script import SUITE, replies

RECORDED = Path(__file__).parent / "recorded_replies.jsonl"


class Mumbles:
    """Reads items directly; what it writes to every third cannot be read."""

    name = "mumbles"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        known = [tuple({"gold": gold, "guess": gold} for gold in item.facts["gold"]) for item in items]
        return [
            Answer(item_id=item.id, blanks=blanks) if at % 3 else Answer(item_id=item.id, text="hm", status="unread")
            for at, (item, blanks) in enumerate(zip(items, known, strict=True))
        ]


def test_an_unread_reply_without_blanks_is_a_wrong_answer(folder: Path, items: list[Item], tmp_path: Path) -> None:
    proband.run(folder, model=Mumbles(), out=tmp_path / "r", limit=6, cache=False)
    answers = list(read_answers(tmp_path / "r" / "answers.jsonl"))
    assert [answer.status for answer in answers] == ["unread", "", "", "unread", "", ""]
    of = {item.id: item for item in items}
    scores = [SUITE.metric("whole_greedy").numbers(of[answer.item_id], answer) for answer in answers]
    assert [set(each) for each in scores] == [{0.0}, {1.0}, {1.0}, {0.0}, {1.0}, {1.0}]


@pytest.mark.parametrize(
    ("reply", "guess"),
    [
        ("", [[], []]),
        ("1: the wire whisk, please\n2: bowl", [["wire", "whisk"], ["bowl"]]),
        ("2: Bowl\n1: wire whisk\n1: fork", [["wire", "whisk"], ["bowl"]]),
        ('```json\n["wire whisk", "bowl"]\n```', [["wire", "whisk"], ["bowl"]]),
        ("**1**: wire whisk\n**2**: bowl", [["wire", "whisk"], ["bowl"]]),
        ("wire whisk, bowl", [["wire", "whisk"], ["bowl"]]),
        ("7: spoon", [[], []]),
        ('{"1": "wire whisk",\n"2": bowl,', [["wire", "whisk"], ["bowl"]]),
        ("1: wire whisk, 2: bowl", [["wire", "whisk"], ["bowl"]]),
        ("Gap one is hard to say, I think.\n2: bowl", [[], ["bowl"]]),
    ],
)
def test_replies_of_all_kinds(reply: str, guess: list[list[str]]) -> None:
    assert replies.parse(reply, [2, 1]) == guess


def test_recorded_replies_are_read_as_a_person_reads_them() -> None:
    """15 replies each of SmolLM2 and of Qwen2.5-Coder to the same prompt; `fills` were checked one by one."""
    rows = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    read, right = Counter[str](), Counter[str]()
    for row in rows:
        words = row["concrete"].split()
        gold = [words[start:end] for start, end in row["blanks"]]
        facts = {"concrete": words, "blanks": row["blanks"], "gold": gold}
        answer = replies.read(Item(id="a", suite="script", prompt="", facts=facts), row["reply"], "")
        assert [" ".join(blank["guess"]) for blank in answer.blanks] == row["fills"], row["reply"]
        read[row["model"]] += answer.status != "unread"
        right[row["model"]] += sum(blank["guess"] == blank["gold"] for blank in answer.blanks)
    assert (dict(read), dict(right)) == ({"smollm2": 2, "qwen": 15}, {"smollm2": 0, "qwen": 15})
