"""The table of the papers' components: its marked commands work, one after the other, on our own lists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proband.cli import main
from proband.cli.main import app, suite_first
from proband.pipeline.studies.study_file import read_study
from proband.pipeline.study import study_path

ROW = re.compile(r"^\|[^|]*✓ \| `proband ([^`]*)` \| [^|]* \| ([^|]*) \|", re.MULTILINE)
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


def components(root: Path) -> list[dict[str, Any]]:
    read = tomllib.loads((root / "experiments" / "components.toml").read_text("utf-8"))
    return [component for paper in read["paper"] for component in paper["component"]]


def test_the_page_is_what_the_script_writes(root: Path) -> None:
    script = root / "experiments" / "components.py"
    assert subprocess.run([sys.executable, str(script), "--check"], check=False).returncode == 0


def test_only_a_design_as_large_as_the_papers_is_whole(root: Path) -> None:
    text = (root / "experiments" / "README.md").read_text("utf-8")
    for each in components(root):
        (line,) = (
            line for line in text.splitlines() if line.startswith((f"| {each['name']} |", f"| {each['name']} ✓"))
        )
        state = line.split("|")[3].strip(" []").partition("]")[0]
        expected = "missing" if not each["items"] else "whole" if each["items"] >= each["of"] else "sample"
        assert state == expected, each["name"]


def documented(root: Path) -> list[str]:
    """The commands of the page, and those that stand with the committed tables."""
    pages = [root / "experiments" / "README.md", *(root / "experiments").glob("*/**/*.md")]
    found = [each["command"] for each in components(root)]
    for page in pages:
        found += re.findall(r"^    (proband [^#\n\\]*)$", page.read_text("utf-8"), re.MULTILINE)
    return [command for command in dict.fromkeys(found) if command.split()[1] not in ("annotate", "inference")]


def test_every_documented_command_still_parses(root: Path) -> None:
    """Verb, options and, of a study, its parameters."""
    commands = documented(root)
    assert len(commands) > 25
    for command in commands:
        words = suite_first(shlex.split(command)[1:])
        app(words).parse_args(words)
        if words[0] in ("paper", "study"):
            given = dict(pair.split("=", 1) for at, pair in enumerate(words) if at and words[at - 1] == "--set")
            path = root / words[1] if words[1].endswith(".toml") else study_path(words[1])
            read_study(path, given)


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
