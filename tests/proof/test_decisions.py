"""Verdicts that depend on the world of a story, or on a gender that is not given."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.proof.conftest import judged, lines


def test_families_in_all_worlds(run: Callable[..., Any], tmp_path: Path) -> None:
    """What only the strict world decides depends on the world; what no world fits is inconsistent."""
    texts = [
        ("Tom's husband is Jim. Jim is the father of Sam.", "What is Jim to Sam?", "father"),
        ("Ned's wife is Fay. Sam is the son of Fay.", "What is Ned to Sam?", "father"),
        ("Ann is the mother of Sam. Sam is the mother of Ann.", "What is Ann to Sam?", "aunt"),
        ("Ann is the mother of Bo. Bo is the father of Cy.", "What is Ann to Cy?", "daughter"),
        ("Ann is the mother of Bo. Bo is the father of Cy.", "What is Ann to Cy?", "aunt"),  # and married again
    ]
    rows = [{"text": text, "question": question, "answer": answer} for text, question, answer in texts]
    run(rows, "--domain", "kinship")
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts[:2]] == ["depends on the world"] * 2
    assert verdicts[0]["by_world"]["any-gender"]["verdict"] == "entailed"
    assert verdicts[0]["by_world"]["strict"]["verdict"] == "inconsistent"
    assert [each["verdict"] for each in verdicts[2:]] == ["inconsistent", "false", "depends on the world"]
    by_world = {world: each["verdict"] for world, each in verdicts[4]["by_world"].items()}
    assert (by_world["strict"], by_world["relaxed"]) == ("false", "ambiguous")


def test_a_gender_that_is_not_told_is_a_cause_of_its_own(run: Callable[..., Any], tmp_path: Path) -> None:
    run(
        [{"text": "Sage is the child of Ann.", "question": "What is Sage to Ann?", "answer": "son"}],
        "--domain",
        "kinship",
    )
    assert lines(tmp_path, "verdicts.jsonl")[0]["verdict"] == "gender open"
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["readings"] == {}  # outside the headline
    assert lines(tmp_path, "findings.jsonl")[0]["claim"] == "the relation follows, the gender is not given"


@pytest.mark.parametrize(
    ("text", "question", "answer", "verdict"),
    [
        ("P is left of Q. Q is left of R. P is left of R.", "What is the relation of P to R?", "left", "depends"),
        ("Paris is north of Lyon. Lyon is south of Lille.", "Is Paris north of Lille?", "no", "depends"),
        ("P is left of Q. Q is left of R.", "What is the relation of P to R?", "left", "entailed"),
        ("P is left of Q. Q is left of R.", "What is the relation of P to R?", "right", "false"),
        ("P is above Q. Q is left of R.", "What is the relation of P to R?", "upper-left", "depends"),
    ],
)
def test_a_verdict_that_is_not_the_same_in_all_worlds_is_none(
    text: str, question: str, answer: str, verdict: str
) -> None:
    found = judged("grid", text, question, answer)
    assert found.verdict.split()[0] == verdict, found.by_world
    assert set(found.by_world) == {"unit", "any-distance", "half-plane"}
    assert found.accused == (verdict == "false")


def test_scales_are_told_apart() -> None:
    text = "Ann is taller than Bo. Bo is heavier than Cy."
    assert judged("sizes", text, "Is Ann taller than Cy?", "yes").verdict == "ambiguous"
    assert judged("sizes", text, "Is Ann taller than Cy?", "cannot be told").verdict == "entailed"
