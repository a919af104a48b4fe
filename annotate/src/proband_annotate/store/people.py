"""People: known by a keyed hash, counted, decided on, forgotten on request."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, update

from proband.core.files import encode
from proband_annotate.store.schema import (
    adjudications,
    agreements,
    answers,
    assignments,
    at_slot,
    bonuses,
    checks,
    count_rows,
    drafts,
    events,
    exclusions,
    of_person,
    people,
    remarks,
    slots,
    units,
)

Person = Row[Any]
IN_QUOTA = ("", "done", "stopped")  # outcomes of people whose work counts
REASONS = ("failed_checks", "careless", "no_effort", "machine_text", "other")  # for a rejection; words may follow


def note(connection: Connection, kind: str, person_id: int | None = None, detail: str = "") -> None:
    connection.execute(events.insert().values(at=time.time(), person_id=person_id, kind=kind, detail=detail))


def find(connection: Connection, worker: str, *, lock: bool = False) -> Person | None:
    """A person by hash; with `lock`, their row is locked until the transaction ends."""
    query = select(people).where(people.c.worker == worker)
    return connection.execute(query.with_for_update() if lock else query).one_or_none()


def arrive(
    connection: Connection,
    *,
    worker: str,
    source: str,
    panel: str,
    signals: bool,
    agreement: int | None = None,
    most: int = 0,
    quota: str = "",
    most_of_quota: int = 0,
) -> bool:
    """Store a person who agreed to a version of the terms (default: the newest); False if the study or their quota is
    full. Repeating this changes nothing."""
    from sqlalchemy.dialects import postgresql, sqlite

    if find(connection, worker) is not None:
        return True
    if (most or quota) and panel == "crowd":
        if connection.dialect.name == "postgresql":  # arrivals wait for each other, so that counts are exact
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7043115)")
        if is_full(connection, most=most, quota=quota, most_of_quota=most_of_quota):
            return False
    if agreement is None:
        agreement = connection.scalar(select(func.max(agreements.c.id)))
    row = {"worker": worker, "source": source, "panel": panel, "signals": int(signals), "created": time.time()}
    row |= {"agreement_id": agreement, "quota": quota}
    own = postgresql if connection.dialect.name == "postgresql" else sqlite
    connection.execute(own.insert(people).values(**row).on_conflict_do_nothing(index_elements=["worker"]))
    made = find(connection, worker)
    assert made is not None
    words = "with signals" if signals else "without signals"
    note(connection, "consent", made.id, f"to version {made.agreement_id}, {words}")
    return True


def is_full(connection: Connection, *, most: int, quota: str, most_of_quota: int) -> bool:
    """Are there as many people as wanted, or people of a quota who are working or whose work counts?"""
    crowd = people.c.panel == "crowd"
    if most and count_rows(connection, people, crowd) >= most:
        return True
    of_use = people.c.outcome.in_(IN_QUOTA) & (people.c.decision != "rejected")
    return bool(quota) and count_rows(connection, people, people.c.quota == quota, crowd, of_use) >= most_of_quota


def try_comprehension(connection: Connection, worker: str, *, right: bool, attempts: int, before: int = 0) -> None:
    """One attempt at the questions about the instructions, after `before` others (sent again it changes nothing); after
    the last wrong one the person is screened out."""
    person = find(connection, worker, lock=True)
    if person is None or person.understood or person.outcome or person.attempts != before:
        return
    used = person.attempts + 1
    values: dict[str, Any] = {"attempts": used, "understood": int(right)}
    connection.execute(update(people).where(people.c.id == person.id).values(**values))
    note(connection, "comprehension", person.id, "right" if right else f"wrong, attempt {used} of {attempts}")
    if not right and used >= attempts:
        finish(connection, person.id, "screened_out")


def finish(connection: Connection, person_id: int, outcome: str, *, uncounted: bool = False) -> None:
    """End a visit: open leases are released or, with `uncounted`, the slots of all answers."""
    done = update(people).where(people.c.id == person_id, people.c.outcome == "")  # locks the person first
    if connection.execute(done.values(outcome=outcome, finished=time.time())).rowcount:
        note(connection, "finished", person_id, outcome)
    held = assignments.c.place.is_not(None) if uncounted else assignments.c.state == "open"
    _give_all_back(connection, person_id, held | (assignments.c.state == "open"))


def give_back(connection: Connection, lease: Row[Any], *, state: str) -> None:
    """Release a lease, which is locked: its slot is not given to another person meanwhile."""
    mine = of_person(assignments, lease.person_id, lease.unit_id)
    connection.execute(update(assignments).where(mine).values(place=None, state=state))
    if lease.place is not None:
        here = at_slot(lease.unit_id, lease.panel, lease.place)
        connection.execute(update(slots).where(here).values(taken=0))


def _give_all_back(connection: Connection, person_id: int, which: ColumnElement[bool]) -> int:
    """Release leases of a person; answered units stay answered."""
    query = select(assignments).where(assignments.c.person_id == person_id, which).with_for_update()
    leases = connection.execute(query).all()
    for lease in leases:
        give_back(connection, lease, state=lease.state if lease.state in ("done", "skipped") else "expired")
    return len(leases)


def uncount(connection: Connection, person_id: int) -> int:
    """Release the slots that a person holds; returns their number."""
    return _give_all_back(connection, person_id, assignments.c.place.is_not(None))


def decide(connection: Connection, person_id: int, decision: str, reason: str) -> None:
    """Approve or reject, which ends a visit; a rejection has a reason. The answers of a rejected person no longer
    count: their slots become free (`slots.restore` takes back those that are still free)."""
    connection.execute(update(people).where(people.c.id == person_id).values(decision=decision, reason=reason))
    note(connection, decision or "undecided", person_id, reason)
    if decision == "rejected":
        uncount(connection, person_id)
    if decision:
        leave(connection, person_id)


def leave(connection: Connection, person_id: int) -> None:
    """End a visit without anything left to do: done, or screened out if nothing was sent."""
    sent = sent_by_role(connection, person_id)
    finish(connection, person_id, "done" if "main" in sent or "erased" in sent else "screened_out")


def end_visits(connection: Connection) -> None:
    """End every open visit as it is, so that the amounts due do not change later. Waits for answers that are being
    sent."""
    working = select(people.c.id).where(people.c.outcome == "").order_by(people.c.id).with_for_update()
    for number in connection.execute(working).scalars().all():
        leave(connection, number)


def erase(connection: Connection, person_id: int) -> int:
    """Delete everything that a person gave, except the fact that a person was erased. Returns the number of answers."""
    uncount(connection, person_id)
    mine = select(answers.c.id).where(answers.c.person_id == person_id)
    connection.execute(delete(checks).where(checks.c.answer_id.in_(mine)))
    gone = connection.execute(delete(answers).where(answers.c.person_id == person_id)).rowcount
    for table in (drafts, assignments, events, remarks, bonuses):
        connection.execute(delete(table).where(table.c.person_id == person_id))
    connection.execute(delete(people).where(people.c.id == person_id))
    note(connection, "erased", None, f"{gone} answers")
    return gone


def erase_stories(connection: Connection, worker: str) -> int:
    """Remove an author's stories from the units in which others review them; returns their number. Units without
    stories are no longer assigned."""
    count = 0
    for unit in connection.execute(select(units.c.id, units.c.body).where(units.c.body.contains(worker))).all():
        body, gone = without_stories(json.loads(unit.body), worker)
        if not gone:
            continue
        count += gone
        ids = [story["id"] for story in body["stories"] if story.get("erased")]
        connection.execute(delete(adjudications).where(adjudications.c.part.in_(ids)))
        connection.execute(update(units).where(units.c.id == unit.id).values(body=encode(body).decode()))
        if all(story.get("erased") for story in body["stories"]):
            here = assignments.c.unit_id == unit.id
            connection.execute(update(assignments).where(here, assignments.c.state == "open").values(state="expired"))
            connection.execute(update(assignments).where(here).values(place=None))
            connection.execute(delete(slots).where(slots.c.unit_id == unit.id))
            connection.execute(update(units).where(units.c.id == unit.id).values(role="erased"))
    connection.execute(delete(exclusions).where(exclusions.c.worker == worker))
    if count:
        note(connection, "erased", None, f"{count} stories")
    return count


def without_stories(body: dict[str, Any], worker: str) -> tuple[dict[str, Any], int]:
    """A unit's body without the texts of an author's stories, and their number. Other stories keep their positions,
    which the page and its form use."""
    stories = body.get("stories", [])
    kept = [{"id": s["id"], "erased": True} if s.get("author") == worker else s for s in stories]
    gone = sum(story.get("author") == worker for story in stories)
    return ({**body, "stories": kept} if gone else body), gone


def sent_by_role(connection: Connection, person_id: int) -> dict[str, int]:
    """The number of answered units of a person, by role."""
    return sent_by_everyone(connection, assignments.c.person_id == person_id)[person_id]


def sent_by_everyone(connection: Connection, *which: ColumnElement[bool]) -> dict[int, dict[str, int]]:
    """The same for all people, or for those of a condition."""
    query = (
        select(assignments.c.person_id, units.c.role, func.count())
        .select_from(assignments.join(units))
        .where(assignments.c.state == "done", *which)
        .group_by(assignments.c.person_id, units.c.role)
    )
    made: dict[int, dict[str, int]] = defaultdict(dict)
    for person, role, count in connection.execute(query):
        made[person][role] = count
    return made
