"""From `init` to the suite's own result, for every kind of task, by the command line."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband.core.files import read_items
from proband.core.types import Item
from proband_annotate.results.reading import collected

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
        questionnaires,
        write_lines,
    )
else:
    from visitors import Come, finished, joined, questionnaires, write_lines

if TYPE_CHECKING:
    from annotate.tests.visitors import simulate, write_lines
else:
    from visitors import simulate, write_lines

DATA = Path(__file__).resolve().parents[2] / "src" / "proband" / "data"
SAMPLES = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"


def proband(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """A command's JSON."""
    if words[:2] == ("annotate", "init"):
        words = (*words, "--contact", "x@example.org")
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def _frames(item: Item) -> list[str]:
    """Which frames tell a story."""
    return [sentence[0] for scene in item.facts["telling"]["scenes"] for sentence in scene[2]]


@pytest.mark.nightly
def test_stories_become_templates_of_new_stories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "chain.toml"
    profile.write_text("facts-along-chain = true\n")
    size = ("--k", "2,3", "--per-k", 8, "--seed", 2)
    proband(capsys, "build", "kinship", "-o", tmp_path / "items", *size, "--profile", profile)
    texts = {item.id: item.prompt.rpartition("\n")[0] for item in read_items(tmp_path / "items")}
    write, review = tmp_path / "write", tmp_path / "review"
    overlap = ("--set", "people.overlap=1")
    proband(capsys, "annotate", "init", write, "--kind", "write", "--items", tmp_path / "items", *overlap)
    simulate(write, lambda worker, unit: {"story": texts[unit["name"]], "sure": False}, people=4)
    written = proband(capsys, "annotate", "status", write)
    assert written["progress"]["answers"] == 16
    assert [written["paper"][f"paraphrases, k = {k}"]["here"] for k in (2, 3)] == [8, 8]
    words = {word for text in texts.values() for word in re.findall(r"[\w'-]+", text.casefold())}
    assert written["paper"]["unique_words"] == {"here": len(words), "published": 3797, "unit": "count"}

    proband(capsys, "annotate", "init", review, "--kind", "review", "--items", write, "--set", "people.overlap=2")
    assert (review / "secret").read_text() == (write / "secret").read_text()
    bad: set[str] = set()

    def verdicts(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        made = []
        for story in unit["body"]["stories"]:
            assert worker != story["author"], "somebody reviews their own story"
            rejected = story["text"].startswith(("A", "J"))
            if rejected:
                bad.add(story["text"])
            made.append({"story": story["id"], "verdict": "bad" if rejected else "good", "reason": "facts" * rejected})
        return {"verdicts": made}

    simulate(review, verdicts, people=12)  # eight of them wrote nothing
    figures = proband(capsys, "annotate", "status", review)["paper"]
    kept = 16 - len(bad)
    assert figures["passed_review"]["n"] == 16
    assert figures["passed_review"]["here"] == pytest.approx(kept / 16)
    made = proband(capsys, "annotate", "export", review, "--to", "suite", "-o", tmp_path / "bank")
    assert made["templates"] == kept
    with open(tmp_path / "bank" / "amt_train.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["template"].count("ENT_") >= len(row["gender_comb"].split("-")) for row in rows)

    items = tmp_path / "told"
    proband(capsys, "build", "kinship", "-o", items, "--k", "2", "--per-k", 20, "--bank", f"clutrr:{tmp_path / 'bank'}")
    used = {name for item in read_items(items) for name in _frames(item) if name.startswith("clutrr.")}
    assert used, "no story of the crowd is told"


def test_nobody_reviews_for_a_clause_they_wrote_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two units of one clause by different people: neither may review the other's."""
    rows = [json.loads(line) for line in (SAMPLES / "stories.jsonl").read_text().splitlines()]
    first = {**rows[0], "id": "one", "author": "ann"}
    second = {**rows[0], "id": "two", "author": "ben", "text": rows[0]["text"] + " They laughed."}
    items = write_lines(tmp_path / "stories.jsonl", [first, second])
    proband(capsys, "annotate", "init", tmp_path / "review", "--kind", "review", "--items", items)
    units = [json.loads(line) for line in (tmp_path / "review" / "units.jsonl").read_text().splitlines()]
    assert [set(unit["excluded"]) for unit in units] == [{"ann", "ben"}] * len(units)


def test_judgments_become_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = SAMPLES / "questionnaires.jsonl"
    study = tmp_path / "study"
    experts = ("--set", "people.expert-overlap=1")
    proband(capsys, "annotate", "init", study, "--kind", "judge", "--items", items, *experts)
    truth = random.Random(0)
    gold: dict[str, str] = {}
    for unit in (json.loads(line) for line in items.read_text().splitlines()):
        for candidate in unit["candidates"]:
            gold[candidate["id"]] = truth.choice(["yes", "no", "no", "nonsense"])
    rng = random.Random(1)

    def labels(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        wanted = {c["id"]: gold[c["id"]] for c in unit["body"]["candidates"]}
        return {"labels": {c: label if rng.random() < 0.95 else "no" for c, label in wanted.items()}}

    simulate(study, labels, people=5)
    simulate(
        study,
        lambda w, u: {"labels": {c["id"]: gold[c["id"]] for c in u["body"]["candidates"]}},
        people=1,
        panel="expert",
    )
    status = proband(capsys, "annotate", "status", study)
    assert status["progress"]["answers"] == 20
    assert status["progress"]["expert_answers"] == 4
    assert status["paper"]["precision"]["here"] == 1.0
    assert status["agreement"]["krippendorff_alpha"]["value"] > 0.7
    summary = proband(capsys, "annotate", "aggregate", study, "-o", tmp_path / "labels.jsonl")
    assert sum(summary["labels"].values()) == len(gold)
    for rule in ("majority", "dawid-skene", "mace"):
        assert proband(capsys, "annotate", "aggregate", study, "--rule", rule)["judgments"] == 5 * len(gold)
    made = proband(capsys, "annotate", "export", study, "--to", "suite", "-o", tmp_path / "gold")
    assert made["judgments"] == 5 * len(gold)
    built = tmp_path / "items"
    proband(capsys, "build", "inference", "--data", tmp_path / "gold", "--format", "judgments", "-o", built)
    lines = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    decided = {line["item_id"]: line["label"] for line in lines}
    assert sum(1 for _ in read_items(built)) == sum(label in ("yes", "no") for label in decided.values())


def test_explanations_become_cloze_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open(DATA / "script" / "corpus-cooking.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    said: dict[str, list[str]] = {}
    for row in rows:
        said.setdefault(row["abstract"], []).append(row["concrete"])
    captions = write_lines(
        tmp_path / "captions.jsonl",
        [{"id": f"c{n}", "caption": caption} for n, (caption, texts) in enumerate(said.items()) if len(texts) >= 3][
            :25
        ],
    )
    study = tmp_path / "study"
    proband(capsys, "annotate", "init", study, "--kind", "simplify", "--items", captions)
    given: dict[str, int] = {}

    def steps(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        caption = unit["body"]["caption"]
        given[caption] = given.get(caption, -1) + 1
        return {"steps": [f"{step.strip()}." for step in said[caption][given[caption]].split(".") if step.strip()][:5]}

    simulate(study, steps, people=4)
    made = proband(capsys, "annotate", "export", study, "--to", "suite", "-o", tmp_path / "pairs")
    assert made["pairs"] == 3 * len(given)
    built = proband(capsys, "build", "script", "--data", tmp_path / "pairs" / "pairs.jsonl", "-o", tmp_path / "items")
    items = list(read_items(tmp_path / "items"))
    assert items
    assert built
    assert {tuple(item.facts["abstract"]) for item in items if item.facts["blanks"]}


def test_puzzles_solved_become_rows_of_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items"
    proband(capsys, "build", "kinship", "-o", items, "--k", "2,3", "--per-k", 10, "--seed", 5)
    gold = {item.id: item.choices[item.gold] for item in read_items(items)}
    study = tmp_path / "study"
    more = ("--set", "people.expert-overlap=1", "--set", "people.units-per-person=0")
    proband(capsys, "annotate", "init", study, "--kind", "solve", "--items", items, *more)
    rng, right = random.Random(3), []

    def crowd(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        correct = rng.random() < 0.6
        right.append(correct)
        other = next(c for c in unit["body"]["choices"] if c != gold[unit["name"]])
        return {"choice": gold[unit["name"]] if correct else other, "difficulty": 2, "overtime": False}

    simulate(study, crowd, people=6)
    simulate(
        study, lambda w, u: {"choice": gold[u["name"]], "difficulty": 4, "overtime": False}, people=1, panel="expert"
    )
    table = proband(capsys, "annotate", "status", study)["paper"]
    assert [table[f"unlimited, k = {k}"]["here"] for k in (2, 3)] == [1.0, 1.0]
    assert [table[f"difficulty, k = {k}"]["here"] for k in (2, 3)] == [2.5, 2.5]
    assert [table[f"time_limited, k = {k}"]["published"] for k in (2, 3)] == [0.848, 0.773]
    proband(capsys, "annotate", "export", study, "--to", "suite", "-o", tmp_path / "solved")
    proband(capsys, "report", tmp_path / "solved" / "runs", "-o", tmp_path / "report")
    with open(tmp_path / "report" / "tables" / "kinship-by_task.csv", newline="") as file:
        rows = {row["model"]: row for row in csv.DictReader(file) if row["kind"] == "ours"}
    assert len(right) == 60
    assert float(rows["people (time limited)"]["mean"]) == pytest.approx(sum(right) / 60)
    assert rows["people (time limited)"]["runs"] == "3"
    assert float(rows["people (unlimited time)"]["mean"]) == 1.0


def test_units_are_added_while_the_server_runs(
    study: Any, person: Come, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, server, _ = study(people={"overlap": 1})
    someone = joined(server, folder, person, "ann")
    more = write_lines(tmp_path / "more.jsonl", questionnaires(5, 4))  # three of them are there already
    for added in (2, 0):  # a second time changes nothing
        assert main(["annotate", "add", str(folder), "--items", str(more), "--json"]) == 0
        assert f'"added":{added}' in capsys.readouterr().out.replace(" ", "")
    finished(someone)
    found = collected(folder)
    assert sorted(each.unit for each in found.answers) == ["q0", "q1", "q2", "q3", "q4"]
    assert len((folder / "units.jsonl").read_text().splitlines()) == 5
    other = questionnaires(1, 3)
    write_lines(tmp_path / "other.jsonl", other)
    assert main(["annotate", "add", str(folder), "--items", str(tmp_path / "other.jsonl")]) != 0
    assert "'q0' is in the study with another text" in capsys.readouterr().err
