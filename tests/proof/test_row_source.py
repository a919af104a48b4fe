"""Rows that Reasoning Gym makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.proof.conftest import lines

from proband.cli import main


def test_reasoning_gym_turns_in_laws_round(tmp_path: Path) -> None:
    pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed (the extra audit)")
    source = "reasoning-gym:family_relationships?size=200&seed=0"
    assert main(["audit", source, "-o", str(tmp_path / "audit")]) == 0
    verdicts = lines(tmp_path, "verdicts.jsonl")
    wrong = [each for each in verdicts if each["verdict"] != "entailed"]
    assert wrong
    assert all(each["label"].endswith("-in-law") and each["reversed"] for each in wrong)
    assert all(not each["label"].endswith("-in-law") for each in verdicts if each["verdict"] == "entailed")
