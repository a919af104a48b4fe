"""Reads the answers of a project; a server reads only what is new."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from proband_annotate.human_task import WHOLE, HumanTask
from proband_annotate.project import Project
from proband_annotate.results.collected import Adjudication, Collected, SubmittedAnswer, UnitRow
from proband_annotate.store.answers import latest_ids, with_bodies
from proband_annotate.store.people import sent_by_everyone
from proband_annotate.store.schema import (
    SENT,
    adjudications,
    answers,
    assignments,
    bonuses,
    checks,
    erasures,
    people,
    slots,
    transfers,
    units,
)
from proband_annotate.tasks import task
from proband_annotate.terms import versions
from proband_annotate.visit import state_of

CHUNK = 200  # answers read at once


class Register:
    """The part of a project that has been read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.units: dict[int, UnitRow] = {}
        self.answers: dict[str, SubmittedAnswer] = {}
        self.parts: dict[tuple[str, ...], tuple[str, ...]] = {}  # the parts of a unit, shared in memory
        self.last: Collected | None = None

    def collect(self, connection: Connection, project: Project) -> Collected:
        """The current study; the same object as before if nothing has happened."""
        with self.lock:
            result = self._collect(connection, project)
            if self.last is None or not result.same_as(self.last):
                self.last = result
            return self.last

    def _collect(self, connection: Connection, project: Project) -> Collected:
        self._read_units(connection)
        rows, terms = _people(connection), versions(connection)
        licences = {number: version.licence for number, _, version in terms}
        for row in rows:  # people who answered in another tool agreed to nothing here
            row["licence"] = licences.get(row["agreement_id"], project.licence)
        wanted = select(slots.c.panel, func.count()).group_by(slots.c.panel)
        filled = (
            select(assignments.c.panel, func.count())
            .where(assignments.c.place.is_not(None), assignments.c.state == "done")
            .group_by(assignments.c.panel)
        )
        first = (
            select(slots.c.unit_id, func.count())
            .where(slots.c.panel == "crowd", slots.c.added == "")
            .group_by(slots.c.unit_id)
        )
        decisions = select(adjudications).order_by(adjudications.c.unit_id, adjudications.c.part)
        names = {number: unit["name"] for number, unit in self.units.items()}
        given = self._read_given(connection, {row["id"]: row for row in rows}, task(project.kind))
        return Collected(
            project=project,
            state=state_of(connection),
            answers=[each for each in given if each.role == "main"],
            other_answers=[each for each in given if each.role != "main"],
            people=rows,
            units={number: unit for number, unit in self.units.items() if unit["role"] == "main"},
            slots={row[0]: row[1] for row in connection.execute(wanted)},
            done={row[0]: row[1] for row in connection.execute(filled)},
            decisions=[
                Adjudication(unit=names[row.unit_id], part=row.part, label=row.label, reason=row.reason, at=row.at)
                for row in connection.execute(decisions)
            ],
            terms=terms,
            granted={row.person_id: row for row in connection.execute(select(bonuses))},
            transferred=_transferred(connection),
            erased=[dict(row._mapping) for row in connection.execute(select(erasures).order_by(erasures.c.id))],
            complete={names[unit]: min(project.people.overlap, count) for unit, count in connection.execute(first)},
        )

    def _read_units(self, connection: Connection) -> None:
        """Read new units, and units whose text changed (stories of erased authors are removed)."""
        every = select(units.c.id, func.length(units.c.body)).order_by(units.c.id)
        sizes = {row[0]: row[1] for row in connection.execute(every)}
        known = {number: len(unit["text"]) for number, unit in self.units.items()}
        new = [number for number, size in sizes.items() if known.get(number) != size]
        for some in chunks(new):
            query = select(units.c.id, units.c.name, units.c.role, units.c.body).where(units.c.id.in_(some))
            for row in connection.execute(query):
                self.units[row.id] = UnitRow(name=row.name, role=row.role, text=row.body)
        changed = {number for number in new if number in known}
        for gone in [name for name, each in self.answers.items() if each.unit_id in changed]:
            del self.answers[gone]
        self.units = {number: self.units[number] for number in sizes}

    def _read_given(
        self, connection: Connection, who: Mapping[int, Mapping[str, Any]], work: HumanTask
    ) -> list[SubmittedAnswer]:
        lines = latest_ids(connection)
        for gone in self.answers.keys() - {line.id for line in lines}:
            del self.answers[gone]
        rejected = {number for number, person in who.items() if person["decision"] == "rejected"}
        slot = {line.id: line.place if line.person_id not in rejected else None for line in lines}
        for some in chunks([name for name in slot if name not in self.answers]):
            for row in sorted(with_bodies(connection, some), key=lambda row: row.unit_id):  # decodes each unit once
                self._add(row, who[row.person_id], slot[row.id], work)
        for name, held in slot.items():
            if self.answers[name].slot != held:
                self.answers[name] = replace(self.answers[name], slot=held)
        return [self.answers[name] for name in slot]

    def _add(self, row: Any, person: Mapping[str, Any], slot: int | None, work: HumanTask) -> None:
        unit, answer = self.units[row.unit_id], msgspec.json.decode(row.body, type=dict[str, Any])
        attention = unit["role"] == "attention"
        labels = [(WHOLE, answer.get("choice", ""))] if attention else work.labels(unit["body"], answer)
        parts = tuple(part for part, _ in labels)
        self.answers[row.id] = SubmittedAnswer(
            id=row.id,
            unit=unit["name"],
            unit_id=row.unit_id,
            unit_text=unit["text"],
            role=unit["role"],
            gold=msgspec.json.decode(row.gold or "null"),
            text=row.body,
            parts=self.parts.setdefault(parts, parts),
            labels=tuple(sys.intern(label) for _, label in labels),
            worker=person["worker"],
            person_id=row.person_id,
            panel=person["panel"],
            source=person["source"],
            slot=slot,
            seconds=row.seconds,
            revision=row.revision,
            created=row.created,
            signals=msgspec.json.decode(row.signals),
            licence=person["licence"],
        )


def chunks(ids: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (ids[begin : begin + CHUNK] for begin in range(0, len(ids), CHUNK))


def collect(connection: Connection, project: Project) -> Collected:
    """The whole study."""
    return Register().collect(connection, project)


def _transferred(connection: Connection) -> dict[int, Decimal]:
    made: dict[int, Decimal] = defaultdict(Decimal)
    for person, amount in connection.execute(
        select(transfers.c.person_id, transfers.c.amount).where(transfers.c.state.in_(SENT))
    ):
        made[person] += Decimal(amount)
    return made


def _people(connection: Connection) -> list[dict[str, Any]]:
    """Every person with the results of their checks."""
    rows = [dict(row._mapping) for row in connection.execute(select(people).order_by(people.c.id))]
    query = (
        select(answers.c.person_id, func.count(), func.sum(checks.c.passed))
        .join(answers, answers.c.id == checks.c.answer_id)
        .group_by(answers.c.person_id)
    )
    results = {person: (int(passed or 0), n) for person, n, passed in connection.execute(query)}
    sent = sent_by_everyone(connection)
    for row in rows:
        row["checks_passed"], row["checks"] = results.get(row["id"], (0, 0))
        row["sent"] = sent[row["id"]]
    return rows
