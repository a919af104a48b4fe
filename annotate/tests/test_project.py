"""Settings of a project: what is wrong is named with its place, and what is written is read back; its secret."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband_annotate.project import (
    as_toml,
    database_url,
    fingerprint,
    read_project,
    read_secret,
    rotate_secret,
    secret_of,
)

CODES = {"done": "DONE1", "stopped": "STOP1", "screened-out": "OUT11", "failed-checks": "FAIL1"}
SETTINGS: dict[str, Any] = {"title": "Lands", "kind": "judge", "codes": CODES}


def written(folder: Path, **settings: Any) -> Path:
    (folder / "project.toml").write_text(as_toml({**SETTINGS, **settings}), encoding="utf-8")
    return folder


def test_settings_are_read_back_and_the_others_have_their_defaults(tmp_path: Path) -> None:
    project = read_project(written(tmp_path, people={"overlap": 5}, pay={"per-unit": 0.4}))
    assert (project.title, project.codes.screened_out) == ("Lands", "OUT11")
    assert (project.people.overlap, project.people.skips, project.pay.per_unit) == (5, 3, 0.4)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"people": {"overlap": 0}}, "'people.overlap': expected `int` >= 1"),
        ({"people": {"overlp": 3}}, "unknown field `overlp`"),
        ({"pay": {"currency": "dollar"}}, "'pay.currency'"),
        ({"platform": {"public-url": "https://x.org/?a=1"}}, "'platform.public-url'"),
        ({"quality": {"failures": 1}}, "'quality.failures': expected `int` >= 2"),
        ({"kind": "guess"}, "'kind': no kind of task 'guess'"),
        ({"codes": {**CODES, "stopped": "DONE1"}}, "'codes': the four codes must differ"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ProbandError) as caught:
        read_project(written(tmp_path, **settings))
    assert reason in str(caught.value)
    assert "project.toml" in str(caught.value)


def test_settings_of_every_type_are_written_as_toml() -> None:
    settings = {
        "text": 'two\nlines, "quoted", \\ and \x7f',
        "flag": True,
        "share": 0.25,
        "list": ["a", "b"],
        "Participant id": "é",
        "table": {"inner": {"number": 3}, "most": {"north west": 2}},
        "questions": [{"question": "May you stop?", "options": ["yes", "no"]}],
    }
    assert tomllib.loads(as_toml(settings)) == settings


def test_a_relative_sqlite_file_lies_in_the_projects_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBAND_ANNOTATE_DATABASE", raising=False)
    project = read_project(written(tmp_path, database="sqlite:///answers.db"))
    assert database_url(tmp_path, project) == f"sqlite:///{tmp_path.resolve()}/answers.db"
    for url in ("sqlite:////srv/answers.db", "postgresql://host/study"):
        assert database_url(tmp_path, read_project(written(tmp_path, database=url))) == url
    monkeypatch.setenv("PROBAND_ANNOTATE_DATABASE", "postgresql://other/study")
    assert database_url(tmp_path, project) == "postgresql://other/study"


def test_a_secret_is_made_once_for_its_owner_alone_and_half_of_it_is_rotated(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="all links are invalid"):
        secret_of(tmp_path)
    secret = secret_of(tmp_path, make=True)
    assert len(secret) == 32
    assert secret_of(tmp_path, make=True) == secret
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    rotate_secret(tmp_path)
    first = secret_of(tmp_path)
    rotate_secret(tmp_path)
    second = secret_of(tmp_path)
    assert first[:32] == second[:32] == secret
    assert first[32:] != second[32:]
    assert fingerprint(first) == fingerprint(second) == fingerprint(secret)
    other = tmp_path / "other"
    other.mkdir()
    assert secret_of(other, make=True, like=tmp_path / "secret") == secret  # without what is signed with
    assert fingerprint(bytes(32)) != fingerprint(secret)


@pytest.mark.parametrize("text", ["", "ab" * 31, "ab" * 33, "xy" * 32, "é" * 64])
def test_what_is_no_secret_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret").write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError, match="is not a secret of 32 bytes"):
        read_secret(tmp_path / "secret")
