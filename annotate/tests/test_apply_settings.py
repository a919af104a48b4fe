"""Settings edited after `init`: they take effect at the next start, or are refused with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.results.reading import export_project, status
from proband_annotate.site.context import open_project
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Person, edit, judged, questionnaires, simulate, write_lines
else:
    from visitors import Person, edit, judged, questionnaires, simulate, write_lines

CONTACT = ("--contact", "x@example.org")
STORIES = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples" / "stories.jsonl"


def started(folder: Path) -> list[str]:
    """What a start of the server changes."""
    study = open_project(folder)
    study.database.close()
    return list(study.applied)


def judge(tmp_path: Path, address: str, **people: int) -> Path:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(3, 4))
    init(tmp_path / "study", kind="judge", items=items, settings_given={"database": address, "people": people})
    return tmp_path / "study"


def all_alike(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
    return {"labels": {c["id"]: "yes" for c in unit["body"]["candidates"]}}


def progress(folder: Path) -> tuple[int, int]:
    found = status(folder)["progress"]
    return found["answers"], found["answers_wanted"]


def test_an_overlap_takes_effect_and_nothing_is_lost(tmp_path: Path, address: str) -> None:
    folder = judge(tmp_path, address, overlap=2)
    simulate(folder, all_alike, people=2)
    assert progress(folder) == (6, 6)
    edit(folder, "overlap = 2", "overlap = 3")
    assert started(folder) == ["people.overlap = 3: 3 slots of the crowd added"]
    assert started(folder) == []
    assert progress(folder) == (6, 9)
    simulate(folder, all_alike, people=3)
    assert progress(folder) == (9, 9)
    edit(folder, "overlap = 3", "overlap = 1")
    assert started(folder) == [], "every place is held by an answer"
    assert progress(folder) == (9, 9)


def test_a_lower_overlap_removes_free_slots_only(tmp_path: Path, address: str) -> None:
    folder = judge(tmp_path, address, overlap=5)
    simulate(folder, all_alike, people=2)
    edit(folder, "overlap = 5", "overlap = 3")
    assert started(folder) == ["people.overlap = 3: 6 slots of the crowd removed"]
    assert progress(folder) == (6, 9)


def test_experts_come_later(tmp_path: Path, address: str) -> None:
    folder = judge(tmp_path, address, overlap=2)
    edit(folder, "expert-overlap = 0", "expert-overlap = 2")
    edit(folder, "expert-units = 0", "expert-units = 2")
    assert len(started(folder)) == 1
    assert status(folder)["progress"]["expert_answers_wanted"] == 4
    simulate(folder, all_alike, people=1, panel="expert")
    edit(folder, "expert-units = 2", "expert-units = 1")
    started(folder)
    assert status(folder)["progress"]["expert_answers_wanted"] == 3, "two on one unit, the answered one on the other"


def test_a_finished_review_keeps_its_templates(tmp_path: Path, address: str) -> None:
    folder = tmp_path / "study"
    settings = {"database": address, "people": {"overlap": 2}}
    init(folder, kind="review", items=STORIES, settings_given=settings)

    def good(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        return {"verdicts": [{"story": s["id"], "verdict": "good", "reason": ""} for s in unit["body"]["stories"]]}

    simulate(folder, good, people=2)
    before = export_project(folder, to="suite", out=tmp_path / "bank")["templates"]
    assert before > 0
    edit(folder, "overlap = 2", "overlap = 3")
    assert export_project(folder, to="suite", out=tmp_path / "edited")["templates"] == before
    started(folder)
    assert export_project(folder, to="suite", out=tmp_path / "started")["templates"] == before
    assert status(folder)["paper"]["passed_review"]["here"] == 1.0

    def bad(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        return {"verdicts": [{**each, "verdict": "bad", "reason": "facts"} for each in good(worker, unit)["verdicts"]]}

    simulate(folder, bad, people=3)  # the third reviewer of every story
    assert export_project(folder, to="suite", out=tmp_path / "third")["templates"] == 0


def test_what_is_not_complete_waits_for_the_new_overlap(tmp_path: Path) -> None:
    folder = judge(tmp_path, "sqlite:///answers.db", overlap=2)
    simulate(folder, all_alike, people=1)
    edit(folder, "overlap = 2", "overlap = 3")
    started(folder)
    simulate(folder, all_alike, people=2)  # the first came back, and a second
    assert progress(folder) == (6, 9)
    made = main(["annotate", "aggregate", str(folder), "-o", str(tmp_path / "labels.jsonl")])
    assert made == 0
    rows = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert {row["label"] for row in rows} == {None}, "two of three answers are not complete"


def test_attention_checks_come_later(tmp_path: Path, served: Callable[[Path], Any], person: Any) -> None:
    folder = judge(tmp_path, "sqlite:///answers.db", overlap=2)
    edit(folder, "attention-every = 0", "attention-every = 1")
    someone: Person = person(served(folder).url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="p")
    someone.begin()
    someone.send("answer", **judged())
    assert "A short check" in someone.html
    words = re.search(r"<legend.*?>(.*?)</legend>", someone.html)
    assert words is not None
    assert "choose" in words[1]


def test_a_rate_of_gold_units_takes_effect(tmp_path: Path, served: Callable[[Path], Any], person: Any) -> None:
    rows = questionnaires(6, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    init(tmp_path / "study", kind="judge", items=items, gold=2, settings_given={"quality": {"gold-every": 1}})
    edit(tmp_path / "study", "gold-every = 1", "gold-every = 2")
    someone: Person = person(served(tmp_path / "study").url, new_link(secret_of(tmp_path / "study"), "crowd", name="p"))
    someone.begin()
    for _ in range(3):
        someone.send("answer", **judged("no"))
    assert [line["checks"] for line in status(tmp_path / "study", people=True)["people_lines"]] == ["1/1"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("gold-every = 0", "gold-every = 2", "'quality.gold-every' is 2, but no units with a known answer"),
        ("seed = 0", "seed = 7", "'seed' is 7 in project.toml, but the study was created with 0"),
        ('kind = "judge"', 'kind = "review"', "'kind' is review in project.toml, but the study was created with judge"),
    ],
)
def test_what_cannot_take_effect_is_refused(
    tmp_path: Path, before: str, after: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = judge(tmp_path, "sqlite:///answers.db")
    edit(folder, before, after)
    assert main(["annotate", "serve", str(folder), "--port", "1"]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_gold_units_that_nobody_would_see_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = questionnaires(4, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    words = [
        "annotate",
        "init",
        str(tmp_path / "study"),
        "--kind",
        "judge",
        "--items",
        str(items),
        "--gold",
        "2",
        *CONTACT,
    ]
    assert main(words) == 2
    assert "'quality.gold-every' is 0, so these units would never be shown" in capsys.readouterr().err
