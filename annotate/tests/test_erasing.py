"""Erasure: whoever came by a personal link is found, stories leave the reviews too, nothing stays in the tables."""

from __future__ import annotations

import html
import json
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, select

from proband.cli import main
from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.erasing import erase, erase_by_name, known_by_name, person_data, workers_of
from proband_annotate.project import database_url, read_project, rotate_secret, secret_of
from proband_annotate.results.payments import payments
from proband_annotate.results.reading import collected, status
from proband_annotate.store import people as people_store
from proband_annotate.store.database import Database
from proband_annotate.store.migrate import open_study
from proband_annotate.store.schema import adjudications, answers, metadata, units
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres
    from annotate.tests.visitors import Owner, Person, simulate, write_lines
else:
    from servers import Postgres
    from visitors import Owner, Person, simulate, write_lines

DATA = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"
WORD = "xylophonic"


def raw(folder: Path) -> bytes:
    """Every byte of the tables, wherever they are."""
    url = read_project(folder).database
    if url.startswith("sqlite"):
        return b"".join(path.read_bytes() for path in folder.parent.rglob("*.db*"))
    import psycopg

    made = b""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        for table in ("answers", "drafts", "units", "people", "events"):
            query = f"SELECT pg_read_binary_file(pg_relation_filepath('{table}'))"
            row = connection.execute(query.encode()).fetchone()
            assert row is not None
            made += bytes(row[0])
    return made


def test_a_person_with_a_personal_link_is_found_and_erased(
    tmp_path: Path, address: str, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel the banana"}])
    made = init(folder, kind="simplify", items=items, settings_given={"database": address})
    server = served(folder)
    link = f"{server.url}/join/{new_link(secret_of(folder), 'crowd', name='one')}"
    someone = person(server.url, link.rpartition("/")[2])
    someone.begin()
    someone.client.post(f"{someone.home}/draft", data={**someone.hidden(), "s0": f"{WORD} draft"})
    someone.send("answer", s0=f"Take the {WORD} banana.")
    assert WORD.encode() in raw(folder)

    owner = Owner(server.url, folder, made["password"])
    assert str(owner.do("/find", who=f"  {link} ").url).endswith("/owner/person/1")
    assert str(owner.do("/find", who=someone.home).url).endswith("/owner/person/1")
    assert owner.do("/find", who="nobody").status_code == 404
    rotate_secret(folder)  # an old link still names its person
    (tmp_path / "links.txt").write_text(f"{link}\n")
    assert status(folder, workers=tmp_path / "links.txt")["people_lines"][0]["person"] == 1
    owner.do("/person/1/erase", sure="yes")
    owner.client.close()
    assert WORD.encode() not in raw(folder)


def test_erased_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel the banana"}])
    init(folder, kind="simplify", items=items)
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)
    words = ["annotate", "erase", str(folder), "--who", "crowd 0", "--json"]
    assert main(words) == 0
    known = {"people": [1], "answers": 1, "stories": 0, "projects": [str(folder)], "left": [], "erased": False}
    assert json.loads(capsys.readouterr().out) == known
    assert main([*words, "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["answers"] == 1
    assert WORD.encode() not in raw(folder)
    assert main([*words, "--yes"]) == 2
    assert "no person found for 'crowd 0'" in capsys.readouterr().err


def test_everything_that_is_held_about_a_person(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    items = write_lines(
        tmp_path / "captions.jsonl", [{"id": f"c{n}", "caption": f"Peel {n} bananas"} for n in range(3)]
    )
    init(folder, kind="simplify", items=items, settings_given={"pay": {"per-unit": 0.5}})
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="5f0c1a")
    someone.begin()
    someone.send("answer", s0=f"Take the {WORD} banana.")
    someone.client.post(f"{someone.home}/draft", data={**someone.hidden(), "s0": f"{WORD} draft"})
    someone.client.post(
        f"{someone.home}/remark", data={**someone.hidden(), "kind": "comment", "words": f"{WORD} words"}
    )
    assert main(["annotate", "person", str(folder), "--who", "5f0c1a", "--source", "prolific"]) == 0
    (held,) = json.loads(capsys.readouterr().out)["projects"][str(folder)]
    assert held["answers"][0]["body"] == {"steps": [f"Take the {WORD} banana."]}
    assert held["drafts"][0]["body"]["s0"] == f"{WORD} draft"
    assert held["remarks"][0]["text"] == f"{WORD} words"
    assert held["paid"]["total"] == "0.50"
    assert held["agreed_to"]["licence"] == "CC-BY-4.0"
    assert held["events"][0]["kind"] == "consent"
    personal = {table.name for table in metadata.tables.values() if "person_id" in table.c}
    assert personal | {"checks", "person", "agreed_to", "paid", "stories"} == set(held), "no table is left out"
    assert main(["annotate", "person", str(folder), "--who", "nobody"]) == 2
    assert "no person found for 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize("ended", [False, True])
def test_a_person_withdraws_and_is_paid_by_a_receipt(
    ended: bool, tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = tmp_path / "study"
    items = write_lines(
        tmp_path / "captions.jsonl", [{"id": f"c{n}", "caption": f"Peel {n} bananas"} for n in range(3)]
    )
    init(folder, kind="simplify", items=items, settings_given={"pay": {"per-unit": 0.5}})
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="5f0c1a")
    someone.begin()
    someone.send("answer", s0=f"Take the {WORD} banana.")
    if ended:
        someone.page = someone.client.post(f"{someone.home}/stop", data={"form": someone.hidden()["form"]})
    assert "Withdraw and delete my answers" in someone.html
    assert "You are paid all the same: 0.50 USD" in someone.html
    form = {"form": someone.hidden()["form"]}
    assert "Nothing was deleted" in someone.client.post(f"{someone.home}/withdraw", data=form).text
    assert WORD.encode() in raw(folder)
    form |= {"certain": "yes", "receipt": "of-this-page"}
    page = someone.client.post(f"{someone.home}/withdraw", data=form).text
    assert "Everything of yours is deleted" in page
    assert read_project(folder).codes.stopped in page
    assert WORD.encode() not in raw(folder)
    found = collected(folder)
    assert found.people == []
    (line,) = payments(found, secret_of(folder))
    assert (line["outcome"], line["bonus"], line["total"]) == ("erased", 0.5, 0.5)
    assert line["code"] in page
    assert someone.client.post(f"{someone.home}/withdraw", data=form).text == page, "the reply was lost"
    assert len(payments(collected(folder), secret_of(folder))) == 1, "paid once"
    assert 'name="agree"' in someone.client.get(someone.home).text, "nobody is known here"


@pytest.mark.parametrize("outcome", ["done", "rejected"])
def test_a_withdrawal_after_the_end_keeps_the_code(
    outcome: str, tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel the banana"}])
    made = init(folder, kind="simplify", items=items, settings_given={"pay": {"per-visit": 2.0}})
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="5f0c1a")
    someone.begin()
    someone.send("answer", s0=f"Take the {WORD} banana.")
    if outcome == "rejected":
        owner = Owner(server.url, folder, made["password"])
        owner.do("/person/1/decide", decision="rejected", reason="careless")
        owner.client.close()
    codes = read_project(folder).codes
    for _ in range(2):
        someone.send("withdraw", certain="yes", receipt="of-this-page", form=someone.hidden()["form"])
        shown = [code for code in (codes.done, codes.stopped) if code in someone.html]
        assert shown == ([codes.done] if outcome == "done" else [])
        someone.page = someone.client.get(someone.home)  # a form, to send it again


def test_a_commit_of_unknown_fate_is_paid_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database goes away after the commit and before its reply: the work is done a second time."""
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel the banana"}])
    init(folder, kind="simplify", items=items, settings_given={"pay": {"per-unit": 0.5}})
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)
    write = Database.write
    monkeypatch.setattr(Database, "write", lambda self, work: (write(self, work), write(self, work))[1])
    made = erase_by_name(folder, "crowd 0")
    assert (made["answers"], made["still_paid"], len(made["receipts"])) == (1, ["0.50 USD"], 1)
    (line,) = payments(collected(folder), secret_of(folder))
    assert (line["code"], line["total"]) == (made["receipts"][0], 0.5)


@pytest.mark.nightly
def test_an_answer_that_is_being_sent_is_paid(tmp_path: Path, postgres: Postgres) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": f"c{n}", "caption": f"Peel {n}"} for n in range(2)])
    init(
        folder, kind="simplify", items=items, settings_given={"database": postgres.database(), "pay": {"per-unit": 0.5}}
    )
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)
    with closing(open_study(folder)) as database, ThreadPoolExecutor(1) as thread:
        worker = workers_of(secret_of(folder), "crowd 0")
        with database.engine.begin() as connection:
            first = connection.execute(select(answers)).mappings().first()
            assert first is not None
            connection.execute(delete(answers).where(answers.c.id == first["id"]))
        with database.engine.begin() as connection:  # as `submit` does
            (person,) = (each for name in worker if (each := people_store.find(connection, name, lock=True)))
            erasing = thread.submit(erase, folder, database, person.worker)
            with pytest.raises(TimeoutError):
                erasing.result(timeout=0.5)
            connection.execute(answers.insert().values(**first))
        made = erasing.result(timeout=30)
    assert made.answers == 2
    assert made.still_paid == ["1.00 USD"]


@pytest.mark.nightly
def test_erasing_outlasts_a_restart_of_the_database(tmp_path: Path, postgres: Postgres) -> None:
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel the banana"}])
    init(folder, kind="simplify", items=items, settings_given={"database": postgres.database()})
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)
    with closing(open_study(folder)) as database:
        database.read(lambda connection: None)
        postgres.stop("immediate")
        with ThreadPoolExecutor(1) as thread:
            forgotten = thread.submit(database.purge_deleted)
            postgres.start()
            forgotten.result(timeout=30)


def test_an_erasure_during_a_long_read_is_finished_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proband_annotate.store.database.PATIENCE", 0.3)
    folder = tmp_path / "study"
    init(folder, kind="simplify", items=write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel it"}]))
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)  # found by the last of three possible sources
    (file,) = folder.glob("*.db")

    def erased(who: str, code: int = 2) -> str:
        assert main(["annotate", "erase", str(folder), "--who", who, "--yes"]) == code
        return "".join(capsys.readouterr())

    with closing(sqlite3.connect(file)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (1,)
        assert "no person found" in erased("nobody")
        assert "may still be" in erased("crowd 0", 0)
        with closing(open_study(folder)) as database:
            assert database.read(lambda c: c.execute(select(answers)).all()) == []
        said = erased("nobody")
        assert "no person found" in said
        assert "may still be" in said
        assert WORD.encode() in raw(folder)
    assert "may still be" not in erased("crowd 0")
    assert WORD.encode() not in raw(folder)


@pytest.mark.nightly
def test_the_same_in_postgresql(tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband_annotate.store.database.PATIENCE", 0.3)
    folder, settings = tmp_path / "study", {"database": postgres.database()}
    items = write_lines(tmp_path / "captions.jsonl", [{"id": "c1", "caption": "Peel it"}])
    init(folder, kind="simplify", items=items, settings_given=settings)
    simulate(folder, lambda worker, unit: {"steps": [WORD]}, people=1)
    with closing(open_study(folder)) as database, database.engine.begin() as reader:
        assert len(reader.execute(select(answers)).all()) == 1
        assert len(erase_by_name(folder, "crowd 0")["left"]) == 1
    assert WORD.encode() in raw(folder)
    with pytest.raises(ProbandError, match=r"^[^;]*no person found[^;]*$"):
        erase_by_name(folder, "crowd 0")
    assert WORD.encode() not in raw(folder)


def test_a_busy_log_does_not_keep_an_erasure_from_the_reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband_annotate.store.database.PATIENCE", 0.3)
    write, review = tmp_path / "write", tmp_path / "review"
    init(write, kind="write", items=DATA / "write.jsonl", settings_given={"people": {"overlap": 1}})
    simulate(write, lambda who, unit: {"story": f"{WORD} {' '.join(unit['body']['facts'])}", "sure": True}, people=1)
    init(review, kind="review", items=write)
    (file,) = write.glob("*.db")
    with closing(open_study(write)) as running, closing(open_study(review)) as there:
        running.read(lambda c: None)  # as a server: nobody else is the last to close the file
        there.read(lambda c: None)
        with closing(sqlite3.connect(file)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM answers").fetchone()
            made = erase_by_name(write, "crowd 0")
        assert [Path(each).resolve() for each in made["projects"]] == [write, review]
        assert len(made["left"]) == 1
        assert WORD.encode() in raw(write)
        with pytest.raises(ProbandError, match=r"^[^;]*no person found[^;]*$"):
            erase_by_name(write, "crowd 0")
        assert WORD.encode() not in raw(write)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def two_databases(request: pytest.FixtureRequest) -> tuple[str, str]:
    if request.param == "sqlite":
        return "sqlite:///answers.db", "sqlite:///answers.db"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database(), server.database()


def test_stories_of_an_erased_author_leave_the_review(
    tmp_path: Path, two_databases: tuple[str, str], served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    write, review = tmp_path / "write", tmp_path / "review"
    settings = {"database": two_databases[0], "people": {"overlap": 1, "units-per-person": 0}}
    made = init(write, kind="write", items=DATA / "write.jsonl", settings_given=settings)
    authors: list[str] = []

    def story(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        if worker not in authors:
            authors.append(worker)
        return {"story": f"{WORD} {authors.index(worker)}. {' '.join(unit['body']['facts'])}", "sure": True}

    simulate(write, story, people=3)
    more = {"database": two_databases[1], "people": {"overlap": 2}}
    init(review, kind="review", items=write, settings_given=more)

    def verdicts(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        stories = [s for s in unit["body"]["stories"] if not s.get("erased")]
        return {"verdicts": [{"story": s["id"], "verdict": "good", "reason": ""} for s in stories]}

    simulate(review, verdicts, people=4)  # one of them wrote nothing
    gone, stays = f"{WORD} 0.".encode(), f"{WORD} 1.".encode()
    assert gone in raw(write)
    assert gone in raw(review)
    decide(review, authors[0])
    number = next(line["id"] for line in status(write, people=True)["people_lines"] if line["worker"] == authors[0])
    owner = Owner(served(write).url, write, made["password"])
    assert owner.do(f"/person/{number}/erase", sure="yes").status_code == 200
    for folder in (write, review):
        assert gone not in raw(folder)
        assert stays in raw(folder)
    lines = (review / "units.jsonl").read_text()
    assert authors[0] not in lines
    assert gone.decode() not in lines
    assert stays.decode() in lines
    owner.client.close()

    server = served(review)  # the others' stories are still reviewed, and every page of the dashboard works
    reviewer = person(server.url, new_link(secret_of(review), "crowd", name="late"))
    reviewer.begin()
    assert 'id="task"' in reviewer.html
    assert gone.decode() not in reviewer.html
    simulate(review, verdicts, people=8)
    figures = status(review)
    assert figures["progress"]["answers"] > 0
    assert main(["annotate", "export", str(review), "--to", "suite", "-o", str(tmp_path / "bank")]) == 0
    table = (tmp_path / "bank" / "amt_train.csv").read_text()
    assert gone.decode() not in table
    assert stays.decode() in table
    for to in ("csv", "hf", "jsonl"):
        assert main(["annotate", "export", str(review), "--to", to, "-o", str(tmp_path / f"as-{to}")]) == 0


def decide(folder: Path, author: str) -> None:
    """The owner has settled a dispute about every story of an author."""
    database = Database(database_url(folder, read_project(folder)))
    rows = [
        {"unit_id": unit.id, "part": story["id"], "label": "good", "at": 1.0}
        for unit in database.read(lambda c: c.execute(select(units)).all())
        for story in json.loads(unit.body)["stories"]
        if story["author"] == author
    ]
    database.write(lambda c: c.execute(adjudications.insert(), rows))
    database.close()


def test_a_review_that_cannot_be_reached_is_named(tmp_path: Path, served: Callable[[Path], Any]) -> None:
    write = tmp_path / "write"
    made = init(write, kind="write", items=DATA / "write.jsonl")
    simulate(write, lambda worker, unit: {"story": " ".join(unit["body"]["facts"]), "sure": True}, people=3)
    init(tmp_path / "review", kind="review", items=write)
    (tmp_path / "review").rename(tmp_path / "moved")
    owner = Owner(served(write).url, write, made["password"])
    said = owner.do("/person/1/erase", sure="yes").text
    assert "Erased here, but not everywhere" in said
    assert "review" in said
    owner.client.close()
    assert main(["annotate", "erase", str(tmp_path / "moved"), "--who", "crowd 0", "--yes"]) == 0


def test_what_fails_in_a_review_does_not_keep_the_receipt(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    write, review = tmp_path / "write", tmp_path / "review"
    init(write, kind="write", items=DATA / "write.jsonl", settings_given={"pay": {"per-unit": 0.5}})
    server = served(write)
    someone = person(server.url, new_link(secret_of(write), "crowd"), participant="ann")
    someone.begin()
    facts = " ".join(html.unescape(each) for each in re.findall(r'<li dir="auto">([^<]+)</li>', someone.html))
    someone.send("answer", story=f"Once upon a day it was so: {facts}", sure="yes")
    init(review, kind="review", items=write)
    assert known_by_name(review, "ann")["stories"] == 1
    with open(review / "units.jsonl", "a") as file:
        file.write('{"id": "half a li')
    form = {"form": someone.hidden()["form"], "certain": "yes", "receipt": "of-this-page"}
    page = someone.client.post(f"{someone.home}/withdraw", data=form).text
    (line,) = payments(collected(write), secret_of(write))
    assert line["code"] in page
    with pytest.raises(ProbandError, match=r"no person found .*the last line is incomplete"):
        erase_by_name(write, "ann")
    (review / "units.jsonl").rename(tmp_path / "elsewhere.jsonl")
    assert someone.client.post(f"{someone.home}/withdraw", data=form).text == page
    review.rename(tmp_path / "moved")
    someone.page = someone.client.get(someone.home)
    someone.begin()
    held = person_data(write, "ann", "url")
    assert (len(held["projects"]), len(held["left"])) == (1, 1)
