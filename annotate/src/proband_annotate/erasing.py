"""Exports or erases the data of a person (on the dashboard, by command, by themselves): what they gave
in this project, and what they wrote in the projects that review it. They are found by the id their platform knows, or
by the personal link they were sent."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select
from sqlalchemy.exc import SQLAlchemyError

from proband.core.errors import ProbandError
from proband.core.files import file_errors, read_utf8, write_jsonl
from proband_annotate.human_task import read_units
from proband_annotate.project import new_code, secret_of
from proband_annotate.store import people as people_store
from proband_annotate.store.database import Database, reason_of
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
    outcome: str = ""  # of the visit here, or `rejected`


def workers_of(secret: bytes, who: str, source: str = "") -> list[str]:
    """The possible hashes of a person: one for a personal link or a visit's address, one per platform for an id."""
    who = who.strip()
    token = who.rpartition("/")[2].partition("?")[0]
    try:
        visit: Visit = unseal(secret, "visit", token, Visit, signed=False)
        return [visit.worker]
    except Forged:
        pass
    try:
        link: Link = unseal(secret, "link", token, Link, signed=False)
        return [worker_hash(secret, "link", link.name)] if link.name else []
    except Forged:
        return [worker_hash(secret, each, who) for each in ((source,) if source else SOURCES)]


def erase_by_name(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """Erase a person by id or link, for the command line; an error if nothing is found."""
    with closing(open_study(folder)) as database:
        made = erase(folder, database, *workers_of(secret_of(folder), who, source))
    if not made.projects:
        raise _nobody(folder, who, made.left)
    return asdict(made)


def _nobody(folder: Path, who: str, left: Sequence[str]) -> ProbandError:
    return ProbandError("; ".join((f"no person found for {who!r}, neither here nor as an author", *left)), file=folder)


def known_by_name(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """What would be erased."""
    known = person_data(folder, who, source)
    held = [each for found in known["projects"].values() for each in found]
    people = [each["person"]["id"] for each in held if "person" in each]
    counts = {name: sum(len(each.get(name, ())) for each in held) for name in ("answers", "stories")}
    return {"people": people, **counts, "projects": list(known["projects"]), "left": known["left"], "erased": False}


def erase(folder: Path, database: Database, *workers: str, receipt: str = "") -> Erased:
    """Erase a person, by their possible hashes, from this project, and what they wrote in those that review it. Once
    they are erased here, what fails is listed. Repeated with the same receipt, it returns the same amounts."""
    made = Erased()
    made.outcome = _erase_here(folder, database, workers, receipt, made)
    with _listed(folder, made.left):
        for other in reviews_of(folder):
            with _listed(other, made.left), closing(open_study(other)) as there:
                _erase_here(other, there, workers, receipt, made)
    return made


@contextmanager
def _listed(folder: Path, left: list[str]) -> Iterator[None]:
    """List what fails in a project as left to do."""
    try:
        yield
    except (ProbandError, SQLAlchemyError, sqlite3.Error, OSError) as error:
        left.append(f"{folder}: {reason_of(error)}")


def _erase_here(folder: Path, database: Database, workers: Sequence[str], receipt: str, made: Erased) -> str:
    """Erase a person from one project; returns the outcome of their visit."""
    work = [partial(_erase_person, worker=worker, receipt=receipt or new_code()) for worker in workers]
    erased, stories = [row for each in work if (row := database.write(each)) is not None], 0
    for row in erased:
        made.answers += row.answers
        if Decimal(row.bonus):
            made.still_paid.append(f"{row.bonus} {row.currency}")
            made.receipts.append(row.receipt)
    with _listed(folder, made.left):
        stories = sum(_erase_stories(folder, database, worker) for worker in workers)
    made.stories += stories
    if erased or stories:
        made.projects.append(str(folder))
    if erased or stories or not receipt:  # an owner may repeat it to purge what a call before this one erased
        with _listed(folder, made.left):
            database.purge_deleted()
    return erased[0].outcome if erased else ""


def _erase_stories(folder: Path, database: Database, worker: str) -> int:
    stories = database.write(lambda c: people_store.erase_stories(c, worker))
    # also where no story is left in the database: a call before this one may have stopped here
    return max(stories, _rewrite_units(folder / "units.jsonl", worker))


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
        row["outcome"] = "rejected" if person.decision == "rejected" else person.outcome or "stopped"
        connection.execute(erasures.insert().values(**row))
    written = select(erasures).where(erasures.c.receipt == receipt).order_by(erasures.c.id.desc())
    return connection.execute(written).first()


# ---- what is held about a person ------------------------------------------------------------------------------------


def person_data(folder: Path, who: str, source: str = "") -> dict[str, Any]:
    """Everything stored about one person, here and in the projects that review their texts."""
    hashes, projects, left = workers_of(secret_of(folder), who, source), dict[str, Any](), list[str]()
    for place in (folder, *reviews_of(folder)):
        with _listed(place, left), closing(open_study(place)) as database:
            if held := database.read(lambda c: [found for worker in hashes if (found := _held(c, worker))]):
                projects[str(place)] = held
    if not projects:
        raise _nobody(folder, who, left)
    return {"who": who, "projects": projects, "left": left}


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
    stories = _stories(connection, worker)
    return {**made, "stories": stories} if made or stories else {}


def _stories(connection: Connection, worker: str) -> list[dict[str, Any]]:
    """The stories of an author in the units of a project that reviews them."""
    bodies = connection.execute(select(units.c.body).where(units.c.body.contains(worker))).scalars()
    return [s for body in bodies for s in msgspec.json.decode(body).get("stories", ()) if s.get("author") == worker]


def _read(name: str, value: Any) -> Any:
    return msgspec.json.decode(value) if name in ("body", "signals") and isinstance(value, str) else value


def _rewrite_units(path: Path, worker: str) -> int:
    """Remove an author's stories from units.jsonl, if any are left there; returns their number."""
    if not path.is_file() or worker not in read_utf8(path):
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
    return [folder / line for line in dict.fromkeys(read_utf8(path).splitlines()) if line]


def add_review(folder: Path, review: Path) -> None:
    """Record in a *write* project which project reviews its stories."""
    with file_errors(folder / REVIEWS), open(folder / REVIEWS, "a", encoding="utf-8") as file:
        file.write(os.path.relpath(review.resolve(), folder.resolve()) + "\n")
