"""`init` with something wrong: one line that says what, and the folder as it was. What it proposes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.human_task import read_units

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, three_questions, write_lines
else:
    from visitors import questionnaires, three_questions, write_lines


CONTACT = ("--contact", "x@example.org")
DATA = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"


@pytest.mark.parametrize(
    ("kind", "items", "more", "words"),
    [
        ("judge", "nothing.jsonl", (), "no such file"),
        ("judge", "captions.jsonl", (), "captions.jsonl line 1: field 'question' is missing"),
        ("judge", "questionnaires.jsonl", ("--set", "people.overlap=0"), "'people.overlap': expected `int` >= 1"),
        ("judge", "questionnaires.jsonl", ("--set", "people.overlp=3"), "unknown field `overlp`"),
        (
            "judge",
            "questionnaires.jsonl",
            ("--set", "people=3", "--set", "people.overlap=5"),
            "--set people: it is a table",
        ),
        ("judge", "questionnaires.jsonl", ("--set", "quality=3", "--checks"), "--set quality: it is a table"),
        ("judge", "questionnaires.jsonl", ("--set", "texts=hello"), "--set texts: it is a table"),
        ("judge", "questionnaires.jsonl", ("--set", "peple.overlap=5"), "project.toml has no table 'peple'"),
        (
            "solve",
            "solve.jsonl",
            ("--set", "people.units-per-person=x", "--checks"),
            "person': expected `int`, got `str`",
        ),
        ("solve", "solve.jsonl", ("--gold", "-1"), "Must be >= 0"),
        ("solve", "solve.jsonl", ("--trial", "-1"), "Must be >= 0"),
        ("judge", "questionnaires.jsonl", ("--gold", "2"), "only 0 units have a known answer"),
        ("judge", "questionnaires.jsonl", ("--database", "mysql://x"), "'mysql://x' is not a database URL"),
        ("write", "solve.jsonl", (), "a story has at most 3"),
        ("solve", "solve.jsonl", ("--trial", "100"), "leave none of 8"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_left(
    kind: str, items: str, more: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    assert main(["annotate", "init", str(folder), "--kind", kind, "--items", str(DATA / items), *CONTACT, *more]) != 0
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1
    assert not folder.exists()


def test_consent_needs_a_contact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "annotate",
        "init",
        str(tmp_path / "study"),
        "--kind",
        "judge",
        "--items",
        str(DATA / "questionnaires.jsonl"),
    ]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "no contact: the consent text needs one" in said
    assert not (tmp_path / "study").exists()
    assert main([*words, "--set", "texts.contact=Ann <ann@example.org>"]) == 0
    assert 'contact = "Ann <ann@example.org>"' in (tmp_path / "study" / "project.toml").read_text()


def test_puzzles_are_of_the_test_split_and_as_many_of_each_length(tmp_path: Path) -> None:
    settings = ["--k", "2,3", "--per-k", "22", "--hold-out", "clauses", "--test-per-k", "11"]
    assert main(["build", "kinship", "-o", str(tmp_path / "items"), *settings]) == 0
    init = ["annotate", "init", str(tmp_path / "study"), "--kind", "solve", "--items", str(tmp_path / "items")]
    assert main([*init, *CONTACT, "--limit", "6"]) == 0
    units = list(read_units(tmp_path / "study" / "units.jsonl"))
    assert sorted(unit.clause for unit in units) == ["2", "2", "2", "3", "3", "3"]
    assert all(unit.id.startswith("test-") for unit in units)


def test_init_proposes_checks_and_fair_pay(tmp_path: Path) -> None:
    rows = questionnaires(20, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    plain = init(tmp_path / "plain", kind="judge", items=items, settings_given={"pay": {"per-unit": 0.4}})
    assert "8.00 USD per hour" in plain["advice"][0]
    assert "--set pay.per-unit=0.60" in plain["advice"][0]
    assert "--checks sets some (20 of 20 units have a known answer)" in plain["advice"][1]
    checked = init(tmp_path / "checked", kind="judge", items=items, checks=True)
    assert checked["checks"] == {"gold": 2, "attention": 6}
    assert "advice" not in checked


def test_the_defaults_of_every_kind_are_fair(tmp_path: Path) -> None:
    from proband_annotate.create import _project, pay_advice
    from proband_annotate.tasks import names, task
    from proband_annotate.terms import terms_of

    for kind in names():
        project = _project(kind, task(kind).defaults, {})
        assert pay_advice(project, terms_of(project, {"main": 50})) == [], kind


def test_attention_checks_of_two_studies_differ(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folder = three_questions(tmp_path / name, quality={"attention-every": 2})
        lines = (folder / "units.jsonl").read_text().splitlines()
        texts.append([line for line in lines if '"role":"attention"' in line])
    assert len(texts[0]) == len(texts[1]) == 6
    assert texts[0] != texts[1]
