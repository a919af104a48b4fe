"""Endpoints whose models think: tags in the reply, fields of their own, and nothing but thoughts; and several samples
of a reply with a vote, by the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband.core.files import read_answers

if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, chat
else:
    from stub_server import Stub, chat

# the message of each server's answer -> whether the right choice is read from it
MESSAGES: dict[str, tuple[dict[str, Any], bool]] = {
    "tags": ({"content": "<think>GREEN? No: not GREEN.</think>\n\nAnswer: RIGHT"}, True),
    "a tag that the template opened": ({"content": "It might be GREEN.\n</think>\nRIGHT"}, True),
    "a tag that is never closed": ({"content": "<think>RIGHT, or rather"}, False),
    "one inside the other": ({"content": "<think>a <think>GREEN</think> GREEN</think>RIGHT"}, True),
    "two, one after the other": ({"content": "<think>GREEN</think><think>GREEN</think>RIGHT"}, True),
    "an empty one": ({"content": "<think>\n\n</think>\n\nRIGHT"}, True),
    "capitals": ({"content": "<THINK>GREEN</THINK>RIGHT"}, True),
    "Mistral's tags": ({"content": "[THINK]GREEN[/THINK]RIGHT"}, True),
    "Gemma's channel": ({"content": "<|channel>thought\nGREEN<channel|>RIGHT"}, True),
    "a field of vLLM and llama.cpp": ({"content": "RIGHT", "reasoning_content": "GREEN"}, True),
    "a field of OpenRouter": ({"content": "RIGHT", "reasoning": "GREEN", "reasoning_details": []}, True),
    "thoughts alone in the field": ({"content": None, "reasoning_content": "RIGHT, or rather"}, False),
    "parts": (
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "GREEN"}]},
                {"type": "text", "text": "RIGHT"},
            ]
        },
        True,
    ),
}


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which colour has number {i}?",
            "choices": ["red", "green", "blue"],
            "answer": i % 3,
        }
        for i in range(12)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["build", "questions", "--data", str(tmp_path / "q.jsonl"), "-o", str(tmp_path / "items")]) == 0
    return tmp_path / "items"


def number(body: dict[str, Any]) -> int:
    return int(body["messages"][-1]["content"].partition("number ")[2].partition("?")[0])


def filled(message: Any, right: str) -> Any:
    """The message with the right choice in place of RIGHT, and a wrong one in place of GREEN."""
    wrong = "green" if right != "green" else "blue"
    return json.loads(json.dumps(message).replace("RIGHT", right).replace("GREEN", wrong))


def run(items: Path, stub: Stub, out: Path, *words: str) -> None:
    model = ["-m", f"openai:m@{stub.url}", "--model-set", "scores=no", "-s", "generate"]
    assert main(["run", str(items), *model, *words, "-o", str(out)]) == 0


@pytest.mark.parametrize("name", MESSAGES)
def test_thoughts_are_no_part_of_a_reply(name: str, items: Path, tmp_path: Path) -> None:
    message, readable = MESSAGES[name]

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        made = chat("")
        made["choices"][0]["message"] |= filled(message, ["red", "green", "blue"][number(body) % 3])
        return made

    with Stub(reply) as stub:
        run(items, stub, tmp_path / "run", "--limit", "3")
    answers = list(read_answers(tmp_path / "run" / "answers.jsonl"))
    assert len(answers) == 3
    for answer in answers:
        if readable:
            right = int(answer.item_id.removeprefix("q")) % 3
            assert answer.scores == tuple(float(choice == right) for choice in range(3)), answer
        else:
            assert answer.status == "unread"


def test_several_samples_and_their_vote(items: Path, tmp_path: Path) -> None:
    """A model that is right two times out of three: by vote it is always right."""

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        assert body["temperature"] == 0.7
        seeds.add(body["seed"])
        right = number(body) % 3
        said = right if (number(body) + sorted(seeds).index(body["seed"])) % 3 else (right + 1) % 3
        return chat(f"<think>hm</think>Answer: {['red', 'green', 'blue'][said]}")

    seeds: set[int] = set()
    with Stub(reply) as stub:
        run(items, stub, tmp_path / "runs", "--repeat", "3", "--set", "temperature=0.7")
        assert len(stub.bodies) == 3 * 12
    assert len(seeds) == 3
    assert main(["report", str(tmp_path / "runs"), "-o", str(tmp_path / "report")]) == 0
    (made,) = json.loads((tmp_path / "report" / "report.json").read_text())["sets"]
    (sheet,) = (each for each in made["sheets"] if each["name"] == "repeats")
    row = dict(zip(sheet["header"], sheet["rows"][0]))
    assert (row["repeats"], row["items"], row["score"], row["by vote"]) == (3, 12, "66.7", "100.0")
    assert row["pass^k, k = repeats"] == row["same every time"] == "0.0"
