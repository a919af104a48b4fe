"""Exports by the command line: the owner's decisions, the texts, the licence, and authors who must not review."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband.core.files import read_items
from proband_annotate.erasing import erase_by_name

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, known_study, simulate, write_lines
else:
    from visitors import Owner, known_study, simulate, write_lines

CONTACT = ("--contact", "x@example.org")
DATA = Path(__file__).resolve().parents[2] / "src" / "proband_annotate" / "samples"


def proband(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """A command's JSON."""
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# ---- decisions -------------------------------------------------------------------------------------------------------


@pytest.fixture
def settled(tmp_path: Path, capsys: pytest.CaptureFixture[str], served: Any) -> tuple[Path, list[str]]:
    """A study of judgments in which the owner settled seven disputes; gives its folder and the parts."""
    folder, items = tmp_path / "study", DATA / "questionnaires.jsonl"
    made = proband(capsys, "annotate", "init", folder, "--kind", "judge", "--items", items, *CONTACT)
    turn: dict[str, int] = {}

    def labels(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        mine = ("yes", "no")[turn.setdefault(worker, len(turn)) % 2]
        return {"labels": {c["id"]: mine if n < 3 else "no" for n, c in enumerate(unit["body"]["candidates"])}}

    simulate(folder, labels, people=5)
    owner = Owner(served(folder).url, folder, made["password"])
    pattern = r'name="unit" value="(\d+)"><input type="hidden" name="part" value="([^"]+)"'
    disputes = re.findall(pattern, owner.page("/disputes"))[:7]
    for number, part in disputes:
        owner.do("/adjudicate", unit=number, part=part, label="yes", words="The atlas says so.")
    owner.client.close()
    return folder, [part for _, part in disputes]


def test_decisions_reach_every_export_and_the_build(
    settled: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, parts = settled
    proband(capsys, "annotate", "aggregate", folder, "-o", tmp_path / "labels.jsonl")
    labels = {row["item_id"]: row["label"] for row in lines_of(tmp_path / "labels.jsonl")}
    assert {labels[part] for part in parts} == {"yes"}

    made = proband(capsys, "annotate", "export", folder, "--to", "suite", "-o", tmp_path / "gold")
    assert made["decisions"] == 7
    build = ("build", "inference", "--data", tmp_path / "gold", "--format", "judgments", "-o")
    proband(capsys, *build, tmp_path / "items")
    wanted = sum(label in ("yes", "no") for label in labels.values())
    assert sum(1 for _ in read_items(tmp_path / "items")) == wanted
    manifest = json.loads((tmp_path / "items" / "manifest.json").read_text())
    assert manifest["judgments"]["decided_by_owner"] == 7
    (tmp_path / "gold" / "decisions.jsonl").unlink()
    proband(capsys, *build, tmp_path / "without")
    assert sum(1 for _ in read_items(tmp_path / "without")) == wanted - 7

    proband(capsys, "annotate", "export", folder, "--to", "jsonl", "-o", tmp_path / "all.jsonl")
    mine = [row["answer"] for row in lines_of(tmp_path / "all.jsonl") if row["panel"] == "owner"]
    assert sorted(row["part"] for row in mine) == sorted(parts)
    assert mine[0] | {"part": ""} == {"part": "", "label": "yes", "reason": "The atlas says so."}
    proband(capsys, "annotate", "export", folder, "--to", "csv", "-o", tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["panel"] == "owner"]
    assert sorted((row["part"], row["label"], row["detail"]) for row in rows) == [
        (part, "yes", "The atlas says so.") for part in sorted(parts)
    ]
    proband(capsys, "annotate", "export", folder, "--to", "hf", "-o", tmp_path / "hub")
    hub = {row["part"]: row for row in lines_of(tmp_path / "hub" / "data" / "labels.jsonl")}
    assert {part for part, row in hub.items() if row["decided_by"] == "owner"} == set(parts)
    assert {hub[part]["label"] for part in parts} == {"yes"}


def test_a_wrong_decision_is_named(settled: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = settled
    proband(capsys, "annotate", "export", folder, "--to", "suite", "-o", tmp_path / "gold")
    write_lines(tmp_path / "gold" / "decisions.jsonl", [{"item_id": "nobody's", "label": "yes"}])
    words = ["build", "inference", "--data", str(tmp_path / "gold"), "--format", "judgments", "-o", str(tmp_path / "i")]
    assert main(words) == 2
    assert "decisions.jsonl line 1: 'item_id' \"nobody's\" is not a candidate's" in capsys.readouterr().err


def test_csv_and_hf_have_the_texts(settled: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = settled
    texts = {c["id"]: c["text"] for unit in lines_of(folder / "units.jsonl") for c in unit["body"]["candidates"]}
    asked = {unit["id"]: unit["body"]["question"] for unit in lines_of(folder / "units.jsonl")}
    proband(capsys, "annotate", "export", folder, "--to", "csv", "-o", tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        for row in csv.DictReader(file):
            assert row["part_text"] == texts[row["part"]]
            assert row["unit_text"] == asked[row["unit"]]
    proband(capsys, "annotate", "export", folder, "--to", "hf", "-o", tmp_path / "hub")
    for row in lines_of(tmp_path / "hub" / "data" / "labels.jsonl"):
        assert (row["unit_text"], row["part_text"]) == (asked[row["unit"]], texts[row["part"]])
    assert {row["unit"]: row["text"] for row in lines_of(tmp_path / "hub" / "data" / "units.jsonl")} == asked
    assert {row["unit_text"] for row in lines_of(tmp_path / "hub" / "data" / "answers.jsonl")} == set(asked.values())


def test_every_acknowledged_answer_is_exported_with_the_role_of_its_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = {"quality": {"gold-every": 2, "attention-every": 3}, "people": {"overlap": 1}}
    folder, _ = known_study(tmp_path, units=10, trial=1, gold=2, **checks)
    simulate(folder, lambda _, unit: {"labels": {c["id"]: "no" for c in unit["body"]["candidates"]}}, people=1)
    roles = {"main": 7, "trial": 1, "gold": 2, "attention": 2}
    made = proband(capsys, "annotate", "export", folder, "--to", "jsonl", "-o", tmp_path / "all.jsonl")
    rows = lines_of(tmp_path / "all.jsonl")
    assert made["answers"] == len(rows) == sum(roles.values())
    assert Counter(row["role"] for row in rows) == roles
    assert {(row["role"] == "main", row["counts"]) for row in rows} == {(True, True), (False, False)}
    assert {row["why_not"] for row in rows} == {"", "practice", "check"}
    proband(capsys, "annotate", "export", folder, "--to", "csv", "-o", tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        labels = list(csv.DictReader(file))
    assert Counter(row["role"] for row in labels) == {**{role: 4 * n for role, n in roles.items()}, "attention": 2}
    assert [row["label"] for row in labels if row["role"] == "attention"] == [
        row["answer"]["choice"] for row in rows if row["role"] == "attention"
    ]
    assert proband(capsys, "annotate", "export", folder, "--to", "hf", "-o", tmp_path / "hub")["answers"] == 7


# ---- stories ---------------------------------------------------------------------------------------------------------


def test_stories_that_may_not_be_published_are_not_in_the_data_set_of_their_reviews(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The authors agreed to nothing, the reviewers to CC-BY-4.0."""
    more = ("--set", "people.overlap=1", "--contact", "x@example.org")
    init = ("annotate", "init", tmp_path / "write", "--kind", "write", "--items", DATA / "write.jsonl")
    proband(capsys, *init, *more, "--set", "licence=")
    simulate(tmp_path / "write", lambda worker, unit: {"story": "A secret story.", "sure": True}, people=4)
    proband(capsys, "annotate", "init", tmp_path / "review", "--kind", "review", "--items", tmp_path / "write", *more)

    def verdicts(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        return {"verdicts": [{"story": s["id"], "verdict": "good", "reason": ""} for s in unit["body"]["stories"]]}

    simulate(tmp_path / "review", verdicts, people=["rea", "ron"])
    made = proband(capsys, "annotate", "export", tmp_path / "review", "--to", "hf", "-o", tmp_path / "hub")
    assert made["answers"] > 0
    proband(capsys, "annotate", "export", tmp_path / "review", "--to", "jsonl", "-o", tmp_path / "before.jsonl")
    for number in range(4):
        assert erase_by_name(tmp_path / "write", f"crowd {number}")["stories"]
    proband(capsys, "annotate", "export", tmp_path / "review", "--to", "jsonl", "-o", tmp_path / "after.jsonl")
    before, after = (lines_of(tmp_path / f"{name}.jsonl") for name in ("before", "after"))
    assert [row["id"] for row in after] == [row["id"] for row in before], "reviews stay, without the stories"
    assert {(row["role"], row["counts"], row["why_not"]) for row in after} == {("erased", False, "stories erased")}
    assert not [path for path in (tmp_path / "hub").rglob("*.*") if "secret story" in path.read_text()]
