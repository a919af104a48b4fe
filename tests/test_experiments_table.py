"""The table of the papers' components: its marked commands work, one after the other, on our own lists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from proband.cli import main

ROW = re.compile(r"^\|[^|]*✓ \| `proband ([^`]*)` \|", re.MULTILINE)


def test_every_marked_command_works_on_a_sample(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "experiments" / "README.md").read_text("utf-8")
    commands = [match[1] for match in ROW.finditer(text)]
    assert len(commands) == text.count("✓ |")
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert main(shlex.split(command)) in (0, None), command


def test_every_component_has_a_state_and_what_is_missing_has_no_command(root: Path) -> None:
    text = (root / "experiments" / "README.md").read_text("utf-8").partition("## Verdicts")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    rows = [row for row in rows if row[0] != "component"]
    assert len(rows) > 20
    for _, command, state in rows:
        assert state.startswith(("whole", "sample", "missing", "tests")), state
        assert bool(command) != state.startswith("missing"), state
