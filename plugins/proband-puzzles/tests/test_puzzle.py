"""Labels of puzzles through the command line: verdicts, findings by form, a corrected copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.plugins import Registry
from proband.proof import row_source
from proband.proof.row_source import gym_options, gym_tasks
from proband.proof.run import OUTSIDE
from proband.proof.verdicts import JudgedDomain

QUESTION = "Consider these statements:\n1. {a}\n2. {b}\n\nDoes it logically follow that:\n{c}?\n(Answer Yes or No)"
ROWS = [
    ("All cats are dogs", "All dogs are bees", "All cats are bees", "Yes", "entailed"),
    ("All cats are dogs", "Some dogs are bees", "Some cats are bees", "Yes", "false"),
    ("All ants are lions", "Some lions are cats", "Some ants are cats", "Yes", "false"),
    ("All cats are dogs", "No dogs are bees", "Some dogs are cats", "Yes", "depends on the world"),
    ("All cats are dogs", "No dogs are bees", "No cats are bees", "perhaps", "unread"),
]


def rows(path: Path) -> Path:
    made = ({"question": QUESTION.format(a=a, b=b, c=c), "answer": answer} for a, b, c, answer, _ in ROWS)
    path.write_text("".join(json.dumps(each) + "\n" for each in made))
    return path


def test_labels_are_judged_in_every_world_or_in_the_one_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "audit"
    assert main(["audit", str(rows(tmp_path / "rows.jsonl")), "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "syllogism (guessed)" in printed
    assert "All A are B, Some B are C, so Some A are C: labelled Yes where No follows" in printed
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    assert [each["verdict"] for each in verdicts] == [each[-1] for each in ROWS]
    corrected = [json.loads(line) for line in (out / "corrected.jsonl").read_text().splitlines()]
    assert [each["answer"] for each in corrected] == ["Yes", "No", "No", "Yes", "perhaps"]
    summary = json.loads((out / "summary.json").read_text())
    assert summary["second prover"] == {"rows": 4, "agree": 4, "weaker": 0, "against": 0}
    assert main(["audit", str(tmp_path / "rows.jsonl"), "--world", "may-be-empty", "-o", str(out)]) == 0
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    assert verdicts[3]["verdict"] == "false"


def test_every_puzzle_is_a_task_that_can_be_audited() -> None:
    assert len(OUTSIDE.names()) == 11
    assert {domain for domain, _ in gym_tasks().values()} == {*OUTSIDE.names(), "kinship"} - {"orders"}


def test_without_the_package_its_tasks_are_refused_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Registry("proband.domains-of-nobody", JudgedDomain, {})  # type: ignore[type-abstract]
    monkeypatch.setattr(row_source, "OUTSIDE", empty)
    with pytest.raises(ProbandError, match="not for 'syllogism'; pip install proband-puzzles adds provers for puzzles"):
        gym_options("reasoning-gym:syllogism")
    assert gym_options("reasoning-gym:family_relationships")["name"] == "family_relationships"


def test_a_task_that_no_prover_settles_is_refused_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "reasoning-gym:futoshiki", "-o", str(tmp_path)]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert len(error) == 1
    assert "futoshiki" in error[0]
    assert all(task in error[0] for task in gym_tasks())
