"""Exports or erases the data of a person (on the dashboard, by command, by themselves): what they gave
in this project, and what they wrote in the projects that review it. They are found by the id their platform knows, or
by the personal link they were sent."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from proband.core.errors import ProbandError
from proband.core.files import file_errors, write_jsonl
from proband_annotate.human_task import read_units
from proband_annotate.project import new_code, secret_of
from proband_annotate.store import people as people_store
from proband_annotate.store.database import Database
from proband_annotate.store.migrate import open_study
from proband_annotate.store.schema import (
    SENT,
    answers,
    assignments,
    bonuses,
    checks,
    drafts,
    erasures,
    events,
    remarks,
    transfers,
    units,
)
from proband_annotate.terms import pay_basis, payment_of
from proband_annotate.tokens import Forged, Link, Visit, unseal, worker_hash

SOURCES = ("prolific", "mturk", "url")  # sources of platform ids
ROLES = ("main", "gold", "trial", "attention")
REVIEWS = "reviews.txt"  # in a *write* project: the projects that review its stories


@dataclass
class Erased:
    """What was erased, and what is left to do: projects that could not be reached, logs that could not be emptied."""

    answers: int = 0
    stories: int = 0
    still_paid: list[str] = field(default_factory=list)  # in addition to the platform's payment by code
    receipts: list[str] = field(default_factory=list)  # one for each of these amounts
    projects: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def workers_of(secret: bytes, who: str, source: str = "") -> list[str]:
    """The possible hashes of a person: one for a personal link or a visit's address, one per platform for an id."""
    who = who.strip()
    token = who.rpartition("/")[2].partition("?")[0]
    try:
        link: Link = unseal(secret, "link", token, Link)
        return [worker_hash(secret, "link", link.name)] if link.name else []
    except Forged:
        pass
    try:
        visit: Visit = unseal(secret, "visit", token, Visit)
        return [visit.worker]
    except Forged:
        return [worker_hash(secret, each, who) for each in ((source,) if source else SOURCES)]


def erase_by_name(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """Erase a person by id or link, for the command line; an error if nothing is found."""
    with closing(open_study(folder)) as database:
        made = erase(folder, database, *workers_of(secret_of(folder), who, source))
    if not made.projects:
        what = "; ".join((f"no person found for {who!r}, neither here nor as an author", *made.left))
        raise ProbandError(what, file=folder)
    return asdict(made)


def known_by_name(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """What would be erased here."""
    hashes = workers_of(secret_of(folder), who, source)

    def count(connection: Connection) -> dict[str, Any]:
        people = [person for worker in hashes if (person := people_store.find(connection, worker)) is not None]
        answers = sum(people_store.answered(connection, person.id, *ROLES) for person in people)
        return {"people": [person.id for person in people], "answers": answers, "erased": False}

    with closing(open_study(folder)) as database:
        return database.read(count)


def erase(folder: Path, database: Database, *workers: str) -> Erased:
    """Erase a person, by their possible hashes, from this project, and what they wrote in those that review it."""
    made = Erased()
    _erase_here(folder, database, workers, made)
    for other in reviews_of(folder):
        try:
            there = open_study(other)
        except ProbandError as error:
            made.left.append(str(error))
            continue
        with closing(there):
            _erase_here(other, there, workers, made)
    return made


def _erase_here(folder: Path, database: Database, workers: Sequence[str], made: Erased) -> None:
    found = [_erase_rows(folder, database, worker, made) for worker in workers]
    if any(found):
        made.projects.append(str(folder))
    if any(found) or database.sqlite:  # its log may hold what a call before this one erased
        try:
            database.forget()
        except ProbandError as error:
            made.left.append(f"{folder}: {error}")


def _erase_rows(folder: Path, database: Database, worker: str, made: Erased) -> bool:
    receipt = new_code()
    erased = database.write(lambda c: _erase_person(c, worker, receipt))
    if erased is not None:
        made.answers += erased.answers
        if Decimal(erased.bonus):
            made.still_paid.append(f"{erased.bonus} {erased.currency}")
            made.receipts.append(receipt)
    stories = database.write(lambda c: people_store.erase_stories(c, worker))
    # also where no story is left in the database: a call before this one may have stopped here
    stories = max(stories, _rewrite_units(folder / "units.jsonl", worker))
    made.stories += stories
    return erased is not None or stories > 0


def _erase_person(connection: Connection, worker: str, receipt: str) -> Row[Any] | None:
    """Erase everything about a person except the amounts due, which are kept without a name, in the row of this
    receipt. Returns the row: after a commit of unknown fate, the one that the first try wrote. Waits for an answer
    that is being sent, so that what is deleted is paid."""
    person = people_store.find(connection, worker, lock=True)
    if person is not None:
        about = pay_basis(connection, person)
        paid = payment_of(person, **about)
        sent = select(transfers.c.amount).where(transfers.c.person_id == person.id, transfers.c.state.in_(SENT))
        sent_already = sum(map(Decimal, connection.execute(sent).scalars()), Decimal(0))
        fixed, owed = paid.by_platform + sent_already, max(paid.bonus - sent_already, Decimal(0))
        row = {"at": time.time(), "answers": people_store.erase(connection, person.id), "receipt": receipt}
        row |= {"by_platform": str(fixed), "bonus": str(owed), "currency": about["terms"].currency}
        connection.execute(erasures.insert().values(**row))
    return connection.execute(select(erasures).where(erasures.c.receipt == receipt)).one_or_none()


# ---- what is held about a person ------------------------------------------------------------------------------------


def person_data(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """Everything stored about one person, here and in the projects that review their texts."""
    hashes, projects = workers_of(secret_of(folder), who, source), {}
    for place in (folder, *reviews_of(folder)):
        with closing(open_study(place)) as database:
            held = database.read(lambda c: [found for worker in hashes if (found := _held(c, worker))])
        if held:
            projects[str(place)] = held
    if not projects:
        raise ProbandError(f"no person found for {who!r}, neither here nor as an author", file=folder)
    return {"who": who, "projects": projects}


def _held(connection: Connection, worker: str) -> dict[str, Any]:
    """The data of one person in a study: their row, agreements, pay, answers and notes."""
    made: dict[str, Any] = {}
    person = people_store.find(connection, worker)
    if person is not None:
        about = pay_basis(connection, person)
        made["person"] = dict(person._mapping)
        made["agreed_to"] = msgspec.to_builtins(about["terms"]) if person.agreement_id is not None else None
        made["paid"] = {name: str(value) for name, value in asdict(payment_of(person, **about)).items()}
        for table in (answers, drafts, assignments, events, remarks, bonuses, transfers):
            rows = connection.execute(select(table).where(table.c.person_id == person.id)).all()
            made[table.name] = [{name: _read(name, value) for name, value in row._mapping.items()} for row in rows]
        mine = select(checks).join(answers, answers.c.id == checks.c.answer_id).where(answers.c.person_id == person.id)
        made["checks"] = [dict(row._mapping) for row in connection.execute(mine)]
    bodies = connection.execute(select(units.c.body).where(units.c.body.contains(worker))).scalars()
    stories = [s for body in bodies for s in msgspec.json.decode(body).get("stories", ()) if s.get("author") == worker]
    return {**made, "stories": stories} if made or stories else {}


def _read(name: str, value: Any) -> Any:
    return msgspec.json.decode(value) if name in ("body", "signals") and isinstance(value, str) else value


def _rewrite_units(path: Path, worker: str) -> int:
    """Remove an author's stories from units.jsonl, if any are left there; returns their number."""
    if not path.is_file() or worker not in path.read_text("utf-8"):
        return 0
    known = list(read_units(path))
    kept = [people_store.without_stories(unit.body, worker) for unit in known]
    excluded = [tuple(each for each in unit.excluded if each != worker) for unit in known]
    rows = zip(known, kept, excluded, strict=True)
    write_jsonl(path, (msgspec.structs.replace(unit, body=body, excluded=own) for unit, (body, _), own in rows))
    return sum(gone for _, gone in kept)


# ---- which projects review which -------------------------------------------------------------------------------------


def reviews_of(folder: Path) -> list[Path]:
    path = folder / REVIEWS
    if not path.is_file():
        return []
    with file_errors(path):
        lines = path.read_text("utf-8").splitlines()
    return [folder / line for line in dict.fromkeys(lines) if line]


def add_review(folder: Path, review: Path) -> None:
    """Record in a *write* project which project reviews its stories."""
    with file_errors(folder / REVIEWS), open(folder / REVIEWS, "a", encoding="utf-8") as file:
        file.write(os.path.relpath(review.resolve(), folder.resolve()) + "\n")
