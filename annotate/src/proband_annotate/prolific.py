"""Prolific's API: commands approve submissions, pay bonuses and send messages to people of the study, who are known by
the hash of their id.

Paying a bonus is not idempotent there: the same request twice pays twice. So every payment is recorded first. A
transfer is `planned` (no request to Prolific, or only a batch that does not pay by itself), `ready` (its batch is
known), `paying` (the request that pays has begun) and `paid`. Each step is taken by one command only, and `paying` is
never undone: if there is no reply, the owner looks it up at Prolific and records the outcome (`settle`).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from proband.core.errors import ProbandError
from proband_annotate.project import Project, read_project, secret_of
from proband_annotate.results.payments import payments
from proband_annotate.results.register import collect
from proband_annotate.store.database import Database
from proband_annotate.store.migrate import LOCK, open_study
from proband_annotate.store.people import note
from proband_annotate.store.schema import count_rows, events, transfers
from proband_annotate.tokens import worker_hash

ADDRESS, TOKEN = "PROLIFIC_API", "PROLIFIC_TOKEN"  # variables of the environment
PAGE = 100  # submissions asked for at once
WAITING, APPROVED = "AWAITING REVIEW", "APPROVED"  # states of a submission


class NoReply(Exception):
    """No reply, or one that does not show whether the request was carried out."""


class Api:
    def __init__(self, study: str) -> None:
        import httpx

        token = os.environ.get(TOKEN, "")
        if not token:
            raise ProbandError(f"the variable {TOKEN} is not set: Prolific's settings have the token of its API")
        base = os.environ.get(ADDRESS, "https://api.prolific.com").rstrip("/")
        headers = {"Authorization": f"Token {token}"}
        self.study, self.http = study, httpx.Client(base_url=f"{base}/api/v1", headers=headers, timeout=60)

    def ask(self, method: str, path: str, **more: Any) -> Any:
        import httpx

        try:
            reply = self.http.request(method, path, **more)
        except httpx.HTTPError as error:
            raise NoReply(f"{path}: {error or type(error).__name__}") from None
        if reply.is_client_error:
            raise ProbandError(f"Prolific refuses {path} (status {reply.status_code}): {reply.text[:300]}")
        try:
            if reply.is_success:
                return reply.json() if reply.content else None
        except ValueError:  # not JSON
            pass
        raise NoReply(f"{path}: status {reply.status_code}, {reply.text[:100]!r}")

    def submissions(self) -> Iterator[dict[str, Any]]:
        for page in count(1):
            query = {"study": self.study, "page": page, "page_size": PAGE}
            submissions: list[dict[str, Any]] = self.ask("GET", "/submissions/", params=query)["results"]
            yield from submissions
            if len(submissions) < PAGE:
                return


@dataclass(frozen=True, kw_only=True)
class Participant:
    """A person of the study with their id on Prolific."""

    id: str
    submission: str
    status: str
    person: Mapping[str, Any]
    line: Mapping[str, Any]  # a line of the payments


def act(
    folder: Path, action: str, *, study: str, text: str = "", settle: str = "", yes: bool = False
) -> dict[str, Any]:
    """Approve, pay or send messages; without `yes`, only report what would be done."""
    project, secret = read_project(folder), secret_of(folder)
    with closing(open_study(folder)) as database:
        if settle:
            return _settle(database, settle, yes=yes)
        api = Api(study)
        try:
            submissions = list(api.submissions())
            if action == "bonus":
                return _pay(api, database, project, secret, submissions, yes=yes)
            known = database.read(lambda connection: _participants(connection, project, secret, submissions))
            if action == "approve":
                return _approve(api, database, known, yes=yes)
            return _message(api, database, known, text, yes=yes)
        except NoReply as error:
            raise ProbandError(f"Prolific does not answer: {error}; nothing was paid") from None


def _participants(
    connection: Connection, project: Project, secret: bytes, submissions: Sequence[Mapping[str, Any]]
) -> list[Participant]:
    """The people of this study among the submissions that Prolific lists."""
    collected = collect(connection, project)
    people = {person["worker"]: person for person in collected.people}
    lines = {line["person"]: line for line in payments(collected, secret)}
    participants = []
    for each in submissions:
        name = str(each.get("participant_id") or each.get("participant") or "")
        person = people.get(worker_hash(secret, "prolific", name))
        if person is not None and person["id"] in lines:
            about = {"id": name, "submission": str(each["id"]), "status": str(each["status"])}
            participants.append(Participant(**about, person=person, line=lines[person["id"]]))
    return participants


def _approve(api: Api, database: Database, known: Sequence[Participant], *, yes: bool) -> dict[str, Any]:
    """Approve waiting submissions of people that the owner approved here. Repeating this changes nothing."""
    waiting = [each for each in known if each.status == WAITING]
    chosen = [each for each in waiting if each.person["decision"] == "approved"]
    for each in chosen if yes else ():
        api.ask("POST", f"/submissions/{each.submission}/transition/", json={"action": "APPROVE"})
        database.write(lambda c, number=each.person["id"]: note(c, "platform", number, "approved"))  # type: ignore[misc]
    ids = [each.id for each in chosen]
    return {"approved" if yes else "would_approve": ids, "not_approved_here": len(waiting) - len(chosen)}


def _message(api: Api, database: Database, known: Sequence[Participant], text: str, *, yes: bool) -> dict[str, Any]:
    """Send the same message to each person of the study once."""
    if not text.strip():
        raise ProbandError("--text is empty")
    mark = f"message {hashlib.sha256(text.encode()).hexdigest()[:12]}"
    query = select(events.c.person_id).where(events.c.kind == "platform", events.c.detail == mark)
    had = database.read(lambda c: set(c.execute(query).scalars()))
    chosen = list({each.id: each for each in known if each.person["id"] not in had}.values())
    for each in chosen if yes else ():
        database.write(lambda c, number=each.person["id"]: note(c, "platform", number, mark))  # type: ignore[misc]
        api.ask("POST", "/messages/", json={"recipient_id": each.id, "study_id": api.study, "body": text})
    return {"sent" if yes else "would_send": [each.id for each in chosen], "had_it_before": len(had)}


# ---- bonuses --------------------------------------------------------------------------------------------------------


def _pay(
    api: Api,
    database: Database,
    project: Project,
    secret: bytes,
    submissions: Sequence[Mapping[str, Any]],
    *,
    yes: bool,
) -> dict[str, Any]:
    """Pay what is due to people with an approved submission, minus earlier payments. People who agreed to be paid in
    another currency are only named."""
    currency, others = project.pay.currency, dict[str, str]()
    there = api.ask("GET", f"/studies/{api.study}/").get("presentment_currency_code", currency)
    if there != currency:
        raise ProbandError(f"'pay.currency' is {currency}, but the study at Prolific is in {there}")

    def plan(connection: Connection) -> list[dict[str, Any]]:
        _alone(connection)
        known = [e for e in _participants(connection, project, secret, submissions) if e.status == APPROVED]
        others.update({e.id: e.line["currency"] for e in known if e.line["currency"] != currency})
        return _planned(connection, {e.person["id"]: e for e in known if e.id not in others}, keep=yes)

    rows = (database.write if yes else database.read)(plan)
    total = sum((Decimal(row["amount"]) for row in rows), Decimal(0))
    made = {"people": len(rows), "total": f"{total:.2f}", "currency": currency}
    made |= {"not_paid_in_another_currency": others} if others else {}
    if not yes or not rows:
        return {"would_pay" if not yes else "paid": {row["participant"]: row["amount"] for row in rows}, **made}
    batch = _ready(api, database, rows)
    _pay_batch(api, database, batch)
    return {"paid": {row["participant"]: row["amount"] for row in rows}, **made, "batch": batch}


def _planned(connection: Connection, known: Mapping[int, Participant], *, keep: bool) -> list[dict[str, Any]]:
    """The transfers to make now; with `keep`, stored as planned."""
    earlier = connection.execute(select(transfers)).all()
    if lost := sorted({row.batch for row in earlier if row.state == "paying"}):
        reason = "it is unknown whether it was paid. Look it up at Prolific, then record it"
        raise ProbandError(f"batch {lost[0]}: {reason}: --settle {lost[0]}=paid or --settle {lost[0]}=unpaid")
    paid: dict[int, Decimal] = {}
    for row in earlier:
        if row.state == "paid":
            paid[row.person_id] = paid.get(row.person_id, Decimal(0)) + Decimal(row.amount)
    due = {number: Decimal(str(each.line["bonus"])) - paid.get(number, Decimal(0)) for number, each in known.items()}
    rows: list[dict[str, Any]] = [
        {"person_id": number, "amount": f"{amount:.2f}", "state": "planned", "batch": "", "at": time.time()}
        for number, amount in due.items()
        if amount > 0
    ]
    if keep:  # plans of a command that stopped before paying are made again
        connection.execute(delete(transfers).where(transfers.c.state.in_(("planned", "ready"))))
        if rows:
            connection.execute(insert(transfers), rows)
    return [{**row, "participant": known[row["person_id"]].id} for row in rows]


def _ready(api: Api, database: Database, rows: Sequence[Mapping[str, Any]]) -> str:
    """Create a batch at Prolific, which does not pay by itself."""
    lines = "".join(f"{row['participant']},{row['amount']}\n" for row in rows)
    made = api.ask("POST", "/submissions/bonus-payments/", json={"study_id": api.study, "csv_bonuses": lines})
    batch, numbers = str(made["id"]), [row["person_id"] for row in rows]
    mine = transfers.c.person_id.in_(numbers) & (transfers.c.state == "planned")
    step = update(transfers).where(mine).values(state="ready", batch=batch)
    if database.write(lambda c: c.execute(step).rowcount) != len(rows):
        raise ProbandError("another command is paying at the same time; nothing was paid by this one")
    return batch


def _pay_batch(api: Api, database: Database, batch: str) -> None:
    _move(database, batch, "ready", "paying")
    try:
        api.ask("POST", f"/bulk-bonus-payments/{batch}/pay/")
    except NoReply as error:
        reason = f"{error}. It is unknown whether batch {batch} was paid; look it up at Prolific, then record it"
        raise ProbandError(f"{reason}: --settle {batch}=paid or --settle {batch}=unpaid") from None
    except ProbandError:
        _move(database, batch, "paying", "ready")
        raise
    _move(database, batch, "paying", "paid")


def _move(database: Database, batch: str, before: str, after: str) -> None:
    step = update(transfers).where(transfers.c.batch == batch, transfers.c.state == before).values(state=after)

    def work(connection: Connection) -> int:
        _alone(connection)
        return connection.execute(step).rowcount

    if not database.write(work):
        raise ProbandError(f"batch {batch}: another command is paying it; nothing was paid by this one")


def _alone(connection: Connection) -> None:
    """Lock out other commands that plan or pay until the end of the transaction; SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")


def _settle(database: Database, given: str, *, yes: bool) -> dict[str, Any]:
    """Record what the owner found at Prolific about a batch whose request got no reply."""
    batch, _, state = given.rpartition("=")
    if not batch or state not in ("paid", "unpaid"):
        raise ProbandError(f"--settle {given}: write BATCH=paid or BATCH=unpaid")
    waiting = (transfers.c.batch == batch) & (transfers.c.state == "paying")
    if not database.read(lambda connection: count_rows(connection, transfers, waiting)):
        raise ProbandError(f"no batch {batch!r} waits for an outcome")
    if yes:
        _move(database, batch, "paying", "paid" if state == "paid" else "ready")
    return {"batch": batch, "settled" if yes else "would_settle": state}
