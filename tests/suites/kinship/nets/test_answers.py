"""Trained nets answer items."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_answers, read_items, read_json
from proband.core.types import Item

Small = Callable[..., Any]


@pytest.mark.parametrize("kind", ["bilstm-mean", "relation-network", "composer"])
def test_trained_run_and_answered(kind: str, fifty: Path, tmp_path: Path, small: Small) -> None:
    """From `train` to `run`: the folder alone is enough, and answers do not depend on what else is asked."""
    options = {name: value for name, value in dataclasses.asdict(small(kind, epochs=2)).items() if name != "device"}
    proband.train(fifty, net=kind, out=tmp_path / "net", options=options)
    assert read_json(tmp_path / "net" / "net.json")["net"] == kind
    proband.run(fifty, model=f"net:{tmp_path / 'net'}", out=tmp_path / "run", split="all")
    answers = {answer.item_id: answer for answer in read_answers(tmp_path / "run" / "answers.jsonl")}
    items: list[Item] = list(read_items(fifty))
    alone = proband.load_model(f"net:{tmp_path / 'net'}").answer(items[:1])[0]
    assert len(answers) == len(items)
    assert len(alone.scores) == 22
    assert alone.scores == pytest.approx(answers[items[0].id].scores, abs=1e-4)
