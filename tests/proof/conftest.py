"""Judges, checkers of replies and audits by the command line, for the tests of this folder."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proband.cli import main
from proband.core.types import Fact
from proband.english.domain import Domain
from proband.pipeline.checking import provers_of_suites
from proband.proof.decisions import RowVerdict
from proband.proof.problem import Problem
from proband.proof.replies import CheckedReply, ReplyChecker
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.proof.verdicts import Judge

STORY = (
    "Tom is married to Ann. They have a child called Ben. Ben is married to Cleo. "
    "They have children called Dora and Max."
)


@cache
def judge(domain: str) -> Judge:
    return judge_for(domain, provers_of_suites())


def judged(domain: str, text: str, question: str, answer: str) -> RowVerdict:
    row = AuditRow(file="x", line=1, key="1", cells={}, text=text, question=question, answer=answer)
    return judge(domain).judge(row)


@cache
def checker(domain: str = "kinship") -> ReplyChecker:
    return ReplyChecker(judge_for(domain, provers_of_suites(), templates=True))


def check(reply: str, *, question: str = "What is Ann to Max?", answer: str = "", story: str = STORY) -> CheckedReply:
    row = AuditRow(file="own", line=None, key="1", cells={}, text=story, question=question)
    return checker().check(row, reply, answer)


QUESTION = "What is the relation of the agent {a} to the agent {b}?"


def row(text: str, a: str, b: str, label: str) -> dict[str, str]:
    return {"story": text, "question": QUESTION.format(a=a, b=b), "label": label}


ROWS = [
    row("P is to the left of Q.", "P", "Q", "left"),
    row("P is to the left of Q.", "Q", "P", "left"),
    row("P is above Q. R is right of Q.", "P", "R", "upper-left"),
    row("P is above Q. Q is below R.", "P", "R", "above"),
    row("P is above Q. S is right of R.", "P", "R", "left"),
    row("P is above Q. Q is above P.", "P", "Q", "above"),
    row("P is near Q.", "P", "Q", "left"),
    row("P is left of Q.", "P", "Q", "sideways"),
]
VERDICTS = ["entailed", "false", "entailed", "false", "ambiguous", "inconsistent", "unread", "unread"]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def audit(rows: Any, *words: str, name: str = "rows.jsonl", code: int = 0) -> Any:
        path = tmp_path / name
        if isinstance(rows, bytes):
            path.write_bytes(rows)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(each) + "\n" for each in rows))
        else:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
        if b"relation of the agent" in path.read_bytes() and "--world" not in words:
            words = (*words, "--world", "unit")
        given = main(["audit", str(path), "-o", str(tmp_path / "audit"), *words])
        captured = capsys.readouterr()
        assert given == code, captured.err
        return captured.err.strip() if code else captured.out

    return audit


def lines(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "audit" / name).read_text(encoding="utf-8").splitlines()]


def drawn(domain: Domain, rng: random.Random, facts: int, things: str = "ABCDEF") -> Problem:
    stated = []
    for _ in range(facts):
        a, b = rng.sample(things, 2)
        stated.append(Fact(a, rng.choice(list(domain.inverse)), b, None, rng.random() < 0.15))
    return Problem(tuple(stated), (things[0], things[1]))
