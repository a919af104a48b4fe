"""The table of the papers' components: its marked commands work, one after the other, on our own lists."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from proband.cli import main

ROW = re.compile(r"^\|[^|]*✓ \| `proband ([^`]*)` \| (.*) \|$", re.MULTILINE)
TABLE = re.compile(r"\btable `([^`]*)`")


@pytest.mark.nightly
def test_every_marked_command_works_on_a_sample(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "experiments" / "README.md").read_text("utf-8")
    rows = ROW.findall(text)
    assert len(rows) == text.count("✓ |")
    monkeypatch.chdir(tmp_path)
    for command, state in rows:
        words = shlex.split(command)
        assert main(words) in (0, None), command
        for name in TABLE.findall(state):
            assert list(Path(words[-1], "tables").glob(f"*-{name}.csv")), f"{command}: no table {name}"


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


def test_the_counts_of_inference_can_be_derived_from_its_claims(root: Path) -> None:
    folder = root / "experiments" / "inference"
    rows = [line.strip("| ").split(" | ") for line in (folder / "paper" / "claims.md").read_text("utf-8").splitlines()]
    claims = [row for row in rows if len(row) > 9 and "levy" in row[4]]
    later = ("minilm", "mlm", "smollm2")
    own, others = (
        Counter(row[5] for row in claims if any(name in row[4] for name in later) is after) for after in (False, True)
    )
    assert {row[0] for row in claims} == {row[0] for row in rows if len(row) == 7} - {"statement", "---", "**all**"}
    (whole,) = (row for row in rows if row[0] == "**all**")
    assert list(map(int, whole[1:])) == [each[kind] for each in (own, others) for kind in ("holds", "fails", "open")]
    text = " ".join((folder / "README.md").read_text("utf-8").split())
    assert f"{own['holds']} hold, {own['fails']} fail, {own['open']} are open" in text
    assert f"{others['holds']} hold, {others['fails']} fail, {others['open']} is open" in text
    assert f"[{len(claims)} methods and data sets]" in text
