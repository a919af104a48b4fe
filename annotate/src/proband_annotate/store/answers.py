"""Answers: append-only, identified by an id from the browser, revised by adding."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from proband_annotate.store.people import Person
from proband_annotate.store.schema import answers, assignments, checks, drafts, of_person, people, units
from proband_annotate.store.slots import WITHOUT_SCRIPT, held, retake, worked_since

ASSIGNED = of_person(assignments, answers.c.person_id, answers.c.unit_id)  # joins an answer with its assignment


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """The result of a submission."""

    id: str
    new: bool  # False: this answer was already stored
    counts: bool
    revision: int


class Conflict(Exception):
    """An id that belongs to another answer, or a unit that the person was not given."""


class Ended(Exception):
    """An answer after the end: the visit has an outcome, its person a decision, or the study is closed."""


def submit(
    connection: Connection,
    person: Person,
    *,
    answer_id: str,
    unit_id: int,
    body: str,
    signals: str,
    now: float,
    closed: bool = False,
    scripted: bool = False,
) -> StoredAnswer:
    """Store an answer once, however often it is sent; take a slot for it if the lease ran out. Its seconds are working
    time (`scripted`: the page sent heartbeats, and longer silence was time away). The same id with another body is a
    new revision, under an id derived from both; without the script a page has one id, so what differs from the newest
    revision is new, even if it was sent before. After the end nothing is stored."""
    known, lease = _by_id(connection, answer_id), held(connection, person.id, unit_id, lock=True)
    if lease is None or (known is not None and (known.person_id != person.id or known.unit_id != unit_id)):
        raise Conflict
    last = last_answer(connection, person.id, unit_id)
    revision = last.revision + 1 if last is not None else 1
    if known is not None and not scripted:
        known = last
    if known is not None and known.body != body:
        answer_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{answer_id} {body}{'' if scripted else revision}"))
        known = _by_id(connection, answer_id)
    if known is not None:
        return StoredAnswer(id=known.id, new=False, counts=lease.place is not None, revision=known.revision)
    if closed or person.outcome or person.decision:
        raise Ended
    seconds = lease.active + (worked_since(lease, now) if scripted else _at_most_a_page(lease, now))
    row = {"id": answer_id, "person_id": person.id, "unit_id": unit_id, "revision": revision, "body": body}
    connection.execute(answers.insert().values(**row, seconds=seconds, signals=signals, created=now))
    counts = lease.place is not None or retake(connection, lease, state="done")
    mine = of_person(assignments, person.id, unit_id)
    connection.execute(update(assignments).where(mine).values(state="done", seen=now, active=seconds))
    connection.execute(delete(drafts).where(of_person(drafts, person.id, unit_id)))
    return StoredAnswer(id=answer_id, new=True, counts=counts, revision=revision)


def _at_most_a_page(lease: Row[Any], now: float) -> float:
    """Without the script, time away cannot be measured."""
    since: float = lease.seen if lease.seen is not None else lease.started
    return min(WITHOUT_SCRIPT, max(0.0, now - since))


def _by_id(connection: Connection, answer_id: str) -> Row[Any] | None:
    return connection.execute(select(answers).where(answers.c.id == answer_id)).one_or_none()


def save_draft(connection: Connection, person: Person, unit_id: int, body: str, now: float) -> bool:
    """Store a draft, only for a unit that the person was given and has not answered, before the visit ends."""
    lease = held(connection, person.id, unit_id)
    if person.outcome or lease is None or lease.state not in ("open", "expired"):
        return False
    here = of_person(drafts, person.id, unit_id)
    if not connection.execute(update(drafts).where(here).values(body=body, saved=now)).rowcount:
        connection.execute(drafts.insert().values(person_id=person.id, unit_id=unit_id, body=body, saved=now))
    return True


def draft_of(connection: Connection, person_id: int, unit_id: int) -> str | None:
    return connection.scalar(select(drafts.c.body).where(of_person(drafts, person_id, unit_id)))


def last_answer(connection: Connection, person_id: int, unit_id: int) -> Row[Any] | None:
    query = select(answers).where(of_person(answers, person_id, unit_id)).order_by(answers.c.revision.desc())
    return connection.execute(query.limit(1)).one_or_none()


def record_check(connection: Connection, person: Person, answer_id: str, *, share: float, passed: bool) -> int:
    """Record the result of a check; returns the number of failed ones, including this one."""
    connection.execute(checks.insert().values(answer_id=answer_id, share=share, passed=int(passed)))
    if passed:
        return int(person.failed)
    connection.execute(update(people).where(people.c.id == person.id).values(failed=people.c.failed + 1))
    return int(person.failed) + 1


def of_unit(connection: Connection, unit_id: int, panel: str) -> list[Row[Any]]:
    """The last revision of every answer that counts for a unit."""
    query = (
        select(answers)
        .join(assignments, ASSIGNED)
        .where(answers.c.unit_id == unit_id, assignments.c.place.is_not(None), assignments.c.panel == panel, _newest())
    )
    return list(connection.execute(query))


def _newest() -> Any:
    """Condition: no later revision of the answer."""
    newer = answers.alias()
    same = of_person(newer, answers.c.person_id, answers.c.unit_id)
    return ~select(newer.c.id).where(same, newer.c.revision > answers.c.revision).exists()


def latest_ids(connection: Connection) -> Sequence[Row[Any, Any, Any, Any]]:
    """id, person_id, unit_id and slot of the last revision of every answer, in the order of units and people: only what
    can change about an answer."""
    query = (
        select(answers.c.id, answers.c.person_id, answers.c.unit_id, assignments.c.place)
        .join(assignments, ASSIGNED)
        .where(_newest())
        .order_by(answers.c.unit_id, answers.c.person_id)
    )
    return connection.execute(query).all()


def with_bodies(connection: Connection, ids: Sequence[str]) -> Sequence[Row[Any]]:
    """Whole answers, with the gold of their unit."""
    query = select(answers, units.c.gold).join(units, units.c.id == answers.c.unit_id).where(answers.c.id.in_(ids))
    return connection.execute(query).all()
