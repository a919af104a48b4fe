"""The scripted model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import AnswersItems, Generates, Model, ScoresText, Text
from proband.core.types import Item
from proband.models import load
from proband.models.fake import ScriptedModel


def test_says_what_it_was_told(tmp_path: Path) -> None:
    script = {
        "scores": {"good": -1, "x": 2.0},
        "default": -5,
        "texts": {"Say": "one two three. four", "Which?": "B"},
        "answers": {"i1": [3, 1]},
    }
    (tmp_path / "s.json").write_text(json.dumps(script))
    model = load(f"fake:{tmp_path / 's.json'}")
    assert all(isinstance(model, kind) for kind in (Model, ScoresText, Generates, AnswersItems))
    assert [s.total for s in model.score([Text("good"), Text("bad")], method="fake")] == [-1, -5]
    assert model.generate(["Say"], max_tokens=2, temperature=0, seed=0) == ["one two"]
    assert model.generate(["Say"], max_tokens=9, temperature=0, seed=0, stop=["."]) == ["one two three"]
    items = [Item(id=i, suite="s", prompt="?", choices=("x", "y")) for i in ("i1", "i2")]
    assert [answer.scores for answer in model.answer(items)] == [(3, 1), (2, -5)]
    assert model.calls == {"score": 2, "generate": 2, "answer": 2}


def test_scripts_have_identities() -> None:
    assert ScriptedModel(scores={"a": 1}).identity() == ScriptedModel(scores={"a": 1}, name="fake:other").identity()
    assert ScriptedModel(scores={"a": 1}).identity() != ScriptedModel(scores={"a": 2}).identity()
    assert ScriptedModel(identity={"revision": "1"}).identity() != ScriptedModel(identity={"revision": "2"}).identity()


def test_fails_when_told_to() -> None:
    model = ScriptedModel(default=0.0, fail_after=2)
    model.score([Text("a"), Text("b")])
    with pytest.raises(ProbandError, match="fails after 2 requests"):
        model.score([Text("c")])


def test_what_is_not_scripted(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="nothing is scripted in 'scores' for 'a'"):
        ScriptedModel().score([Text("a")])
    with pytest.raises(ProbandError, match="no text is scripted for 'a'"):
        ScriptedModel().generate(["a"], max_tokens=1, temperature=0, seed=0)
    (tmp_path / "s.json").write_text('{"score": {}}')
    with pytest.raises(ProbandError, match="unknown field 'score'"):
        load(f"fake:{tmp_path / 's.json'}")
