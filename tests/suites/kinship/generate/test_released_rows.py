"""CLUTRR's rows as items: what is kept, what the audit says of them, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import Fingerprint, read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.pipeline.build import build
from proband.pipeline.checking import audit
from proband.pipeline.frames import run
from proband.suites.kinship.clutrr.items import HEADER, csv_line
from proband.suites.kinship.clutrr.rows import read_rows
from proband.suites.kinship.generate.released_rows import clutrr_files
from proband.suites.kinship.paper.tables import RELEASES, published

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
    "task_split": "test",
}
WRONG = ROW | {"target": "mother"}
OPEN = ROW | {
    "id": "c",
    "story": "[Ann]'s son is [Ben]. [Ben]'s aunt is [Cat].",
    "edge_types": "['son', 'aunt']",
    "target": "sister",
}


def built(tmp_path: Path, *rows: dict[str, str], **options: Any) -> Any:
    (tmp_path / "rows.csv").write_text(HEADER + "".join(map(csv_line, rows)))
    note = build("kinship", out=tmp_path / "items", data=tmp_path / "rows.csv", **options)
    return note, list(read_items(tmp_path / "items"))


def test_labels_stand_and_are_judged(tmp_path: Path) -> None:
    note, items = built(tmp_path, ROW, WRONG, OPEN)
    assert [item.tags["verdict"] for item in items] == ["entailed", "false", "ambiguous"]
    assert [item.tags["target"] for item in items] == ["aunt", "mother", "sister"]
    assert all(item.choices[item.gold] == item.tags["target"] for item in items)
    assert [item.id for item in items] == ["a", "rows.csv:3", "c"]  # the second id was taken
    assert note["verdicts"] == {"entailed": 1, "false": 1, "ambiguous": 1}
    assert items[0].prompt == "Ann's father is Ben. Ben's sister is Cat.\nCat is the ___ of Ann."
    assert items[0].facts["clusters"] == items[1].facts["clusters"] == ["parent.sibling"]


BAD = [
    ({"edge_types": "['father', 'cousin']"}, "column 'edge_types' 'cousin' is not one of the 22 relations"),
    ({"target": "cousin"}, "column 'target' 'cousin' is not one of the 22 relations"),
    ({"story_edges": "[]", "edge_types": "[]"}, "column 'story_edges' has no facts"),
    ({"story_edges": ""}, "column 'story_edges' is empty"),
    ({"query_edge": ""}, "column 'query_edge' is empty"),
    ({"story": " "}, "column 'story' is empty; use --form facts for the typed facts"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_bad_row_ends_the_build_in_one_line(
    change: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = ROW | change
    (tmp_path / "rows.csv").write_text(HEADER + "".join(map(csv_line, [ROW, ROW, bad, ROW, bad])))
    words = ["build", "kinship", "--data", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "items")]
    assert main(words) == 2
    assert capsys.readouterr() == ("", f"proband: {tmp_path / 'rows.csv'} line 4: {message}\n")
    assert not (tmp_path / "items" / "items.jsonl").exists()


def test_rows_without_a_story_have_facts(tmp_path: Path) -> None:
    (item,) = built(tmp_path, ROW | {"story": ""}, form="graph")[1]
    assert item.prompt.startswith("(Ann, father, Ben)")


def test_forms_and_questions(tmp_path: Path) -> None:
    (item,) = built(tmp_path, ROW, form="graph", certify="none")[1]
    assert item.prompt == "(Ann, father, Ben)\n(Ben, sister, Cat)\nCat is the ___ of Ann."
    assert "verdict" not in item.tags
    (item,) = built(tmp_path, ROW, force=True, form="facts", question="yes-no")[1]
    assert item.prompt.startswith("Ben is the father of Ann. Cat is the sister of Ben.\nIs Cat the ")


def test_the_hubs_copy_numbers_its_targets(tmp_path: Path) -> None:
    row = {**ROW, "target": "0", "target_text": "aunt"}
    (tmp_path / "hub.csv").write_text(",".join(row) + "\n" + ",".join(f'"{value}"' for value in row.values()) + "\n")
    build("kinship", out=tmp_path / "items", data=tmp_path / "hub.csv")
    (item,) = read_items(tmp_path / "items")
    assert item.gold is not None
    assert item.choices[item.gold] == "aunt"


def test_what_does_not_apply_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="'per-k' does not apply to --data"):
        built(tmp_path, ROW, per_k=5)
    with pytest.raises(ProbandError, match="contains items"):
        built(tmp_path, ROW)
        build("kinship", out=tmp_path / "again", data=tmp_path / "items")


@pytest.mark.data
def test_a_perfect_reasoner_is_right_on_every_label_that_follows(tmp_path: Path, data: Path) -> None:
    file = data / "clutrr" / "data_089907f8" / "1.4_test.csv.gz"
    build("kinship", out=tmp_path / "items", data=file)
    run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "run", cache=False)
    right: dict[Any, list[Any]] = {}
    for item, answer in zip(read_items(tmp_path / "items"), read_answers(tmp_path / "run" / "answers.jsonl")):
        right.setdefault(item.tags["verdict"], []).append(accuracy_of(item, answer))
    assert set(right["entailed"]) == {1.0}
    assert set(right["false"]) == {0.0}


@pytest.mark.data
def test_the_verdicts_of_a_build_are_those_of_the_audit(data: Path, tmp_path: Path) -> None:
    path = data / "clutrr" / "data_7c5b0e70" / "1.3_test.csv.gz"
    build("kinship", out=tmp_path / "items", data=path)
    audit(path, out=tmp_path / "audit")
    audited = [json.loads(line)["verdict"] for line in (tmp_path / "audit" / "verdicts.jsonl").read_text().splitlines()]
    assert [item.tags["verdict"] for item in read_items(tmp_path / "items")] == audited
    assert {"entailed", "ambiguous", "false"} <= set(audited)


@pytest.mark.data
def test_a_release_is_known_by_its_content(data: Path) -> None:
    """The fingerprint of the rows, whatever the files are called; another row makes it another."""
    found = Fingerprint()
    rows = [row for source in clutrr_files(data / "clutrr" / "data_7c5b0e70") for row in read_rows(source.path)]
    for row in rows:
        found.add(row.story, row.query, row.target, row.task, row.k, row.split)
    assert found.hex() == RELEASES["data_7c5b0e70"][1]
    beside = [figure for figure in published() if found.hex() in figure.on.fingerprints]
    assert beside
    assert all(figure.model.endswith("(trained on clean)") for figure in beside)
    stories = Counter(row.task for row in rows if row.split == "test")
    assert stories == {figure.group["task"]: figure.on.questions for figure in beside}


def test_sets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="'question sets' does not apply to --data"):
        built(tmp_path, ROW, question="sets")
