"""Variations of somebody else's stories, and of stories that state a fact twice: whatever is made verifies."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from proband.cli import main
from proband.core.files import read_items
from proband.suites.kinship.reading.reader import mismatch_with_facts
from proband.suites.kinship.world.rules import load

ALL = "rename,reword,reorder,noise,plain,inverse,counterfactual,twin"
ROWS = 40


def test_a_fact_may_be_stated_twice_and_altered_nowhere() -> None:
    people = {"names": ["Ben", "Ann", "Tom"], "genders": ["male", "female", "male"], "rules": load("sound")}
    edges = [(0, "sister", 1), (1, "father", 2), (1, "brother", 0)]
    story = "Ben rang his sister Ann. Ann met her father Tom. Ann thanked her brother Ben."
    assert mismatch_with_facts(story, edges=edges, **people) is None  # type: ignore[arg-type]
    for word, other in (("sister", "aunt"), ("brother", "nephew"), ("father", "uncle")):
        altered = mismatch_with_facts(story.replace(word, other), edges=edges, **people)  # type: ignore[arg-type]
        assert altered is not None, other


@pytest.mark.data
@pytest.mark.parametrize("file", ["data_089907f8/1.6_test.csv.gz", "data_523348e6/3.2_test.csv.gz"])
def test_released_rows(data: Path, tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Clean rows whose chains revisit people, and rows with noise facts whose relation only the text states."""
    source = data / "clutrr" / file
    with gzip.open(source, "rb") as rows, gzip.open(tmp_path / source.name, "wb") as some:
        some.write(b"".join(line for _, line in zip(range(ROWS + 1), rows, strict=False)))
    items, varied = tmp_path / "items", tmp_path / "varied"
    assert main(["build", "kinship", "--data", str(tmp_path / source.name), "-o", str(items)]) == 0
    assert main(["vary", str(items), "-o", str(varied), "--as", ALL.replace(",noise", "")]) == 0
    capsys.readouterr()
    assert main(["verify", str(varied), "--allow-uncertified"]) == 0, capsys.readouterr().err
    made = json.loads((varied / "manifest.json").read_text())["variations"]
    assert made["twin"]["items"] > 5
    for kind in ("reorder", "inverse", "counterfactual"):  # they would change the crowd's text
        assert (made[kind]["items"], made[kind]["not_varied"]["its text is not ours"] > 5) == (0, True)
    for item in read_items(varied / "items.jsonl"):
        if item.tags["variation"] != "original":
            assert item.facts["certificate"] == "entailed"
            noise = [edge for edge, _ in item.facts["noise"]]
            assert all(edge in item.facts["edges"] and edge[1] is not None for edge in noise)


@pytest.mark.data
def test_rows_that_a_release_repeats_are_counted(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = data / "clutrr/data_089907f8/1.2_test.csv.gz"
    assert main(["build", "kinship", "--data", str(source), "-o", str(tmp_path)]) == 0
    lines = (tmp_path / "items.jsonl").read_text().splitlines()
    again = json.loads(lines[0]) | {"id": "again"}
    (tmp_path / "items.jsonl").write_text("\n".join([*lines, json.dumps(again)]) + "\n")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["sha256"]["items.jsonl"] = hashlib.sha256((tmp_path / "items.jsonl").read_bytes()).hexdigest()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert main(["verify", str(tmp_path), "--allow-uncertified"]) == 0
    assert "repeats a prompt" in capsys.readouterr().out
    assert main(["verify", str(tmp_path)]) != 0
