"""Items from data sets, controls, and the same bytes for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.pipeline.build import build


def test_items_of_a_data_set(table: Path, tmp_path: Path) -> None:
    manifest = build("inference", out=tmp_path / "a", data=table)
    made = list(read_items(tmp_path / "a"))
    assert manifest["labels"] == {"entailed": 3, "not entailed": 1}
    assert [item.gold for item in made] == [0, 0, 1, 0]
    assert made[0].facts["clusters"] == made[1].facts["clusters"] != made[2].facts["clusters"]
    assert [item.tags["lemma"] for item in made] == ["none shared", "shared", "none shared", "none shared"]
    assert "the format" not in manifest["licence"]
    assert "none stated" in manifest["licence"]


def test_what_is_not_there_is_said(table: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="this data set has test"):
        build("inference", out=tmp_path / "x", data=table, splits="train")
    with pytest.raises(ProbandError, match="does not exist"):
        build("inference", out=tmp_path / "x", data=tmp_path / "nowhere")


LEVY_HOLT = (
    ("country, borders, France", "Spain,is near,France", "(near.1,near.2) spain::location france::location"),
    ("country, borders, Egypt", "Libya,lies beside,Egypt", "(lie.1,lie.beside.2) libya::location egypt::location"),
    ("drug, treats, Pain", "Aspirin,relieves,the pain", "(relieve.1,relieve.2) aspirin::medicine pain::disease"),
    ("drug, treats, Fever", "Quinine,cures,Fever", "(cure.1,cure.2) quinine::medicine fever::disease"),
)


@pytest.fixture
def typed_set(tmp_path: Path) -> Path:
    """A small set in the files of Levy/Holt's: questions with a type, both arguments, FIGER types."""
    folder = tmp_path / "typed"
    folder.mkdir()
    lines: dict[str, list[str]] = {"test.txt": [], "test_s.txt": [], "test_rels.txt": []}
    for question, answer, relation in LEVY_HOLT:
        first, _, second = (each.strip() for each in answer.split(","))
        filled = f"{first},{question.split(', ')[1]},{second}"
        for left, right, sides in ((question, answer, (filled, answer)), (answer, question, (answer, filled))):
            lines["test.txt"].append(f"{left}\t{right.replace(',', ', ')}\tTrue".lower().replace("true", "True"))
            lines["test_s.txt"].append("\t".join((*sides, "True")))
            lines["test_rels.txt"].append(f"{relation}\t{relation}\tTrue")
    for name, rows in lines.items():
        (folder / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return folder


def test_entities_are_swapped_within_their_types_and_alike_in_both_directions(typed_set: Path, tmp_path: Path) -> None:
    manifest = build("inference", out=tmp_path / "x", data=typed_set, control="all")
    assert manifest["swapped-entities"] == {"keep_both_types": 8, "keep_an_argument": 0}
    kinds = {"spain": "location", "france": "location", "libya": "location", "egypt": "location"}
    by_pair: dict[str, set[tuple[str, ...]]] = {}
    for item in read_items(tmp_path / "x"):
        if item.tags["control"] == "swapped-entities":
            old = [kinds.get(each, "other") for each in item.facts["pair"].lower().split(" | ")[0].split(", ")[::2]]
            new = [kinds.get(each.lower(), "other") for each in item.facts["premise"][::2]]
            assert set(new) == set(old)
            by_pair.setdefault(item.facts["pair"], set()).add(tuple(sorted(map(str.lower, item.facts["premise"][::2]))))
    assert all(len(arguments) == 1 for arguments in by_pair.values())


def test_names_keep_their_capitals(typed_set: Path, tmp_path: Path) -> None:
    build("inference", out=tmp_path / "x", data=typed_set)
    prompts = [item.prompt for item in read_items(tmp_path / "x")]
    assert "Premise: Spain is near France.\nHypothesis: Spain borders France." in prompts[0]
    assert "Premise: Aspirin relieves the pain." in prompts[4]
    assert "treats the pain" in prompts[4]


def test_a_sample_has_whole_pairs_and_grows(typed_set: Path, tmp_path: Path) -> None:
    few = build("inference", out=tmp_path / "few", data=typed_set, pairs=3)
    more = build("inference", out=tmp_path / "more", data=typed_set, pairs=5)
    pairs = [{item.facts["pair"] for item in read_items(tmp_path / name)} for name in ("few", "more")]
    assert (few["items"], more["items"]) == (4, 6)
    assert pairs[0] < pairs[1]
