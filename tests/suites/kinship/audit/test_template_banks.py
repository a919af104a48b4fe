"""Banks of templates: faults are named with their line, and no story is told with one that lies."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.pipeline.build import build
from proband.pipeline.checking import audit
from proband.suites.kinship.audit.template_banks import is_bank

GOOD = "== *\n{0} rang {0 his} {1 of 0} {1}.\n"
BAD = "# two of them\n== *\n{0} rang {0 his} {1 of 0} {1}.\n{0} rang {1 his} {0 of 1} {1}.\n"


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "mine.txt").write_text(text)
    return tmp_path / "mine.txt"


def test_a_faulty_paraphrase_is_named_with_its_line(tmp_path: Path) -> None:
    said = audit(write(tmp_path, BAD), out=tmp_path / "audit")
    assert said["verdicts"] == {"accepted": 1, "rejected": 1}
    (rejected,) = lines(tmp_path / "audit" / "rejected.csv")
    assert rejected["line"] == "4"
    assert rejected["why"].startswith("missing Ben is the")
    assert read_json(tmp_path / "audit" / "statistics.json")["paraphrases"]["1"] == 1
    assert "| paraphrases of 1 fact | 1 | 1,868 |" in (tmp_path / "audit" / "bank.md").read_text()


def test_stories_are_not_told_with_a_bank_that_lies(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=r"mine.txt line 4: does not tell its label \(missing Ben"):
        build("kinship", out=tmp_path / "items", k=2, per_k=3, bank=str(write(tmp_path, BAD)))
    told = build("kinship", out=tmp_path / "items", k=2, per_k=3, bank=str(write(tmp_path, GOOD)))
    assert told["licence"].startswith("that of the templates in")


def test_what_a_bank_is(tmp_path: Path) -> None:
    assert is_bank(write(tmp_path, GOOD))
    assert not is_bank(write(tmp_path, "hello\n"))
    assert not is_bank(tmp_path)
    with pytest.raises(ProbandError, match="contains no templates"):
        audit(write(tmp_path, "== *\n"), out=tmp_path / "audit")


@pytest.mark.nightly
@pytest.mark.data
def test_the_crowds_templates(tmp_path: Path, data: Path) -> None:
    said = audit(data / "clutrr" / "templates", out=tmp_path)
    assert said["templates"] == 6005
    assert said["verdicts"]["accepted"] == 4359
    assert len(lines(tmp_path / "rejected.csv")) == 6005 - 4359
    told = build("kinship", out=tmp_path / "i", k=2, per_k=3, bank=f"clutrr:{data / 'clutrr' / 'templates'}")
    assert told["licence"].startswith("CC BY-NC 4.0")
