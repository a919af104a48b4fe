"""Nobody reviews their own texts."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from proband.cli import main
from proband_annotate.human_task import read_units
from proband_annotate.project import secret_of
from proband_annotate.results.reading import collected
from proband_annotate.store.migrate import open_study
from proband_annotate.store.schema import exclusions

if TYPE_CHECKING:
    from annotate.tests.visitors import simulate
else:
    from visitors import simulate


DATA = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"


def proband(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """A command's JSON."""
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Stories by four people, exported as the guide says."""
    folder = tmp_path / "write"
    more = ("--set", "people.overlap=1", "--contact", "x@example.org")
    proband(capsys, "annotate", "init", folder, "--kind", "write", "--items", DATA / "write.jsonl", *more)
    simulate(folder, lambda worker, unit: {"story": " ".join(unit["body"]["facts"]), "sure": True}, people=4)
    return folder


def test_authors_do_not_review_themselves_when_the_next_step_is_followed(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = proband(capsys, "annotate", "export", "write", "--to", "suite", "-o", "collected")
    assert made["next"] == "proband annotate init review --kind review --items collected"
    proband(capsys, *made["next"].split()[1:], "--contact", "x@example.org")
    assert secret_of(tmp_path / "review") == secret_of(written)

    def verdicts(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        assert worker not in {story["author"] for story in unit["body"]["stories"]}, "somebody reviews their own story"
        return {"verdicts": [{"story": s["id"], "verdict": "good", "reason": ""} for s in unit["body"]["stories"]]}

    simulate(tmp_path / "review", verdicts, people=8)
    bank = proband(capsys, "annotate", "export", "review", "--to", "suite", "-o", "bank")
    assert bank["templates"] > 0
    proband(capsys, "build", "kinship", "-o", "told", "--k", "2", "--per-k", 4, "--bank", "clutrr:bank")
    licence = json.loads((tmp_path / "told" / "manifest.json").read_text())["licence"]
    assert licence.startswith("CC-BY-4.0 (the templates in bank")


def test_stories_without_their_secret_are_refused(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proband(capsys, "annotate", "export", written, "--to", "suite", "-o", tmp_path / "collected")
    shutil.copytree(tmp_path / "collected", tmp_path / "elsewhere" / "far" / "away")
    init = ["annotate", "init", str(tmp_path / "review"), "--kind", "review", "--contact", "x@example.org", "--items"]
    for items in (tmp_path / "elsewhere" / "far" / "away", tmp_path / "elsewhere" / "far" / "away" / "stories.jsonl"):
        assert main([*init, str(items)]) == 2
        said = capsys.readouterr().err
        assert "could review their own stories" in said
        assert "--secret FILE" in said
    (tmp_path / "other").write_text("ab" * 32 + "\n")
    assert main([*init, str(tmp_path / "collected"), "--secret", str(tmp_path / "other")]) == 2
    assert "is not the secret with which the author ids" in capsys.readouterr().err
    assert main([*init, str(items), "--secret", str(written / "secret")]) == 0
    assert secret_of(tmp_path / "review") == secret_of(written)


def test_stories_that_are_written_later_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the project and from an export of it; earlier units stay, and nobody gets stories about their own facts."""
    write, review = tmp_path / "write", tmp_path / "review"
    more = ("--set", "people.units-per-person=0", "--contact", "x@example.org")
    proband(capsys, "annotate", "init", write, "--kind", "write", "--items", DATA / "write.jsonl", *more)

    def story(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        return {"story": f"{worker} {' '.join(unit['body']['facts'])}", "sure": True}

    simulate(write, story, people=["ann"])
    proband(capsys, "annotate", "init", review, "--kind", "review", "--items", write, "--contact", "x@example.org")
    before = (review / "units.jsonl").read_text()
    simulate(write, story, people=["ben"])
    proband(capsys, "annotate", "export", write, "--to", "suite", "-o", tmp_path / "collected")
    made = [proband(capsys, "annotate", "add", review, "--items", path) for path in (write, tmp_path / "collected")]
    after = list(read_units(review / "units.jsonl"))
    assert (review / "units.jsonl").read_text().startswith(before)
    assert [each["added"] for each in made] == [len(after) - len(before.splitlines()), 0]
    stories = [story for unit in after for story in unit.body["stories"]]
    assert len({story["id"] for story in stories}) == len(stories) == len(collected(write).answers)
    authors = {story["author"] for story in stories}
    assert len(authors) == 2
    with closing(open_study(review)) as database:
        rows = database.read(lambda c: c.execute(select(exclusions)).all())
    assert {(row.unit_id, row.worker) for row in rows} == {(n + 1, w) for n in range(len(after)) for w in authors}
