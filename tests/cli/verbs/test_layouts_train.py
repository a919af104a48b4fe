"""`proband train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.suites.kinship.clutrr.items import HEADER, csv_line

NOTE = {"suite": "toy", "net": "line", "seed": 0, "epochs": 3, "kept": 2, "valid": 0.5, "seconds": 1.25}


def test_options_reach_the_pipeline(proband: Any, stage: Any) -> None:
    made = stage("train", {**NOTE, "curve": [{"epoch": 1}], "versions": {"torch": "2"}})
    text = proband("train", "items", "--net", "line", "-o", "net", "-m", "hf:x", "--set", "epochs=3", "--seed", 4)
    assert made.arguments == (Path("items"),)
    options = {"options": {"epochs": "3"}, "model": "hf:x"}
    assert made.given == {"net": "line", "out": Path("net"), "seed": 4, **options}
    assert "torch" not in text
    assert "curve" not in text
    assert [line.split() for line in text.splitlines()][-1] == ["seconds:", "1.25"]


# ---- CLUTRR's own rows, from the file to the answers ---------------------------------------------------------------

ROW = {
    "id": "a",
    "story": "[Ann]'s father is [Ben]. [Ben]'s sister is [Cat].",
    "query": "('Ann', 'Cat')",
    "target": "aunt",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['father', 'sister']",
    "query_edge": "(0, 2)",
    "genders": "Ann:female,Ben:male,Cat:female",
    "task_split": "train",
}
OTHER = ROW | {
    "id": "b",
    "story": "[Ben] is [Ann]'s father. [Cat] is [Ben]'s.",
    "target": "grandfather",
    "edge_types": "['father', 'father']",
    "genders": "Ann:female,Ben:male,Cat:male",
}


def rows(path: Path, *made: dict[str, str]) -> Path:
    path.write_text(HEADER + "".join(map(csv_line, made)), encoding="utf-8")
    return path


def test_from_rows_to_answers(proband: Any, tmp_path: Path) -> None:
    file = rows(tmp_path / "rows.csv", ROW, OTHER, OTHER | {"id": "c", "task_split": "test"})
    proband("build", "kinship", "--data", file, "-o", tmp_path / "items")
    for net, small in (("gat", "width=8"), ("bilstm-mean", "hidden=4")):
        options = ("--set", "epochs=1", "--set", small)
        note = proband.json("train", tmp_path / "items", "--net", net, "-o", tmp_path / net, *options)
        assert (note["net"], note["epochs"]) == (net, 1)
        proband("run", tmp_path / "items", "-m", f"net:{tmp_path / net}", "-o", tmp_path / f"run-{net}")
        assert len((tmp_path / f"run-{net}" / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_a_story_longer_than_the_window_is_named(proband: Any, tmp_path: Path) -> None:
    file = rows(tmp_path / "a.csv", OTHER, ROW | {"story": "so " * 501})
    message = "has a story of 501 words and marks in 'prompt', more than the net's window of 500"
    proband("build", "kinship", "--data", file, "-o", tmp_path / "i")
    for net in ("bilstm-mean",):
        failed = proband.fails("train", tmp_path / "i", "--net", net, "-o", tmp_path / net)
        assert failed == f"proband: {tmp_path / 'i' / 'items.jsonl'} line 2: item 'a' {message}"
