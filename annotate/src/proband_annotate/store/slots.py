"""Slots: taken, kept by a heartbeat, released when the lease runs out."""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select, update

from proband_annotate.store.people import Person, give_back
from proband_annotate.store.schema import assignments, at_slot, drafts, exclusions, of_person, slots, units

Assignment = Row[Any]
AWAY = 60.0  # seconds of silence; the script sends two heartbeats in this time
WITHOUT_SCRIPT = 1800.0  # most seconds of work per page if time away cannot be measured
TURN = 1_000_003  # each person sees the units in a different order


def add_unit(connection: Connection, *, number: int, unit: Mapping[str, Any]) -> None:
    """Add a unit, without slots."""
    row = {key: unit[key] for key in ("name", "role", "body", "gold")}
    connection.execute(units.insert().values(id=number, **row))
    for worker in unit.get("excluded", ()):
        connection.execute(exclusions.insert().values(unit_id=number, worker=worker))


def add_slots(connection: Connection, unit_id: int, panel: str, count: int, *, added: str = "") -> None:
    """Add slots after the existing ones; `added` is the reason, if they came later."""
    here = (slots.c.unit_id == unit_id) & (slots.c.panel == panel)
    last = connection.scalar(select(func.max(slots.c.place)).where(here)) or 0
    shuffled = {n: zlib.crc32(f"{unit_id}.{n}".encode()) % TURN for n in range(last + 1, last + count + 1)}
    shared = {"unit_id": unit_id, "panel": panel, "added": added}
    if shuffled:
        connection.execute(slots.insert(), [{**shared, "place": n, "shuffle": s} for n, s in shuffled.items()])


def current(connection: Connection, person_id: int) -> Assignment | None:
    """The unit that a person is working on."""
    mine = (assignments.c.person_id == person_id) & (assignments.c.state == "open")
    return connection.execute(select(assignments).where(mine).order_by(assignments.c.started)).first()


def take(connection: Connection, person: Person, *, now: float, until: float) -> Assignment | None:
    """Take a free slot on a unit that the person has not seen and is not excluded from."""
    slot = _free_slot(connection, person)
    if slot is None and return_expired(connection, now=now):
        slot = _free_slot(connection, person)
    if slot is None:
        return None
    connection.execute(update(slots).where(at_slot(slot.unit_id, slot.panel, slot.place)).values(taken=1))
    return take_unit(connection, person, slot.unit_id, now=now, until=until, slot=slot.place)


def _free_slot(connection: Connection, person: Person) -> Row[Any] | None:
    """Level by level: first slots before second ones. Each person starts at another position of the shuffled order, so
    two rarely want the same unit; the index has this order, and nothing is sorted."""
    begin = person.id * 104729 % TURN
    free = (slots.c.panel == person.panel) & (slots.c.taken == 0)
    level = connection.scalar(select(func.min(slots.c.place)).where(free))
    while level is not None:
        for part in (slots.c.shuffle >= begin, slots.c.shuffle < begin):
            query = (
                select(slots)
                .where(free, slots.c.place == level, part)
                .where(_is_new(slots.c.unit_id, person))
                .order_by(slots.c.shuffle)
                .limit(1)
                .with_for_update(skip_locked=True)
            )
            if (slot := connection.execute(query).first()) is not None:
                return slot
        level = connection.scalar(select(func.min(slots.c.place)).where(free, slots.c.place > level))
    return None


def _is_new(unit_id: Any, person: Person) -> Any:
    """Condition: a unit that the person has not seen and is not excluded from."""
    seen = select(assignments.c.unit_id).where(assignments.c.person_id == person.id)
    excluded = select(exclusions.c.unit_id).where(exclusions.c.worker == person.worker)
    return unit_id.not_in(seen) & unit_id.not_in(excluded)


def take_unit(
    connection: Connection, person: Person, unit_id: int, *, now: float, until: float, slot: int | None = None
) -> Assignment | None:
    """A unit with a slot, or one without slots (trial, gold, attention), which everybody may have."""
    row = {"person_id": person.id, "unit_id": unit_id, "panel": person.panel, "place": slot}
    connection.execute(assignments.insert().values(**row, state="open", started=now, until=until))
    return current(connection, person.id)


def unseen(connection: Connection, person_id: int, role: str) -> int | None:
    """The first unit of a role that a person has not had."""
    seen = select(assignments.c.unit_id).where(assignments.c.person_id == person_id)
    query = select(units.c.id).where(units.c.role == role, units.c.id.not_in(seen)).order_by(units.c.id)
    return connection.scalar(query.limit(1))


def heartbeat(
    connection: Connection, person: Person, unit_id: int, *, now: float, until: float, working: bool = True
) -> bool:
    """Extend the lease of a person who is still there; an expired one is renewed if a slot is free. After the end of a
    visit, an open tab keeps nothing. Time since the last heartbeat counts as work if it was short and the person was
    active (`working`)."""
    lease = held(connection, person.id, unit_id, lock=True)
    if lease is None or lease.state in ("done", "skipped") or person.outcome:
        return False
    if lease.state == "expired" and not retake(connection, lease, state="open"):
        return False
    worked = worked_since(lease, now) if working else 0.0
    values = {"until": until, "seen": now, "active": lease.active + worked}
    connection.execute(update(assignments).where(of_person(assignments, person.id, unit_id)).values(**values))
    return True


def worked_since(lease: Assignment, now: float) -> float:
    """Seconds of work since the last heartbeat; longer silence was time away."""
    silence = now - (lease.seen if lease.seen is not None else lease.started)
    return max(0.0, silence) if silence <= AWAY else 0.0


def retake(connection: Connection, lease: Assignment, *, state: str) -> bool:
    """Take a free slot for an assignment that lost its own, if there is one."""
    query = (
        select(slots)
        .where(slots.c.unit_id == lease.unit_id, slots.c.panel == lease.panel, slots.c.taken == 0)
        .order_by(slots.c.place)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    slot = connection.execute(query).first()
    if slot is None:
        return False
    mine = of_person(assignments, lease.person_id, lease.unit_id)
    connection.execute(update(slots).where(at_slot(slot.unit_id, slot.panel, slot.place)).values(taken=1))
    connection.execute(update(assignments).where(mine).values(place=slot.place, state=state))
    return True


def resume(connection: Connection, person: Person, *, until: float) -> Assignment | None:
    """Resume a unit whose lease ran out while the person was away: one with a draft, or a check. Its slot is taken
    again if it is free; otherwise the answer is kept and counts only if a slot becomes free."""
    drafted = select(drafts.c.unit_id).where(drafts.c.person_id == person.id)
    query = (
        select(assignments)
        .join(units, units.c.id == assignments.c.unit_id)
        .where(assignments.c.person_id == person.id, assignments.c.state == "expired")
        .where(or_(units.c.role != "main", assignments.c.unit_id.in_(drafted)))
        .order_by(assignments.c.started.desc())
    )
    lease = connection.execute(query).first()
    if lease is None:
        return None
    retake(connection, lease, state="open")
    mine = of_person(assignments, person.id, lease.unit_id)
    connection.execute(update(assignments).where(mine).values(state="open", until=until, seen=time.time()))
    return current(connection, person.id)


def restore(connection: Connection, person_id: int) -> int:
    """Take slots for the answers of a person who is no longer rejected, if some are free; returns their number."""
    without = (assignments.c.person_id == person_id) & (assignments.c.state == "done") & assignments.c.place.is_(None)
    leases = connection.execute(select(assignments).where(without)).all()
    return sum(retake(connection, lease, state="done") for lease in leases)


def return_expired(connection: Connection, *, now: float) -> int:
    """Release every slot whose lease ran out."""
    over = (assignments.c.state == "open") & (assignments.c.until < now)
    query = select(assignments).where(over).with_for_update(skip_locked=True)
    leases = connection.execute(query).all()
    for lease in leases:
        give_back(connection, lease, state="expired")
    return len(leases)


def pending(connection: Connection, person: Person) -> bool:
    """May a slot for this person become free, because another person holds it now?"""
    query = (
        select(assignments.c.unit_id)
        .where(assignments.c.state == "open", assignments.c.place.is_not(None), assignments.c.panel == person.panel)
        .where(_is_new(assignments.c.unit_id, person))
        .limit(1)
    )
    return connection.execute(query).first() is not None


def unfinished(connection: Connection, panel: str, unit_id: int | None = None) -> bool:
    """Does a unit (default: any) still need an answer of a panel?"""
    taken = at_slot(assignments.c.unit_id, assignments.c.panel, assignments.c.place)
    query = (
        select(slots.c.place)
        .select_from(slots.outerjoin(assignments, taken & (assignments.c.state == "done")))
        .where(slots.c.panel == panel, assignments.c.state.is_(None))
        .limit(1)
    )
    query = query if unit_id is None else query.where(slots.c.unit_id == unit_id)
    return connection.execute(query).first() is not None


def held(connection: Connection, person_id: int, unit_id: int, *, lock: bool = False) -> Assignment | None:
    """The assignment of a person on a unit, in any state; with `lock`, its lease cannot run out meanwhile."""
    query = select(assignments).where(of_person(assignments, person_id, unit_id))
    return connection.execute(query.with_for_update() if lock else query).one_or_none()
