"""Items from data sets, controls, and the same bytes for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.pipeline.build import build

ROWS = (
    ("drug, treats, headaches", "aspirin, eliminates, headaches", "y"),
    ("drug, treats, headaches", "opium, treated, headache", "y"),
    ("country, exports, coffee", "coffee, was banned in, iran", "n"),
    ("bird, lives in, forests", "the owl, is found in, forests", "y"),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_items_of_a_data_set(table: Path, tmp_path: Path) -> None:
    manifest = build("inference", out=tmp_path / "a", data=table)
    made = list(read_items(tmp_path / "a"))
    assert manifest["labels"] == {"entailed": 3, "not entailed": 1}
    assert [item.gold for item in made] == [0, 0, 1, 0]
    assert made[0].facts["clusters"] == made[1].facts["clusters"] != made[2].facts["clusters"]
    assert [item.tags["lemma"] for item in made] == ["none shared", "shared", "none shared", "none shared"]
    assert "the format" not in manifest["licence"]
    assert "none stated" in manifest["licence"]


def test_controls_take_one_thing_away(table: Path, tmp_path: Path) -> None:
    plain = build("inference", out=tmp_path / "plain", data=table)
    items = {}
    for control in ("hypothesis-only", "random-premise", "swapped-entities"):
        build("inference", out=tmp_path / control, data=table, control=control)
        build("inference", out=tmp_path / "again", force=True, data=table, control=control)
        assert (tmp_path / control / "items.jsonl").read_bytes() == (tmp_path / "again" / "items.jsonl").read_bytes()
        items[control] = list(read_items(tmp_path / control))
    originals = list(read_items(tmp_path / "plain"))
    assert plain["items"] == 4
    for n, item in enumerate(originals):
        bare, random, other = (items[control][n] for control in items)
        assert bare.gold == random.gold == other.gold == item.gold
        assert bare.facts["premise"] == ["", "", ""]
        assert "Premise" not in bare.prompt
        assert bare.facts["hypothesis"] == random.facts["hypothesis"] == item.facts["hypothesis"]
        assert random.facts["premise"][1] != item.facts["premise"][1]
        assert random.facts["premise"][::2] == item.facts["premise"][::2]
        assert other.facts["premise"][1] == item.facts["premise"][1]
        assert set(other.facts["premise"][::2]) == set(other.facts["hypothesis"][::2])
        assert other.facts["premise"][0] != item.facts["premise"][0]


def test_pairs_that_share_a_lemma_can_be_left_out(table: Path, tmp_path: Path) -> None:
    assert build("inference", out=tmp_path / "x", data=table, new_lemmas=True)["items"] == 3


def test_what_is_not_there_is_said(table: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="this data set has test"):
        build("inference", out=tmp_path / "x", data=table, splits="train")
    with pytest.raises(ProbandError, match="does not exist"):
        build("inference", out=tmp_path / "x", data=tmp_path / "nowhere")
