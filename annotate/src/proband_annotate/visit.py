"""What a person does next: consent, instructions, trial, units with checks in between, the end."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select

from proband.core.files import encode
from proband.core.human_task import WHOLE, Body, HumanTask
from proband_annotate.project import Project
from proband_annotate.store import answers as answer_store
from proband_annotate.store import people as people_store
from proband_annotate.store import remarks as remark_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.people import Person
from proband_annotate.store.schema import answers as answers_table
from proband_annotate.store.schema import checks, count_rows, settings, units
from proband_annotate.texts import label_name, text

Line = tuple[bool, str]  # whether a part of a practice task was right, and a sentence that says so
PLACELESS = ("trial", "gold", "attention")
ALIKE = ("main", "gold")  # a person cannot tell the two, by the counter either


@dataclass(frozen=True, kw_only=True)
class Step:
    """`name`: consent | instructions | unit | wait | end | paused | closed | full."""

    name: str
    person: Person | None = None
    unit: dict[str, Any] = field(default_factory=dict)
    draft: dict[str, str] = field(default_factory=dict)
    started: float = 0.0
    done: int = 0  # units of the roles that look alike
    gold: int = 0  # units with a known answer in the study
    last: int | None = None  # the unit answered before this one: it can be changed
    skipped: int = 0  # units so far


def state_of(connection: Connection) -> str:
    """open | paused | closed."""
    return connection.scalar(select(settings.c.value).where(settings.c.name == "state")) or "open"


def glance(connection: Connection, worker: str) -> Step | None:
    """The step of a person who has one already; None if a place must be found first. Changes nothing."""
    return _standing(connection, people_store.find(connection, worker))


def _standing(connection: Connection, person: Person | None) -> Step | None:
    state = state_of(connection)
    if person is None:
        return Step(name="consent" if state == "open" else state)
    done = people_store.answered(connection, person.id, *ALIKE)
    if person.outcome:
        return Step(name="end", person=person, done=done)
    if state == "closed":  # the visit ends now: `advance` does that
        return None
    held = slot_store.current(connection, person.id)
    if held is not None:
        return _unit_step(connection, person, held, done)
    if not person.understood:
        return Step(name="instructions", person=person)
    return Step(name=state, person=person, done=done) if state != "open" else None


def _unit_step(connection: Connection, person: Person, held: slot_store.Assignment, done: int) -> Step:
    draft = json.loads(answer_store.draft_of(connection, person.id, held.unit_id) or "{}")
    unit, last = unit_of(connection, held.unit_id), last_answered(connection, person.id) if done else None
    about = {
        "draft": draft,
        "started": held.started,
        "done": done,
        "last": last,
        "gold": count_rows(connection, units, units.c.role == "gold"),
    }
    about["skipped"] = remark_store.count(connection, person.id, "skip")
    return Step(name="unit", person=person, unit=unit, **about)


def last_answered(connection: Connection, person_id: int) -> int | None:
    query = (
        select(answers_table.c.unit_id)
        .join(units, units.c.id == answers_table.c.unit_id)
        .where(answers_table.c.person_id == person_id, units.c.role.in_(ALIKE))
        .order_by(answers_table.c.created.desc())
        .limit(1)
    )
    return connection.scalar(query)


def unit_of(connection: Connection, unit_id: int) -> dict[str, Any]:
    row = connection.execute(select(units).where(units.c.id == unit_id)).one()
    return {"id": row.id, "role": row.role, "body": json.loads(row.body), "gold": json.loads(row.gold or "null")}


def advance(connection: Connection, project: Project, worker: str) -> Step:
    """The next step, with a place taken where one is needed; the end if there is nothing left to do."""
    person = people_store.find(connection, worker, lock=True)
    step = _standing(connection, person)
    if step is not None or person is None:
        return step or Step(name="consent")
    now = time.time()
    until = now + project.time.lease_minutes * 60
    shown, done = (people_store.answered(connection, person.id, *roles) for roles in (ALIKE, ("main",)))
    if state_of(connection) == "closed":
        held = None
    elif (held := slot_store.resume(connection, person, until=until)) is not None:
        pass
    elif (check := _due(connection, project, person, done)) is not None:
        held = slot_store.take_unit(connection, person, check, now=now, until=until)
    elif project.people.units_per_person and done >= project.people.units_per_person and person.panel == "crowd":
        held = None
    else:
        held = slot_store.take(connection, person, now=now, until=until)
        if held is None and slot_store.pending(connection, person):
            return Step(name="wait", person=person, done=shown)
    if held is not None:
        return _unit_step(connection, person, held, shown)
    people_store.leave(connection, person.id)
    return Step(name="end", person=people_store.find(connection, worker), done=shown)


def _due(connection: Connection, project: Project, person: Person, done: int) -> int | None:
    """The trial, gold or attention unit that comes now."""
    if (trial := slot_store.unseen(connection, person.id, "trial")) is not None:
        return trial
    if person.panel != "crowd":
        return None
    for role, every in (("attention", project.quality.attention_every), ("gold", project.quality.gold_every)):
        owed = every and done // every > people_store.answered(connection, person.id, role)
        if owed and (result := slot_store.unseen(connection, person.id, role)) is not None:
            return result
    return None


def submit(
    connection: Connection,
    project: Project,
    task: HumanTask,
    worker: str,
    *,
    answer_id: str,
    unit_id: int,
    body: dict[str, Any],
    signals: dict[str, Any],
) -> answer_store.Stored:
    """Store an answer; check it where the right one is known; ask for more answers where people disagree."""
    person = people_store.find(connection, worker, lock=True)
    if person is None:
        raise answer_store.Conflict
    unit = unit_of(connection, unit_id)
    recorded = encode(signals if person.signals else {}).decode()
    stored = answer_store.submit(
        connection,
        person,
        answer_id=answer_id,
        unit_id=unit_id,
        body=encode(body).decode(),
        signals=recorded,
        now=time.time(),
        closed=state_of(connection) == "closed",
    )
    if stored.new and stored.revision == 1 and unit["role"] in PLACELESS:
        _check(connection, project, task, person, answer_id, unit, body)
    if stored.new and unit["role"] == "main" and project.quality.extra_overlap:
        _route(connection, project, task, person, unit)
    return stored


def _check(
    connection: Connection,
    project: Project,
    task: HumanTask,
    person: Person,
    answer_id: str,
    unit: dict[str, Any],
    body: dict[str, Any],
) -> None:
    role = unit["role"]
    if role == "attention":
        share = float(body.get("choice") == unit["body"]["answer"])
    else:
        share = task.share_right(unit["body"], body, unit["gold"])
    passed = share >= (1.0 if role == "attention" else project.quality.gold_share)
    if role == "trial":
        connection.execute(checks.insert().values(answer_id=answer_id, share=share, passed=int(passed)))
        if slot_store.unseen(connection, person.id, "trial") is None:
            _end_trial(connection, project, person)
        return
    failed = answer_store.record_check(connection, person, answer_id, share=share, passed=passed)
    people_store.note(connection, "check", person.id, f"{role} {'passed' if passed else 'failed'}")
    if failed >= project.quality.failures:
        people_store.finish(connection, person.id, "failed_checks")


def _end_trial(connection: Connection, project: Project, person: Person) -> None:
    query = (
        select(checks.c.passed)
        .join(answers_table, answers_table.c.id == checks.c.answer_id)
        .join(units, units.c.id == answers_table.c.unit_id)
        .where(answers_table.c.person_id == person.id, units.c.role == "trial")
    )
    results = [row.passed for row in connection.execute(query)]
    passed = sum(results) >= project.quality.trial_share * len(results)
    people_store.note(connection, "trial", person.id, f"{sum(results)} of {len(results)}")
    if not passed:
        people_store.finish(connection, person.id, "screened_out")


def _route(connection: Connection, project: Project, task: HumanTask, person: Person, unit: dict[str, Any]) -> None:
    """Further places for a unit that everybody has answered and on which fewer than four in five agree."""
    wanted = project.people.overlap + project.quality.extra_overlap
    if slot_store.unfinished(connection, unit["id"], "crowd"):
        return
    given = [json.loads(row.body) for row in answer_store.of_unit(connection, unit["id"], "crowd")]
    if len(given) < wanted and disputed(task, unit["body"], given):
        slot_store.add_slots(connection, unit["id"], "crowd", 1, added="disputed")


def disputed(task: HumanTask, body: dict[str, Any], given: list[dict[str, Any]]) -> bool:
    """Whether some part of a unit has no label that four in five people gave."""
    votes: dict[str, list[str]] = {}
    for each in given:
        for part, label in task.labels(body, each):
            votes.setdefault(part, []).append(label)
    return any(max(map(labels.count, labels)) < 0.8 * len(labels) for labels in votes.values())


def unit_for(connection: Connection, worker: str, unit_id: int) -> Step | None:
    """A unit that was given to this person, open or answered."""
    person = people_store.find(connection, worker)
    held = slot_store.held(connection, person.id, unit_id) if person is not None else None
    if person is None or held is None:
        return None
    done = people_store.answered(connection, person.id, *ALIKE)
    about = {"started": held.started, "done": done, "gold": count_rows(connection, units, units.c.role == "gold")}
    return Step(name="unit", person=person, unit=unit_of(connection, unit_id), **about)


def last_practice(connection: Connection, task: HumanTask, person_id: int) -> list[Line]:
    """What a person reads about the answer they sent last, if that was to a practice task."""
    query = (
        select(answers_table.c.body, units.c.body.label("unit_body"), units.c.gold, units.c.role)
        .join(units, units.c.id == answers_table.c.unit_id)
        .where(answers_table.c.person_id == person_id)
        .order_by(answers_table.c.created.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    if row is None or row.role != "trial":
        return []
    return practice_lines(task, json.loads(row.unit_body), json.loads(row.body), json.loads(row.gold or "null"))


def last_step(connection: Connection, task: HumanTask, worker: str) -> Step | None:
    """The last unit a person answered, with the answer in its form; None once the visit has ended."""
    person = people_store.find(connection, worker)
    unit_id = last_answered(connection, person.id) if person is not None and not person.outcome else None
    if person is None or unit_id is None:
        return None
    step = unit_for(connection, worker, unit_id)
    given = answer_store.last_answer(connection, person.id, unit_id)
    if step is None or given is None:
        return None
    draft = task.fields(step.unit["body"], json.loads(given.body))
    return replace(step, draft=draft)


# ---- practice --------------------------------------------------------------------------------------------------------


def practice_lines(task: HumanTask, body: Body, given: Body, gold: Any) -> list[Line]:
    """How an answer to a practice task compares with the known one, or with what its text must have."""
    checks = task.practice(body, given, gold) if task.practice is not None else task.checks(body, given)
    if checks:
        return [(check.met, text(check.text, **check.values)) for check in checks]
    known = gold if isinstance(gold, Mapping) else {WHOLE: gold} if gold is not None else {}
    if not known:
        return [(True, text("practice.open"))]
    labels = dict(task.labels(body, given))
    places = {part.id: part.place for part in task.parts(body)} or {WHOLE: 1}
    return [
        _practice_line(task, place, labels.get(part), known[part]) for part, place in places.items() if part in known
    ]


def _practice_line(task: HumanTask, place: int, given: str | None, right: str) -> Line:
    part = text(f"{task.name}.part", place=place)
    if given == right:
        return True, text("practice.right", part=part)
    chosen = text("practice.missing") if given is None else label_name(task.name, given)
    return False, text("practice.wrong", part=part, given=chosen, right=label_name(task.name, right))
