"""The release: slices rebuilt byte for byte or refused, counted without building, its card computed from the items."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.kinship.generate.release import freeze, load_release
from proband.suites.kinship.world.relations import RELATIONS

SMALL = """name = "mine"
version = 1
seed = 5
canary = "a canary"

[options]
k = "2,3"
test-k = "2,3"
hold-out = "clauses,paraphrases,constructions:of+who+whose"

[[slice]]
split = "train"
per-k = 44

[[slice]]
split = "test"
per-k = 22
measures = "composing"
does-not = "reading"

[[slice]]
split = "test"
slice = "abstention"
k = "3"
per-k = 10
options = { open = 0.5 }
"""


@pytest.fixture(scope="module")
def definition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("release") / "mine.toml"
    path.write_text(SMALL, encoding="utf-8")
    freeze(path)
    return path


def test_it_is_built_verified_and_described(definition: Path, tmp_path: Path) -> None:
    made = proband.build("kinship", out=tmp_path, release=str(definition))
    assert made["counts"] == {"train clean": 88, "test clean": 44, "test abstention": 10}
    assert proband.verify(tmp_path)["problems"] == []
    assert all(item.facts["canary"] == "a canary" for item in read_items(tmp_path))
    card = (tmp_path / "README.md").read_text()
    assert "**test clean** measures composing. It does not measure reading." in card
    for name in ("test clean", "test abstention"):
        row = next(line for line in card.splitlines() if line.startswith(f"| {name} |") and line.count("|") == 7)
        assert re.search(r"\| \d+\.\d \((?:[\w-]+)\) \|", row)  # the strongest shortcut
        held = [line for line in card.splitlines() if line.startswith(f"| {name} | 0.0 | 0.0 | 0.0 |")]
        assert held  # no occasion, construction or clause of it stands in training
    items = list(read_items(tmp_path))
    assert f"the rarest is {rarest(items)} of the stated facts" in card
    assert f"(of the test slices alone: {rarest([each for each in items if each.split == 'test'])})" in card


def rarest(items: list[Item]) -> str:
    stated = Counter(kin for item in items for _, kin, _ in item.facts["edges"])
    kin = min(RELATIONS, key=lambda each: stated[each])
    return f"{kin} {100 * stated[kin] / stated.total():.1f} %"


def test_a_slice_is_the_same_bytes_alone(definition: Path, tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "whole", release=str(definition))
    proband.build("kinship", out=tmp_path / "part", release=str(definition), slice="abstention")
    lines = [(tmp_path / name / "items.jsonl").read_text().splitlines() for name in ("whole", "part")]
    assert lines[1] == [line for line in lines[0] if '"slice":"abstention"' in line]
    known = {kin for item in read_items(tmp_path / "part") for _, kin, _ in item.facts["edges"]}
    card = (tmp_path / "part" / "README.md").read_text()
    assert f"{len(known)} of the 22 relations of the classic world are stated" in card
    with pytest.raises(ProbandError, match="'slice' has no 'hard'; there are clean, abstention"):
        proband.build("kinship", out=tmp_path / "x", release=str(definition), slice="hard")


def test_what_is_not_the_frozen_set_is_refused(definition: Path, tmp_path: Path) -> None:
    altered = tmp_path / "mine.toml"
    text = definition.read_text()
    altered.write_text(re.sub(r'("test clean" = ")\w{4}', r"\g<1>0000", text))
    with pytest.raises(ProbandError, match="'test clean' is not the frozen one"):
        proband.build("kinship", out=tmp_path / "out", release=str(altered))
    altered.write_text(SMALL)
    with pytest.raises(ProbandError, match="is not frozen"):
        proband.build("kinship", out=tmp_path / "out", release=str(altered))
    with pytest.raises(ProbandError, match="fixes what is built"):
        proband.build("kinship", out=tmp_path / "out", release=str(definition), k="3")
    with pytest.raises(ProbandError, match="no release '7'"):
        load_release(7)


def test_every_slice_of_the_release_that_ships_says_what_it_measures() -> None:
    definition = load_release(1)
    assert all(part.measures and part.does_not for part in definition.slice if part.split == "test")
    counts = [c.count for part in definition.slice for c in definition.cells(part, definition.plan(part))]
    assert sum(counts) <= 10_000


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("per-k = 22", "per-k = -4"), "mine.toml: .*must be|mine.toml: .*expected"),
        (('k = "3"', 'k = "0"'), "mine.toml, slice test abstention, k' is '0'; the least is 1"),
        (('k = "3"', 'k = "abc"'), "mine.toml, slice test abstention, k' is 'abc'"),
        (('slice = "abstention"', 'slice = "clean"'), "mine.toml: two slices are called 'test clean'"),
    ],
)
def test_a_bad_definition_is_refused(change: tuple[str, str], says: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL.replace(*change), encoding="utf-8")
    with pytest.raises(ProbandError, match=says):
        freeze(tmp_path / "mine.toml")
