"""Backup and restore by command, from a server that is running, between databases and schema versions."""

from __future__ import annotations

import io
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from proband.cli import main
from proband_annotate.backup import HashedFile, _copy
from proband_annotate.create import init
from proband_annotate.erasing import erase_by_name
from proband_annotate.project import read_project, secret_of
from proband_annotate.results.reading import collected, status
from proband_annotate.store.database import Database, create
from proband_annotate.store.migrate import NEWEST, current, migrate, open_study
from proband_annotate.store.schema import people
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres
    from annotate.tests.visitors import Person, judged, questionnaires, simulate, write_lines
else:
    from servers import Postgres
    from visitors import Person, judged, questionnaires, simulate, write_lines

ROW = {"worker": "w", "source": "url", "panel": "crowd", "created": 0.0}
SETTINGS = {"people": {"overlap": 2}, "texts": {"contact": "owner@example.org"}}


def answered(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
    return {"labels": {each["id"]: "yes" for each in unit["body"]["candidates"]}}


def study_in(folder: Path, database: str = "sqlite:///answers.db") -> Path:
    items = write_lines(folder / "q.jsonl", questionnaires(4, 3))
    init(folder / "study", kind="judge", items=items, settings_given={"database": database, **SETTINGS})
    return folder / "study"


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    capsys.readouterr()
    assert main(["annotate", *map(str, words)]) != 0
    return capsys.readouterr().err


def test_a_running_servers_answers_are_in_the_back_up_and_not_in_a_copy_of_its_file(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = study_in(tmp_path)
    (folder / "jwks.json").write_text('{"keys": []}')
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd"), participant="a")
    someone.begin()
    for _ in range(3):
        assert someone.send("answer", **judged("no", 3)).status_code == 200
    shutil.copyfile(folder / "answers.db", tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        there = copy.execute("SELECT name FROM sqlite_master WHERE name = 'answers'").fetchone()
        assert there is None or copy.execute("SELECT count(*) FROM answers").fetchone()[0] < 3
    assert main(["annotate", "backup", str(folder), "-o", str(tmp_path / "b.tar.gz")]) == 0
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o077 == 0
    someone.send("answer", **judged("no", 3))  # after it
    assert main(["annotate", "restore", str(tmp_path / "b.tar.gz"), str(tmp_path / "again")]) == 0
    assert len(collected(tmp_path / "again").answers) == 3
    for name in ("project.toml", "units.jsonl", "secret", "jwks.json"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
    assert len(collected(folder).answers) == 4
    again = person(served(tmp_path / "again").url, someone.home.rsplit("/", 1)[-1])
    again.page = again.client.get(f"/v/{someone.home.rsplit('/', 1)[-1]}")  # the same links work
    assert again.page.status_code == 200
    assert 'name="c0"' in again.html


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["sqlite to postgresql", "postgresql to sqlite", "postgresql to postgresql"])
def test_from_one_database_to_the_other(way: str, tmp_path: Path, postgres: Postgres) -> None:
    before, _, after = way.split()
    folder = study_in(tmp_path, postgres.database() if before == "postgresql" else "sqlite:///answers.db")
    simulate(folder, answered, people=3)
    erase_by_name(folder, "crowd 2")
    assert main(["annotate", "backup", str(folder), "-o", str(tmp_path / "b.tar.gz")]) == 0
    url = postgres.database() if after == "postgresql" else "sqlite:///other.db"
    words = ["annotate", "restore", str(tmp_path / "b.tar.gz"), str(tmp_path / "again"), "--database", url]
    assert main(words) == 0
    assert read_project(tmp_path / "again").database == url
    assert status(tmp_path / "again") == status(folder)
    one, other = collected(folder), collected(tmp_path / "again")
    assert [(e.id, e.text, e.worker) for e in one.answers] == [(e.id, e.text, e.worker) for e in other.answers]
    assert one.answers
    simulate(tmp_path / "again", answered, people=3)  # new people get new numbers, also after an erasure
    assert numbers(tmp_path / "again") == [1, 2, 4]


def numbers(folder: Path) -> list[int]:
    with closing(open_study(folder)) as database:
        return database.read(lambda c: sorted(c.execute(select(people.c.id)).scalars()))


def test_the_number_of_an_erased_person_is_used_no_more(tmp_path: Path) -> None:
    """Between databases of the same kind too; `transfers` still has the numbers of erased people."""
    folder = study_in(tmp_path)
    simulate(folder, answered, people=2)
    erase_by_name(folder, "crowd 1")
    with closing(open_study(folder)) as source, closing(create(f"sqlite:///{tmp_path / 'copy.db'}")) as target:
        migrate(target)
        source.read(lambda old: target.write(lambda new: _copy(old, new)))
        number = target.write(lambda c: c.execute(people.insert().values(ROW)).inserted_primary_key)
    assert number == (3,)


def test_a_back_up_of_an_older_schema_is_restored_at_the_newest(tmp_path: Path) -> None:
    """What an upgrade needs: the backup is made before it, without changing anything, and opened after it."""
    folder = study_in(tmp_path)
    (folder / "answers.db").unlink()
    for log in folder.glob("answers.db-*"):
        log.unlink()
    old = create(f"sqlite:///{folder / 'answers.db'}")
    migrate(old, to="0001")
    row = "INSERT INTO people (id, worker, source, panel, created) VALUES (1, 'w', 'url', 'crowd', 0)"
    owner = "INSERT INTO settings (name, value) VALUES ('owner', 'x'), ('state', 'open')"
    old.write(lambda c: (c.exec_driver_sql(row), c.exec_driver_sql(owner)))
    assert main(["annotate", "backup", str(folder), "-o", str(tmp_path / "b.tar.gz")]) == 0
    assert old.read(current) == "0001"
    old.close()
    assert main(["annotate", "restore", str(tmp_path / "b.tar.gz"), str(tmp_path / "again")]) == 0
    new = Database(f"sqlite:///{tmp_path / 'again' / 'answers.db'}")
    assert new.read(current) == NEWEST
    assert new.read(lambda c: c.execute(select(people.c.worker)).scalars().all()) == ["w"]
    new.close()
    assert (tmp_path / "again" / "answers.db").stat().st_mode & 0o777 == 0o600


def test_a_folder_of_back_ups_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = study_in(tmp_path), tmp_path / "kept"
    out.mkdir()
    (out / "study-notes.tar.gz").write_text("not a backup")
    for hour in range(4):
        monkeypatch.setattr("time.strftime", lambda *_, hour=hour: f"20260101T0{hour}0000Z")
        assert main(["annotate", "backup", str(folder), "-o", str(out), "--keep", "2"]) == 0
    names = sorted(path.name for path in out.iterdir())
    assert names == ["study-20260101T020000Z.tar.gz", "study-20260101T030000Z.tar.gz", "study-notes.tar.gz"]


def test_a_file_that_changes_meanwhile_is_in_the_back_up_as_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, read = study_in(tmp_path), HashedFile.read

    def changed(self: HashedFile, size: int = -1) -> bytes:
        raw = read(self, size)
        for name in ("project.toml", "units.jsonl"):  # the one is being read, the other comes next
            (folder / name).write_text((folder / name).read_text() + "\n")
        return raw

    monkeypatch.setattr(HashedFile, "read", changed)
    assert main(["annotate", "backup", str(folder), "-o", str(tmp_path / "b.tar.gz")]) == 0
    monkeypatch.undo()
    assert main(["annotate", "restore", str(tmp_path / "b.tar.gz"), str(tmp_path / "again")]) == 0


def test_what_is_damaged_or_in_the_way_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, archive = study_in(tmp_path), tmp_path / "b.tar.gz"
    assert main(["annotate", "backup", str(folder), "-o", str(archive)]) == 0
    assert "exists already" in refused(capsys, "backup", folder, "-o", archive)
    assert "is not empty" in refused(capsys, "restore", archive, folder)
    (folder / "backups").mkdir()
    assert "is inside the project" in refused(capsys, "backup", folder, "-o", folder / "backups")
    assert "Must be >= 0" in refused(capsys, "backup", folder, "-o", tmp_path, "--keep", "-5")
    whole = archive.read_bytes()
    (tmp_path / "half.tar.gz").write_bytes(whole[: len(whole) // 2])
    assert "cannot be read as a backup" in refused(capsys, "restore", tmp_path / "half.tar.gz", tmp_path / "x")
    with tarfile.open(archive) as tar, tarfile.open(tmp_path / "changed.tar.gz", "w:gz") as other:
        for entry in tar:
            body = tar.extractfile(entry)
            assert body is not None
            raw = body.read()
            if entry.name == "units.jsonl":
                raw = raw.replace(b"land 1", b"land 9")
            entry.size = len(raw)
            other.addfile(entry, io.BytesIO(raw))
    message = refused(capsys, "restore", tmp_path / "changed.tar.gz", tmp_path / "x")
    assert "'units.jsonl' is missing or damaged" in message
    assert not (tmp_path / "x").exists()
    assert "no such project" in refused(capsys, "backup", tmp_path / "nothing", "-o", tmp_path / "y.tar.gz")
