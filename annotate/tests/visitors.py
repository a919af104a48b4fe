"""What tests and benchmarks of the web app share: units, and people who fill in forms."""

from __future__ import annotations

import re
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from proband.core.files import dumps
from proband_annotate.project import secret_of
from proband_annotate.tokens import form_token, new_link

CONTACT = {"texts": {"contact": "owner@example.org"}}


def questionnaires(count: int = 3, candidates: int = 4) -> list[dict[str, Any]]:
    relations = ("invaded", "shares a frontier with", "trades with", "is next to", "purple of the")
    names = ("Eritrea", "Kenya", "Sudan", "Somalia", "Djibouti")
    return [
        {
            "id": f"q{number}",
            "question": f"Which country borders land {number}?",
            "q_type": "country",
            "candidates": [
                {
                    "id": f"q{number}-{names[place % 5]}-{place}",
                    "text": f"[COUNTRY] {relations[place % 5]} land {number}.",
                    "answer": names[place % 5],
                }
                for place in range(candidates)
            ],
        }
        for number in range(count)
    ]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def edit(folder: Path, before: str, after: str) -> None:
    """Change a line of project.toml, as an owner does."""
    path = folder / "project.toml"
    lines = path.read_text("utf-8").splitlines()
    assert lines.count(before) == 1, before
    path.write_text("\n".join(after if line == before else line for line in lines) + "\n", "utf-8")


class Person:
    """Somebody who follows a link and fills in forms. Clients read no certificates: over http none is asked for, and
    reading them takes 70 ms."""

    def __init__(self, base: str, link: str, **query: str) -> None:
        self.client = httpx.Client(verify=False, timeout=30, base_url=base, follow_redirects=True)
        self.page = self.client.get(f"/join/{link}", params=query)
        self.home = str(self.page.url)

    def begin(self) -> None:
        """Up to the first unit."""
        self.send("consent", agree="yes", signals="yes")
        self.send("understood")

    @property
    def html(self) -> str:
        return self.page.text

    def hidden(self) -> dict[str, str]:
        form = re.search(r"<form id=\"task\".*?</form>|<form.*?</form>", self.html, re.DOTALL)
        assert form, self.html
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))

    def send(self, where: str, **fields: str) -> httpx.Response:
        self.page = self.client.post(f"{self.home}/{where}", data={**self.hidden(), **fields})
        return self.page


Come = Callable[..., Person]


class Owner:
    """Signed in, with the token of the session."""

    def __init__(self, base: str, folder: Path, password: str, name: str = "owner") -> None:
        self.client = httpx.Client(verify=False, base_url=base, follow_redirects=True, timeout=120)
        login = {"form": form_token(secret_of(folder), "login"), "username": name, "password": password}
        found = re.search(r'name="form" value="(\w+)"', self.client.post("/owner/login", data=login).text)
        assert found is not None, "not signed in"
        self.token = found[1]

    def page(self, where: str) -> str:
        reply = self.client.get(f"/owner{where}")
        assert reply.status_code == 200, reply.text
        return reply.text

    def do(self, where: str, **fields: str) -> httpx.Response:
        return self.client.post(f"/owner{where}", data={"form": self.token, **fields})


def judged(label: str = "yes", count: int = 4) -> dict[str, str]:
    return {f"c{place}": label for place in range(count)}


def joined(server: Any, folder: Path, person: Come, name: str) -> Person:
    someone = person(server.url, new_link(secret_of(folder), "crowd"), participant=name)
    someone.begin()
    return someone


def finished(someone: Person) -> str:
    """Answers until the end; gives the completion code."""
    while 'name="c0"' in someone.html:
        someone.send("answer", **judged("yes"))
    found = re.search(r'<output id="code">([^<]+)<', someone.html)
    assert found, someone.html
    return found[1]


def simulate(
    folder: Path,
    answer: Callable[[str, dict[str, Any]], dict[str, Any]],
    *,
    people: int | Sequence[str],
    panel: str = "crowd",
    source: str = "url",
) -> None:
    """People (so many, or with these ids) who take units and answer them until there are none: `answer(worker, unit)`
    gives the body. `unit` has its name in the file as `name`."""
    from sqlalchemy import select

    from proband_annotate import visit
    from proband_annotate.site.context import open_project
    from proband_annotate.store import people as people_store
    from proband_annotate.store.schema import units
    from proband_annotate.tokens import worker_hash

    study = open_project(folder)
    names = study.database.read(lambda c: {row.id: row.name for row in c.execute(select(units))})
    ids = [f"{panel} {number}" for number in range(people)] if isinstance(people, int) else people
    workers = [worker_hash(study.secret, source, each) for each in ids]
    for worker in workers:
        study.database.write(
            lambda c, w=worker: people_store.arrive(c, worker=w, source=source, panel=panel, signals=True)  # type: ignore[misc]
        )
        study.database.write(lambda c, w=worker: people_store.try_comprehension(c, w, right=True, attempts=2))  # type: ignore[misc]
    busy = True
    while busy:
        busy = False
        for worker in workers:
            step = study.database.write(lambda c, w=worker: visit.advance(c, study.project, w))  # type: ignore[misc]
            if step.name != "unit":
                continue
            busy = True
            unit = {**step.unit, "name": names[step.unit["id"]]}
            body = {"choice": unit["body"]["answer"]} if unit["role"] == "attention" else answer(worker, unit)
            study.database.write(
                lambda c, w=worker, n=unit["id"], b=body: visit.submit(  # type: ignore[misc]
                    c,
                    study.project,
                    study.task,
                    w,
                    answer_id=str(uuid.uuid4()),
                    unit_id=n,
                    body=b,
                    signals={"keys": 3.0},
                )
            )
    study.database.close()


def three_questions(tmp_path: Path, **settings: Any) -> Path:
    """A project of the kind judge with three questions of four sentences each."""
    from proband_annotate.create import init

    items = write_lines(tmp_path / "q.jsonl", questionnaires(3, 4))
    init(tmp_path / "study", kind="judge", items=items, settings_given=settings)
    return tmp_path / "study"


def known_study(tmp_path: Path, *, units: int = 6, trial: int = 0, gold: int = 0, **settings: Any) -> tuple[Path, str]:
    """A project of the kind judge whose answers are known, all *no*; and its owner's password."""
    from proband_annotate.create import init

    rows = questionnaires(units, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    made = init(tmp_path / "study", kind="judge", items=items, trial=trial, gold=gold, settings_given=settings)
    return tmp_path / "study", made["password"]


@contextmanager
def judge_study(database: str | None, *, units: int, candidates: int, settings: dict[str, Any]) -> Iterator[Path]:
    """A project of the kind judge in a temporary folder, in SQLite or in another database."""
    from proband_annotate.create import init

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items = write_lines(folder / "q.jsonl", questionnaires(units, candidates))
        init(
            folder / "study",
            kind="judge",
            items=items,
            settings_given={"database": database or "sqlite:///answers.db", **settings},
        )
        yield folder / "study"
