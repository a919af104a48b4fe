"""Remarks of people: skipped units, problems, comments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, case, delete, func, select, update

from proband_annotate.store import people as people_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.people import Person
from proband_annotate.store.schema import bonuses, count_rows, people, remarks, units

MAX_REMARKS = 200  # remarks of one person
LONGEST = 2000


def add(connection: Connection, person: Person, *, kind: str, text: str, unit_id: int | None, at: float) -> bool:
    """Store a remark; False if the person does not have the unit, or has sent too many."""
    if unit_id is not None and slot_store.held(connection, person.id, unit_id) is None:
        return False
    if count(connection, person.id) >= MAX_REMARKS:
        return False
    row = {"person_id": person.id, "unit_id": unit_id, "kind": kind, "text": text[:LONGEST]}
    connection.execute(remarks.insert().values(**row, at=at))
    return True


def count(connection: Connection, person_id: int, *kinds: str) -> int:
    of_kinds = (remarks.c.kind.in_(kinds),) if kinds else ()
    return count_rows(connection, remarks, remarks.c.person_id == person_id, *of_kinds)


def skip(connection: Connection, person: Person, unit_id: int, text: str, *, most: int, at: float) -> bool:
    """Release a unit for good, for another person. Practice cannot be skipped: it decides who may continue."""
    lease = slot_store.held(connection, person.id, unit_id, lock=True)
    role = connection.scalar(select(units.c.role).where(units.c.id == unit_id))
    if lease is None or lease.state != "open" or person.outcome or role == "trial":
        return False
    few = count(connection, person.id, "skip") < most
    stored = few and add(connection, person, kind="skip", text=text, unit_id=unit_id, at=at)
    if stored:
        people_store.give_back(connection, lease, state="skipped")
    return stored


def all_of(connection: Connection, *, most: int = 500) -> Sequence[Row[Any]]:
    """All remarks with the name of the unit: open ones first, then the newest."""
    query = (
        select(remarks, units.c.name.label("unit"), people.c.worker)
        .join(people, people.c.id == remarks.c.person_id)
        .outerjoin(units, units.c.id == remarks.c.unit_id)
        .order_by(remarks.c.settled, remarks.c.id.desc())
        .limit(most)
    )
    return connection.execute(query).all()


def per_unit(connection: Connection, *, most: int = 50) -> Sequence[Row[Any, Any, Any]]:
    """Units that people skip or report, most remarks first: name, skips, problems."""
    skips, problems = (func.sum(case((remarks.c.kind == kind, 1), else_=0)) for kind in ("skip", "problem"))
    query = (
        select(units.c.name, skips.label("skips"), problems.label("problems"))
        .join(units, units.c.id == remarks.c.unit_id)
        .where(remarks.c.kind.in_(("skip", "problem")))
        .group_by(units.c.name)
        .order_by(func.count().desc(), units.c.name)
        .limit(most)
    )
    return connection.execute(query).all()


def settle(connection: Connection, number: int, *, settled: bool) -> None:
    connection.execute(update(remarks).where(remarks.c.id == number).values(settled=int(settled)))


def grant(connection: Connection, person_id: int, amount: float, reason: str) -> None:
    """Replace a bonus; zero removes it."""
    connection.execute(delete(bonuses).where(bonuses.c.person_id == person_id))
    if amount:
        row = {"person_id": person_id, "amount": amount, "reason": reason, "at": time.time()}
        connection.execute(bonuses.insert().values(**row))
    people_store.note(connection, "bonus", person_id, f"{amount:g} {reason}".strip())
