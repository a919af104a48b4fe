"""Files of known sets, in their own forms: bAbI's texts, rows under a key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.pipeline.checking import audit

BABI = {
    "qa4_two-arg-relations_test.txt": (
        "1 The office is north of the kitchen.\n2 The garden is south of the kitchen.\n"
        "3 What is north of the kitchen?\toffice\t1\n4 What is the kitchen north of?\tgarden\t2\n"
        "1 The hall is west of the den.\n2 What is west of the den?\tden\t1\n",
        ["entailed", "entailed", "false"],
    ),
    "qa17_positional-reasoning_test.txt": (
        "1 The triangle is above the pink rectangle.\n2 The blue square is to the left of the triangle.\n"
        "3 Is the pink rectangle below the triangle?\tyes\t1\n"
        "4 Is the triangle to the left of the blue square?\tyes\t2\n",
        ["entailed", "false"],
    ),
    "qa18_size-reasoning_test.txt": (
        "1 The box of chocolates fits inside the chest.\n2 The chest fits inside the crate.\n"
        "3 Does the box of chocolates fit in the crate?\tyes\t1 2\n4 Is the chest bigger than the crate?\tyes\t2\n",
        ["entailed", "false"],
    ),
    "qa19_path-finding_test.txt": (
        "1 The garden is west of the bathroom.\n2 The bedroom is north of the bathroom.\n"
        "3 How do you go from the garden to the bedroom?\te,n\t1 2\n"
        "4 How do you go from the garden to the bedroom?\te,s\t1 2\n",
        ["entailed", "false"],
    ),
}


def verdicts(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", BABI)
def test_babi(name: str, tmp_path: Path) -> None:
    text, wanted = BABI[name]
    (tmp_path / name).write_text(text)
    result = audit(tmp_path / name, out=tmp_path / "audit")
    assert [each["verdict"] for each in verdicts(tmp_path / "audit")] == wanted
    assert "guessed" not in result["domain"]


def test_rows_under_a_key(tmp_path: Path) -> None:
    row = {"input": "P is above Q. Q is above R. Is P above R?", "target": "Yes"}
    (tmp_path / "task.json").write_text(
        json.dumps({"canary": "do not train", "examples": [row, {**row, "target": "No"}]})
    )
    result = audit(tmp_path / "task.json", out=tmp_path / "audit")
    assert [each["verdict"] for each in verdicts(tmp_path / "audit")] == ["entailed", "false"]
    assert result["rows"] == 2


def test_a_set_that_is_hardly_read_gets_no_score(tmp_path: Path) -> None:
    read = {"text": "P is above Q.", "question": "Is P above Q?", "answer": "yes"}
    other = {"text": "P is fond of Q.", "question": "Is P above Q?", "answer": "yes"}
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in [read, read, *[other] * 8]))
    result = audit(tmp_path / "rows.jsonl", out=tmp_path / "audit", domain="grid")
    assert result["verdicts"]["unread"] == 8
    assert result["perfect score, %"] == {}


def test_a_text_that_is_no_babi_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("1 2 2")
    with pytest.raises(ProbandError, match="not a file of rows"):
        audit(tmp_path / "notes.txt", out=tmp_path / "audit")
