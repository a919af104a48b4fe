"""Multiple choice by letter: orders of the choices, what is sent, and how far letters are preferred."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband.core.files import read_answers, read_run, write_json
from proband.core.types import Answer, Item
from proband.models.fake import ScriptedModel
from proband.solvers.choose import CHOOSE, ChooseOptions, position_bias, rotated, rotations

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "remote"))
if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, chat, options
else:
    from stub_server import Stub, chat, options

MANY = Item(id="q", suite="any", prompt="Which?", choices=tuple(f"choice {i}" for i in range(22)), gold=3)
QUICK = ["--model-set", "first-wait=0.01", "--no-cache"]


def sent(item: Item, **settings: Any) -> list[str]:
    assert CHOOSE.sends is not None
    (texts,) = CHOOSE.sends([item], ScriptedModel(), seed=0, options=ChooseOptions(**settings))
    return texts


def test_the_prompt_shows_every_choice_once() -> None:
    texts = sent(MANY, permutations=22)
    assert len(set(texts)) == 22
    for text in texts:
        lines = text.splitlines()
        assert sorted(line[3:] for line in lines if line[1:3] == ". ") == sorted(MANY.choices)
        assert lines[0] == "Which?"


@pytest.mark.parametrize("choices", range(1, 27))
def test_rotations_are_distinct_and_begin_with_the_order_given(choices: int) -> None:
    for wanted in range(1, 30):
        shifts = rotations(choices, wanted)
        assert shifts[0] == 0
        assert len(set(shifts)) == len(shifts) == min(wanted, choices)
        assert max(shifts) < choices


def test_a_rotated_item_keeps_its_gold() -> None:
    assert all(turned.choices[turned.gold or 0] == "choice 3" for turned in (rotated(MANY, i) for i in range(22)))


def test_every_letter_leads_back_to_its_choice() -> None:
    """A base model that writes one letter, in all orders of the choices: each choice gets one vote."""
    for letter in ("A", "K", "V"):
        model = ScriptedModel(texts=dict.fromkeys(sent(MANY, permutations=22), letter))
        (answer,) = CHOOSE.solve([MANY], model, seed=0, options=ChooseOptions(permutations=22))
        assert answer.scores == pytest.approx([1 / 22] * 22)
        assert answer.letters == letter * 22


# ---- position bias -------------------------------------------------------------------------------------------------


def rows(letters: str, choices: int = 4) -> list[Answer]:
    return [Answer(item_id=str(i), scores=(0.0,) * choices, letters=each) for i, each in enumerate(letters.split())]


def test_a_model_that_knows_has_no_bias_wherever_the_right_choice_stands() -> None:
    figures = position_bias(rows("ADCB ADCB ADCB BADC"))
    assert figures["same_choice"] == 1
    assert all(share == expected for share, expected in figures["letters"].values())
    few = position_bias(rows("ARLG", choices=22))  # choice 0 under shifts by 0, 5, 11 and 16
    assert few["same_choice"] == 1
    assert all(share == expected for share, expected in few["letters"].values())


def test_a_model_that_always_says_a_is_all_bias() -> None:
    figures = position_bias(rows("AAAA AAAA"))
    assert (figures["same_choice"], figures["letters"]["A"]) == (0, [1.0, 0.25])


def test_replies_without_a_letter_are_counted() -> None:
    figures = position_bias([*rows("A-CB"), Answer(item_id="x", status="unread", letters="----")])
    assert (figures["items"], figures["unread"], figures["same_choice"]) == (2, 5, 0)
    assert position_bias([Answer(item_id="x", scores=(1.0, 0.0))]) == {}


# ---- through the command line --------------------------------------------------------------------------------------


def prefers_a(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Knows that yes is right in every second question, and says A to the others."""
    text = str(body["messages"])
    right = next(letter for letter, choice in options(body).items() if choice == "yes")
    return chat(f"Therefore {right}" if "Question 0" in text or "Question 2" in text else "A")


@pytest.fixture
def items(tmp_path: Path) -> Path:
    facts = {"premise": ["a", "is", "b"], "hypothesis": ["a", "was", "b"], "straight": True, "question": "Which?"}
    lines = [
        {
            "id": f"q{i}",
            "suite": "inference",
            "prompt": f"Question {i}: is it so?",
            "choices": ["yes", "no"],
            "gold": 0,
            "tags": {"source": "own", "direction": "answer to question"},
            "facts": {**facts, "clusters": [f"c{i}"], "pair": f"{i}"},
        }
        for i in range(4)
    ]
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "items"


def test_position_bias_is_in_run_json_the_output_and_the_report(
    items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "runs" / "m"
    with Stub(prefers_a) as stub:
        words = ["run", str(items), "-m", f"openai:m@{stub.url}", "-s", "choose", *QUICK, "-o", str(run)]
        assert main(words) == 0
        assert len(stub.bodies) == 8
        shown = capsys.readouterr().out
        assert main(words) == 0  # nothing is asked again, and the summary stays
        assert len(stub.bodies) == 8
    text = "the same choice in all orders in 50.0 % of 4 items; letter A in 75.0 % of the replies (50.0 % without"
    assert text in " ".join(shown.split())
    assert read_run(run / "run.json").summary["letters"] == {"A": [0.75, 0.5], "B": [0.25, 0.5]}
    assert [answer.letters for answer in read_answers(run / "answers.jsonl")] == ["AB", "AA", "AB", "AA"]
    assert [answer.scores for answer in read_answers(run / "answers.jsonl")] == [(1, 0), (0.5, 0.5)] * 2
    assert main(["report", str(tmp_path / "runs"), "-o", str(tmp_path / "report")]) == 0
    pages = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "report").glob("*.json"))
    assert "same choice in all orders in 50.0 % of 4 items" in pages


@pytest.mark.nightly
def test_one_order(items: Path, tmp_path: Path) -> None:
    with Stub(prefers_a) as stub:
        words = ["run", str(items), "-m", f"openai:m@{stub.url}", "-s", "choose", *QUICK]
        assert main([*words, "--set", "permutations=1", "-o", str(tmp_path / "old")]) == 0
        assert main([*words, "--set", "permutations=1", "--set", "max-tokens=7", "-o", str(tmp_path / "new")]) == 0
        assert len(stub.bodies) == 8
        assert [body["max_tokens"] for body in stub.bodies] == [1024] * 4 + [7] * 4
    assert read_run(tmp_path / "old" / "run.json").summary == {}
    assert read_run(tmp_path / "old" / "run.json").settings["permutations"] == 1


def test_what_a_dry_run_and_show_say(items: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_json(items / "manifest.json", {})
    assert main(["run", str(items), "-m", "openai:m@http://localhost:1", "-s", "choose", "--dry-run", "-o", "x"]) == 0
    assert "calls:       8" in capsys.readouterr().out
    assert main(["show", str(items), "q0", "--prompt", "-m", "openai:m@http://localhost:1", "-s", "choose"]) == 0
    bodies = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [options(body) for body in bodies] == [{"A": "yes", "B": "no"}, {"A": "no", "B": "yes"}]
    assert all(body["top_logprobs"] == 20 for body in bodies)
