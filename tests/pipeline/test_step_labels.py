"""Labels of steps by proof: what is not read is never labelled, and judges are measured against planted slips."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.solvers.conftest import Talks

from proband.cli import main
from proband.core.errors import ProbandError
from proband.pipeline.export import export
from proband.pipeline.step_labels import labelled_steps, write_stepwise
from proband.pipeline.steps import Checkers, replies_of
from proband.solvers.generate import GenerateOptions, settings_of

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "remote"))
if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, chat
else:
    from stub_server import Stub, chat

STORY = "Ann is the mother of Ben. Ben is the father of Max. What is Ann to Max?"
RIGHT = "Let me see. Ben is Ann's son. So Ann is Max's grandmother.\nAnswer: grandmother"
SLIP = "Ben is Ann's son. Ann is Max's aunt. So she is his aunt.\nAnswer: aunt"
UNREAD = "Ben is Ann's son. Ann bewilders Max's grandmother somehow via her uncle. Ann is Max's grandmother."


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    rows = [{"question": STORY, "reply": reply, "model": "m"} for reply in (RIGHT, SLIP, UNREAD, "")]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "replies.jsonl"


def test_what_is_not_read_is_never_labelled(replies: Path) -> None:
    right, slip, unread, empty = map(Checkers("kinship").record, replies_of(replies))
    assert [step.label for step in labelled_steps(right)] == [True, True]
    assert next(labelled_steps(right)).text == "Let me see. Ben is Ann's son."
    assert [step.label for step in labelled_steps(slip)][:2] == [True, False]
    assert [step.label for step in labelled_steps(unread)] == [True, None]
    assert list(labelled_steps(empty)) == []


def test_a_step_that_is_taken_back_is_labelled_by_itself(tmp_path: Path) -> None:
    reply = "Ben is Ann's son. Ann is Max's aunt. Wait, no. Ann is Max's grandmother."
    (tmp_path / "one.jsonl").write_text(json.dumps({"question": STORY, "reply": reply}) + "\n")
    (record,) = map(Checkers("kinship").record, replies_of(tmp_path / "one.jsonl"))
    steps = [(step.text, step.label) for step in labelled_steps(record)]
    assert steps[1:] == [("Ann is Max's aunt.", False), ("Wait, no. Ann is Max's grandmother.", True)]


def test_the_command_says_what_it_has_written(
    replies: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(replies), "--to", "stepwise", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "3 replies as stepwise" in said
    assert "withheld" in said


def test_both_formats(replies: Path, tmp_path: Path) -> None:
    made = export(replies, to="stepwise", out=tmp_path / "out")
    assert made["replies"] == 3
    assert made["withheld"] == 1
    trl = [json.loads(line) for line in (tmp_path / "out" / "trl.jsonl").read_text().splitlines()]
    assert trl[0] == {
        "prompt": STORY,
        "completions": ["Let me see. Ben is Ann's son.", "So Ann is Max's grandmother."],
        "labels": [True, True],
    }
    assert all(isinstance(label, bool) for row in trl for label in row["labels"])
    prm = [json.loads(line) for line in (tmp_path / "out" / "prm800k.jsonl").read_text().splitlines()]
    ratings = [[step["completions"][0]["rating"] for step in row["label"]["steps"]] for row in prm]
    assert ratings[0] == [1, 1]
    assert ratings[2] == [1, None]
    assert [row["label"]["finish_reason"] for row in prm] == ["solution", "found_error", "solution"]
    with pytest.raises(ProbandError, match="no reply has a labelled step"):
        write_stepwise([], tmp_path / "none")


@pytest.mark.parametrize(
    ("says", "precision", "recall"), [("proof", 1.0, 1.0), ("right", None, 0.0), ("wrong", 0.2, 1.0)]
)
def test_judges_are_measured(
    replies: Path, tmp_path: Path, says: str, precision: float | None, recall: float, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        step = step_of(body["messages"][0]["content"])
        verdict = ("wrong" if "aunt" in step else "right") if says == "proof" else says
        return chat(json.dumps({"verdict": verdict, "confidence": 0.9}))

    words = ["steps", str(replies), "-o", str(tmp_path / "out"), "--domain", "kinship", "--no-cache"]
    with Stub(reply) as stub:
        assert main([*words, "--judge", f"openai:j@{stub.url}"]) == 0
    result = json.loads((tmp_path / "out" / "judge.json").read_text())
    own = result["wrong steps"]["all"]
    assert own["recall"]["share"] == recall
    assert own["precision"].get("share") == (precision if precision is None else pytest.approx(precision, abs=0.3))
    assert result["calibration"][0]["confidence"] == 0.9
    printed = capsys.readouterr().out
    assert "precision" in printed
    assert "(too few)" in printed  # three replies have no interval
    assert "low" not in own["recall"]
    (tmp_path / "out" / "judge.json").unlink()
    assert main([*words, "--judge", f"openai:j@{stub.url}"]) == 0  # from what is recorded: nobody answers there now
    assert json.loads((tmp_path / "out" / "judge.json").read_text()) == result


def step_of(text: str) -> str:
    return text.partition("Next step: ")[2].replace("\\n", "\n").partition("\n")[0]


def test_a_reply_without_a_verdict_is_counted_and_one_without_confidence_is_not_calibrated(
    replies: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        step = step_of(body["messages"][0]["content"])
        without = '{"verdict": "right"}' if "grandmother" in step else '{"verdict": "right" or "wrong"}'
        return chat('{"verdict": "wrong", "confidence": "high"}' if "aunt" in step else without)

    with Stub(reply) as stub:
        words = ["steps", str(replies), "-o", str(tmp_path / "out"), "--domain", "kinship", "--no-cache", "--judge"]
        assert main([*words, f"openai:j@{stub.url}"]) == 0
        assert any(len(body["messages"]) == 3 for body in stub.bodies)  # asked once more
    result = json.loads((tmp_path / "out" / "judge.json").read_text())
    items = (tmp_path / "out" / "judge" / "items.jsonl").read_text().splitlines()
    known, unread = len(items), sum("aunt" not in own and "grandmother" not in own for own in map(step_of, items))
    assert 0 < unread < known
    assert (result["read"], result["unread"]["share"]) == (known - unread, pytest.approx(unread / known))
    assert result["calibration"] == []
    assert f"{known} steps: {100 * unread / known:.0f} % (too few) without a verdict" in capsys.readouterr().out


@pytest.mark.parametrize(("usual", "most"), [(256, 64), (4096, 4096)])
def test_a_verdict_is_short_unless_the_model_reasons(usual: int, most: int) -> None:
    class Judge(Talks):
        default_max_tokens = usual

    assert settings_of(Judge(), GenerateOptions(brief=True), 0)["max_tokens"] == most
    assert settings_of(Judge(), GenerateOptions(brief=True, max_tokens=9), 0)["max_tokens"] == 9


def test_the_judge_of_the_guide(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's own replies and command, at a server whose judge calls every step right but those about an aunt."""
    page = (root / "docs" / "replies.md").read_text(encoding="utf-8")
    rows = re.search(r"^```json replies.jsonl\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    command = re.search(r"^\$ proband (steps .*--judge) openai:MODEL$", page, re.MULTILINE)
    assert rows
    assert command
    (tmp_path / "replies.jsonl").write_text(rows[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        step = step_of(body["messages"][0]["content"])
        return chat(json.dumps({"verdict": "wrong" if "aunt" in step else "right", "confidence": 0.75}))

    with Stub(reply) as stub:
        words = [*command[1].split(), f"openai:MODEL@{stub.url}"]
        assert main(words) == 0
        sent = len(stub.bodies)
        assert main(words) == 0
        assert len(stub.bodies) == sent > 0
    quality = json.loads((tmp_path / "steps" / "judge.json").read_text())["wrong steps"]
    assert (quality["all"]["steps"], quality["all"]["precision"]["share"], quality["all"]["recall"]["share"]) == (
        6,
        1,
        1,
    )
    assert set(quality) >= {"kind: contradicted", "kind: stated", "position: 1", "position: 2"}
