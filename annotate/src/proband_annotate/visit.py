"""The next step of a person: consent, instructions, trial, units with checks in between, the end."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Select, select

from proband.core.files import encode
from proband_annotate.human_task import WHOLE, Body, HumanTask, Invalid
from proband_annotate.project import Project
from proband_annotate.store import answers as answer_store
from proband_annotate.store import people as people_store
from proband_annotate.store import remarks as remark_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.people import Person
from proband_annotate.store.schema import answers as answers_table
from proband_annotate.store.schema import checks, count_rows, exclusions, settings, units
from proband_annotate.terms import Payment, Terms, pay_basis, payment_of, terms_for
from proband_annotate.texts import label_name, text

Line = tuple[bool, str]  # whether a part of a practice task was right, and its sentence
PLACELESS = ("trial", "gold", "attention")
ALIKE = ("main", "gold")  # people cannot distinguish the two


@dataclass(frozen=True, kw_only=True)
class Step:
    """`name`: consent | instructions | unit | wait | end | paused | closed | full."""

    name: str
    person: Person | None = None
    unit: dict[str, Any] = field(default_factory=dict)
    draft: dict[str, str] = field(default_factory=dict)
    started: float = 0.0
    last_answer: Mapping[str, Any] = field(default_factory=dict)  # to this unit
    terms: Terms | None = None  # that the person agreed to
    sent: Mapping[str, int] = field(default_factory=dict)  # tasks by role
    bonus: float = 0.0  # granted by an owner
    author: bool = False  # wrote stories that are reviewed here
    last: int | None = None  # the previous unit, whose answer can be changed
    skipped: int = 0  # units so far

    @property
    def done(self) -> int:
        """The sent tasks that the counter shows."""
        return sum(self.sent.get(role, 0) for role in self.terms.roles) if self.terms is not None else 0

    @property
    def payment(self) -> Payment:
        """The pay if the visit ends now; an open visit counts as stopped."""
        assert self.terms is not None
        return payment_of(self.person, terms=self.terms, sent=self.sent, bonus=self.bonus)


def state_of(connection: Connection) -> str:
    """open | paused | closed."""
    return connection.scalar(select(settings.c.value).where(settings.c.name == "state")) or "open"


def current_step(connection: Connection, worker: str) -> Step | None:
    """The step of a person who already has one; None if a slot must be found first. Changes nothing."""
    return _standing(connection, people_store.find(connection, worker))


def _standing(connection: Connection, person: Person | None) -> Step | None:
    state = state_of(connection)
    if person is None:
        return Step(name="consent" if state == "open" else state)
    known = pay_basis(connection, person)
    if person.outcome:
        return _end(connection, person, known)
    if state == "closed":  # `advance` ends the visit
        return None
    held = slot_store.current(connection, person.id)
    if held is not None:
        return _unit_step(connection, person, held, known)
    if not person.understood:
        return Step(name="instructions", person=person, **known)
    return Step(name=state, person=person, **known) if state != "open" else None


def _end(connection: Connection, person: Person, known: dict[str, Any]) -> Step:
    author = count_rows(connection, exclusions, exclusions.c.worker == person.worker) > 0
    return Step(name="end", person=person, author=author, **known)


def _unit_step(connection: Connection, person: Person, held: slot_store.Assignment, known: dict[str, Any]) -> Step:
    about = {
        "draft": json.loads(answer_store.draft_of(connection, person.id, held.unit_id) or "{}"),
        "started": held.started,
        "last": last_answered(connection, person.id),
        "skipped": remark_store.count(connection, person.id, "skip"),
    }
    return Step(name="unit", person=person, unit=unit_of(connection, held.unit_id), **about, **known)


def last_answered(connection: Connection, person_id: int) -> int | None:
    query = _answers_of(person_id, answers_table.c.unit_id).where(units.c.role.in_(ALIKE))
    number: int | None = connection.scalar(query.limit(1))
    return number


def _answers_of(person_id: int, *columns: Any) -> Select[Any]:
    """A query for a person's answers with their units, the newest first."""
    together = answers_table.join(units, units.c.id == answers_table.c.unit_id)
    mine = select(*columns).select_from(together).where(answers_table.c.person_id == person_id)
    return mine.order_by(answers_table.c.created.desc())


def unit_of(connection: Connection, unit_id: int) -> dict[str, Any]:
    row = connection.execute(select(units).where(units.c.id == unit_id)).one()
    return {"id": row.id, "role": row.role, "body": json.loads(row.body), "gold": json.loads(row.gold or "null")}


def advance(connection: Connection, project: Project, worker: str) -> Step:
    """The next step, with a slot if it needs one; the end if there is nothing left to do."""
    person = people_store.find(connection, worker, lock=True)
    step = _standing(connection, person)
    if step is not None or person is None:
        return step or Step(name="consent")
    now = time.time()
    until = now + project.time.lease_minutes * 60
    known = pay_basis(connection, person)
    terms, done = known["terms"], known["sent"].get("main", 0) + known["sent"].get("erased", 0)
    if state_of(connection) == "closed":
        held = None
    elif (held := slot_store.resume(connection, person, until=until)) is not None:
        pass
    elif (check := _due(connection, terms, person, known["sent"])) is not None:
        held = slot_store.take_unit(connection, person, check, now=now, until=until)
    elif terms.limited and done >= terms.units and person.panel == "crowd":
        held = None
    else:
        held = slot_store.take(connection, person, now=now, until=until)
        if held is None and slot_store.pending(connection, person):
            return Step(name="wait", person=person, **known)
    if held is not None:
        return _unit_step(connection, person, held, known)
    people_store.leave(connection, person.id)
    ended = people_store.find(connection, worker)
    assert ended is not None
    return _end(connection, ended, known)


def _due(connection: Connection, terms: Terms, person: Person, sent: Mapping[str, int]) -> int | None:
    """The trial, gold or attention unit that is due."""
    if (trial := slot_store.unseen(connection, person.id, "trial")) is not None:
        return trial
    if person.panel != "crowd":
        return None
    done = sent.get("main", 0) + sent.get("erased", 0)
    for role, every, most in (
        ("attention", terms.attention_every, terms.attention),
        ("gold", terms.gold_every, terms.gold),
    ):
        owed = every and min(done // every, most) > sent.get(role, 0)
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
    scripted: bool = False,
) -> answer_store.StoredAnswer:
    """Store an answer, check it if the right one is known, and ask for more answers if people disagree."""
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
        scripted=scripted,
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
    if failed >= terms_for(connection, person).failures:
        people_store.finish(connection, person.id, "failed_checks", uncounted=not project.quality.count_failed)


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
    """Add slots to a unit that everybody has answered and on which fewer than four in five agree. Of two answers sent
    at once, the second waits for the first."""
    connection.execute(select(units.c.id).where(units.c.id == unit["id"]).with_for_update(key_share=True))
    wanted = project.people.overlap + project.quality.extra_overlap
    if slot_store.unfinished(connection, "crowd", unit["id"]):
        return
    given = [json.loads(row.body) for row in answer_store.of_unit(connection, unit["id"], "crowd")]
    if len(given) < wanted and disputed(task, unit["body"], given):
        slot_store.add_slots(connection, unit["id"], "crowd", 1, added="disputed")


def disputed(task: HumanTask, body: dict[str, Any], given: list[dict[str, Any]]) -> bool:
    """Is there a part of a unit without a label that four in five people gave?"""
    votes: dict[str, list[str]] = {}
    for each in given:
        for part, label in task.labels(body, each):
            votes.setdefault(part, []).append(label)
    return any(max(map(labels.count, labels)) < 0.8 * len(labels) for labels in votes.values())


def unit_for(connection: Connection, worker: str, unit_id: int) -> Step | None:
    """A unit that this person was given, open or answered."""
    person = people_store.find(connection, worker)
    held = slot_store.held(connection, person.id, unit_id) if person is not None else None
    if person is None or held is None:
        return None
    known, last = pay_basis(connection, person), answer_store.last_answer(connection, person.id, unit_id)
    about = {"started": held.started, "last_answer": json.loads(last.body) if last is not None else {}}
    return Step(name="unit", person=person, unit=unit_of(connection, unit_id), **about, **known)


def last_practice(connection: Connection, task: HumanTask, person_id: int) -> list[Line]:
    """Feedback on the last answer, if it was to a practice task."""
    about = (answers_table.c.body, units.c.body.label("unit_body"), units.c.gold, units.c.role)
    row = connection.execute(_answers_of(person_id, *about).limit(1)).first()
    if row is None or row.role != "trial":
        return []
    return practice_lines(task, json.loads(row.unit_body), json.loads(row.body), json.loads(row.gold or "null"))


def last_step(connection: Connection, task: HumanTask, worker: str) -> Step | None:
    """The last answered unit with the answer in its form; None once the visit has ended."""
    person = people_store.find(connection, worker)
    unit_id = last_answered(connection, person.id) if person is not None and not person.outcome else None
    step = unit_for(connection, worker, unit_id) if unit_id is not None else None
    return replace(step, draft=task.fields(step.unit["body"], step.last_answer)) if step is not None else None


def refuse_repeats(connection: Connection, task: HumanTask, person_id: int, unit: dict[str, Any], body: Body) -> None:
    """Raise Invalid if a person sends the text of another unit again."""
    others = _answers_of(person_id, answers_table.c.body, units.c.body.label("unit_body"))
    others = others.where(answers_table.c.unit_id != unit["id"], units.c.role != "attention")
    earlier = [(json.loads(row.unit_body), json.loads(row.body)) for row in connection.execute(others)]
    if field := task.repeated(unit["body"], body, earlier):
        raise Invalid(field, "invalid.again")


# ---- practice --------------------------------------------------------------------------------------------------------


def practice_lines(task: HumanTask, body: Body, given: Body, gold: Any) -> list[Line]:
    """How an answer to a practice task compares with the known one, or with the checks of its text."""
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
