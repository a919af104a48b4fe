"""The table of the papers' components: its marked commands work, one after the other, on our own lists."""

from __future__ import annotations

import importlib
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


LISTED = {  # tables and figures of each paper
    "000": "figure 1, table 1, table 2",
    "001": "figure 3.1, figure 3.2, figure 3.3, figure 3.4, figure 3.5, "
    "table 3.1, table 3.2, table 3.3, table 3.4, table 3.5, table 3.6, table 3.7, table 3.8",
    "002": "figure 1, figure 2",
    "004": "figure 1, figure 2, table 1, table 2, table 3, table 4, table 5",
}


def test_every_table_and_figure_of_the_papers_is_listed(root: Path) -> None:
    read = tomllib.loads((root / "experiments" / "components.toml").read_text("utf-8"))
    for paper in read["paper"]:
        found = set()
        for each in paper["component"]:
            for kind, first, last in re.findall(r"(table|figure)s? (\d[.\d]*)(?: to (\d[.\d]*))?", each["name"]):
                chapter, dot, one = first.rpartition(".")
                numbers = range(int(one), int((last or first).rpartition(".")[2]) + 1)
                found |= {f"{kind} {chapter}{dot}{number}" for number in numbers}
        assert ", ".join(sorted(found)) == LISTED[paper["title"][:3]]


def test_only_a_design_as_large_as_the_papers_is_whole(root: Path) -> None:
    text = (root / "experiments" / "README.md").read_text("utf-8")
    for each in components(root):
        (line,) = (
            line for line in text.splitlines() if line.startswith((f"| {each['name']} |", f"| {each['name']} ✓"))
        )
        state = line.split("|")[3].strip(" []").partition("]")[0]
        expected = "missing" if not each["items"] else "whole" if each["items"] >= each["of"] else "sample"
        assert state == expected, each["name"]


def test_findings_are_the_papers_own_and_counted_once(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(root / "experiments"))
    script = importlib.import_module("components")
    sources = [
        {"file": name, "nets": r"\b(mac|gat-both|gat)\b", "later": ["gat-both"]} for name in ("one.md", "two.md")
    ]
    head = "| finding | source | verdict | p (Holm) | compared |\n| --- | --- | --- | --- | --- |\n"
    first = (
        "| mac: longer is harder | 3.5 | **holds** | 0.01 | x |\n"
        "| gat is best | 3.5 | **open** | – | x (4 of 6 compared) |\n"
    )
    second = (
        "| mac: longer is harder | 3.5 | **open** | 0.2 | x |\n"
        "| gat is best | 3.5 | **fails** | 0.01 | x |\n"
        "| gat-both is best | 3.5 | **open** | 0.3 | x |\n"
        "| mac is above the shortcut | ours | **fails** | 0.01 | x |\n"
    )
    for name, text in (("one.md", first), ("two.md", second)):
        (tmp_path / name).write_text(head + text, encoding="utf-8")
    monkeypatch.setattr(script, "HERE", tmp_path)
    found = script.findings(sources)
    assert list(found) == ["a text network: longer is harder", "GAT is best"]
    assert found["a text network: longer is harder"].own == {
        "holds": 1
    }  # a table adds nothing to what one before it has tested
    assert (found["GAT is best"].own, found["GAT is best"].later) == ({"fails": 1}, {"open": 1})
    found["people solve it"] = script.Finding("3.2")
    assert "(2 tests of 3 findings; 2 were tested)" in script.counts(found, ())
    assert list(script.finding_rows(found, {"people solve it": "no participants"}))[-1] == (
        "| people solve it | 3.2 | not tested; no participants |  |"
    )


PAGES = ("experiments", "benchmarks")
BLOCK = re.compile(r"^ *(?:\$ )?(proband [a-z][^#\n]*)", re.MULTILINE)
INLINE = re.compile(r"`(proband [a-z][^`]*)`")
COMMAND = re.compile(r"(?:^ *|`)(?:proband|python|pytest|make|bash) [a-z]", re.MULTILINE)


def pages_of(root: Path) -> dict[Path, str]:
    return {page: page.read_text("utf-8") for folder in PAGES for page in sorted((root / folder).rglob("*.md"))}


def documented(root: Path) -> list[str]:
    """The commands of the pages with the committed tables; a mention without its arguments is none."""
    own = [each["command"] for each in components(root)]
    found = list(own)
    for text in pages_of(root).values():
        for command in (*BLOCK.findall(text.replace("\\\n", " ")), *INLINE.findall(text)):
            found += [each.strip() for each in command.split("&&")]
    return [command for command in dict.fromkeys(found) if " -o " in command or command in own]


def test_every_documented_command_still_parses(root: Path) -> None:
    """Verb, options and, of a study, its parameters."""
    commands = documented(root)
    assert len(commands) > 80
    for command in commands:
        words = suite_first(shlex.split(command.replace("...", ""))[1:])
        app(words).parse_args(words)
        if words[0] in ("paper", "study"):
            given = dict(pair.split("=", 1) for at, pair in enumerate(words) if at and words[at - 1] == "--set")
            path = root / words[1] if words[1].endswith(".toml") else study_path(words[1])
            read_study(path, given)


def without_command(pages: dict[Path, str]) -> list[Path]:
    """Pages with a table and no command, neither of their own nor on a page above that names the page or its folder."""
    found, beside = [], {page: text for page, text in pages.items() if COMMAND.search(text)}
    for page, text in pages.items():
        if page in beside or not re.search(r"^\| ?-", text, re.MULTILINE):
            continue
        names = (page.name, f"`{page.parent.name}`", f"{page.parent.name}/")
        above = [other for at, other in beside.items() if at.parent in page.parents]
        found += [] if any(name in other for name in names for other in above) else [page]
    return found


def test_every_committed_table_stands_beside_a_command(root: Path) -> None:
    pages = pages_of(root)
    assert not without_command(pages)
    assert len(without_command({page: text for page, text in pages.items() if not COMMAND.search(text)})) > 60


def test_the_counts_of_inference_can_be_derived_from_its_claims(root: Path) -> None:
    folder = root / "experiments" / "inference"
    rows = [line.strip("| ").split(" | ") for line in (folder / "paper" / "claims.md").read_text("utf-8").splitlines()]
    claims = [row for row in rows if len(row) > 9 and "levy" in row[4]]
    later = ("minilm", "mlm", "smollm2")
    own, others = (
        Counter(row[5] for row in claims if any(name in row[4].casefold() for name in later) is after)
        for after in (False, True)
    )
    assert {row[0] for row in claims} == {row[0] for row in rows if len(row) == 7} - {"statement", "---", "**all**"}
    (whole,) = (row for row in rows if row[0] == "**all**")
    assert list(map(int, whole[1:])) == [each[kind] for each in (own, others) for kind in ("holds", "fails", "open")]
    text = " ".join((folder / "README.md").read_text("utf-8").split())
    assert f"{own['holds']} hold, {own['fails']} fail, {own['open']} are open" in text
    assert f"{others['holds']} hold, {others['fails']} fail, {others['open']} is open" in text
    assert f"[{len(claims)} methods and data sets]" in text
