"""Answers as the released program gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.suites.script.nets.conftest import SMALL, build

import proband
from proband.core.types import Item


def test_answers_as_the_released_program_gives_them(toy: list[Item], tmp_path: Path) -> None:
    items = build(tmp_path / "items", toy)
    proband.train(items, net="transducer", out=tmp_path / "net", options=SMALL)
    chosen = {"temperature": 0.5, "pick": "all", "ends": "unread", "aligned": "whole", "longest": 4}
    run = proband.run(
        items, model=f"net:{tmp_path / 'net'}", solver="answer", out=tmp_path / "run", options=chosen, cache=False
    )
    assert run.run.settings["pick"] == "all"
    lines = (tmp_path / "run" / "answers.jsonl").read_text().splitlines()
    answers: list[dict[str, Any]] = [json.loads(line) for line in lines]
    held = {item.id: item for item in toy if item.split == "valid"}
    records = [(held[a["item_id"]], a["blanks"]) for a in answers if a["blanks"]]
    assert len(records) == len(held)
    for item, blanks in records:
        assert len(blanks) == sum(start < 4 for start, _ in item.facts["blanks"])
        assert {len(blank["guesses"]) for blank in blanks} == {len(blank["oracles"]) for blank in blanks} == {5}
        assert len(blanks[0]["path"]) == 4
    whole = proband.run(items, model=f"net:{tmp_path / 'net'}", solver="answer", out=tmp_path / "two", cache=False)
    assert whole.run.settings["longest"] == 0
    assert "guesses" not in (tmp_path / "two" / "answers.jsonl").read_text()
