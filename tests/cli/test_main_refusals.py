"""Right or refused: values that make no sense end in one line, before anything is done; nothing of the user's is
overwritten; files are read or named for what they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.models.remote.stub_server import Stub, chat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "toy", "-o", "OUT", "--seed", "1.5"], "'1.5' is not a whole number"),
        (["plan", "ITEMS", "-d", "nan"], "--difference is nan; it must be a number above 0"),
        (["build", "kinship", "-o", "OUT", "--per-k", "many"], "it must be a whole number"),
        (["run", "ITEMS", "-o", "OUT", "-m", "x:y", "--shots", "4"], "an option of a solver: --set shots=..."),
        (
            ["run", "ITEMS", "-o", "OUT", "-m", "x:y", "--dtype", "z"],
            "an option of a kind of model: --model-set dtype=...",
        ),
        (
            ["run", "ITEMS", "-o", "OUT", "-m", "x:y", "--limit", "0"],
            "'limit' is '0'; it must be a whole number, at least 1",
        ),
        (["build", "kinship", "-o", "OUT", "--k", "2..1000000000"], "'k' is '2..1000000000'; the largest is 200"),
        (["run", "ITEMS", "-o", "OUT", "-m", "embedded:mlm", "--device", "banana"], "no device 'banana'"),
        (["run", "ITEMS", "-o", "OUT", "-m", "nosuch:model", "--dry-run"], "nosuch"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(
    proband: Any, items: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    places = {"OUT": str(tmp_path / "out"), "ITEMS": str(items)}
    assert message in proband.fails(*(places.get(word, word) for word in words))
    assert not (tmp_path / "out" / "items.jsonl").exists()


STUDY = """
[study]
title = "t"
[[build]]
name = "b"
suite = "kinship"
options = {k = "2", per-k = 4}
[[run]]
items = ["b"]
models = ["MODEL"]
solver = "SOLVER"
OPTIONS
[report]
tables = ["TABLE"]
"""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"MODEL": "nosuch:x"}, "no model 'nosuch:x': a model is named KIND:NAME with one of hf:..."),
        ({"MODEL": "solver:nobody"}, "no 'solver:nobody' for kinship"),
        (
            {"SOLVER": "generate", "MODEL": "openai:m", "OPTIONS": 'options = {prompt = "broken.jinja"}'},
            "not a template",
        ),
        ({"TABLE": "nosuch"}, "[report] tables: no 'nosuch'; there are"),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_study_that_cannot_work_is_refused_before_its_first_stage(
    proband: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], message: str, dry: list[str]
) -> None:
    from proband import suites

    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jinja").write_text("{% if %}")
    table = suites.suite("kinship").tables[0].name
    text = STUDY
    for name, value in {"MODEL": "solver:symbolic", "SOLVER": "direct", "OPTIONS": "", "TABLE": table, **given}.items():
        text = text.replace(name, value)
    (tmp_path / "study.toml").write_text(text)
    assert message in proband.fails("study", tmp_path / "study.toml", "-o", tmp_path / "out", *dry)
    assert not (tmp_path / "out" / "stages").exists()


def test_export_writes_over_nothing_of_the_users(proband: Any, items: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("precious\n")
    assert "already exists with different content" in proband.fails("export", items, "--to", "csv", "-o", mine)
    assert mine.read_text() == "precious\n"
    proband("export", items, "--to", "csv", "-o", mine, "--force")
    proband("export", items, "--to", "csv", "-o", mine)  # the same bytes again
    assert mine.read_text().startswith("id,suite,split")
    folder = tmp_path / "hub"
    folder.mkdir()
    (folder / "README.md").write_text("precious\n")
    assert "README.md: already exists" in proband.fails("export", items, "--to", "hf", "-o", folder)
    assert [path.name for path in folder.iterdir()] == ["README.md"]


def test_report_writes_over_nothing_of_the_users(proband: Any, items: Path, tmp_path: Path) -> None:
    proband("run", items, "-m", "solver:adder", "-o", tmp_path / "run")
    page = tmp_path / "site" / "index.html"
    page.parent.mkdir()
    page.write_text("precious\n")
    words = ("report", tmp_path / "run", "-o", page.parent)
    assert "index.html: already exists and is not a report" in proband.fails(*words)
    assert page.read_text() == "precious\n"
    proband(*words, "--force")
    assert "precious" not in page.read_text()
    proband(*words)  # its own files are
    assert not (page.parent / ".report.files").exists()


def test_a_run_may_have_a_name_of_its_own(proband: Any, items: Path, tmp_path: Path) -> None:
    proband("run", items, "-m", "solver:adder", "-o", tmp_path / "run", "--label", "ours, tuned")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["label"] == "ours, tuned"
    assert "ours, tuned" in proband("report", tmp_path / "run", "-o", tmp_path / "report")


def test_items_as_editors_leave_them(proband: Any, items: Path, tmp_path: Path) -> None:
    lines = (items / "items.jsonl").read_bytes()
    other = tmp_path / "other"
    shutil.copytree(items, other)
    (other / "items.jsonl").write_bytes(lines[:-1])  # no newline at the end
    assert proband.json("run", other, "-m", "solver:adder", "-o", tmp_path / "a")["answers"] == 8
    (other / "items.jsonl").write_bytes(lines[:-3])
    assert "truncated: the last line is incomplete" in proband.fails(
        "run", other, "-m", "solver:adder", "-o", tmp_path / "b"
    )
    (other / "items.jsonl").write_bytes(b"[" + b",\n".join(lines.splitlines()) + b"]\n")
    assert "line 1: a JSON array; what is wanted is JSON lines" in proband.fails(
        "run", other, "-m", "solver:adder", "-o", tmp_path / "c"
    )


OFFICE = """
name = "office"
sentences = ["{j} is the {word} of {i}."]
[relations]
boss = { word = "superior", inverse = "report" }
report = { inverse = "boss" }
peer = { inverse = "peer" }
[compose.peer]
peer = "peer"
boss = "boss"
"""


def test_an_office_is_not_asked_for_family_relations_and_a_label_has_no_address(proband: Any, tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text(OFFICE, encoding="utf-8")
    items, run = tmp_path / "items", tmp_path / "run"
    proband("build", "kinship", "-o", items, "--rules", tmp_path / "office.toml", "--k", "2", "--per-k", "2")
    with Stub(lambda path, body: chat("superior")) as stub:
        settings = ("--model-set", "scores=no", "--no-cache", "--limit", 1, "-o", run)
        proband("run", items, "-m", f"openai:m@{stub.url}", *settings)
    (body,) = stub.bodies
    asked = " ".join(message["content"] for message in body["messages"])
    assert "relation" in asked
    assert "family" not in asked
    made = proband.json("report", run, "-o", tmp_path / "report")
    assert {line["model"] for line in made["scores"]} == {"m"}
    assert stub.url not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_a_header_with_spaces_is_read(proband: Any, tmp_path: Path) -> None:
    rows = "".join(f"man{n}, woman{n}, male : female\n" for n in range(6))
    (tmp_path / "pairs.csv").write_text(f"head , tail, relation\n{rows}", encoding="utf-8")
    made = proband.json("build", "analogy", "--data", tmp_path / "pairs.csv", "-o", tmp_path / "items")
    assert made["items"] > 0


def test_a_run_is_not_written_among_the_items(proband: Any, tmp_path: Path) -> None:
    items = tmp_path / "items"
    proband("build", "questions", "-o", items)
    said = proband.fails("run", items, "-m", "baseline:random", "-o", items)
    assert said == f"proband: {items}: is a folder of items; choose another one for the run"
    assert not (items / "run.json").exists()
