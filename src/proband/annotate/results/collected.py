"""Everything that people did in a project, read at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, func, select

from proband.annotate.project import Project
from proband.annotate.store.answers import latest
from proband.annotate.store.schema import adjudications, answers, assignments, checks, people, places, units
from proband.annotate.tasks.kind import Kind
from proband.annotate.tasks.kinds import KINDS
from proband.annotate.visit import state_of
from proband.core.agreement.votes import Votes
from proband.core.types import Judgment


@dataclass(frozen=True, kw_only=True)
class Given:
    """The last revision of one person's answer to one unit."""

    id: str
    unit: str
    unit_id: int
    body: Mapping[str, Any]  # of the unit
    gold: Any
    answer: Mapping[str, Any]
    worker: str
    person_id: int
    panel: str
    source: str
    place: int | None  # None: it came late, or its person was rejected; it does not count
    seconds: float
    revision: int
    created: float
    signals: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The owner's label for a part of a unit."""

    unit: str
    part: str
    label: str
    reason: str
    at: float


@dataclass(frozen=True, kw_only=True)
class Collected:
    """A project's answers. `given` has main units only, in the order of units and people."""

    project: Project
    state: str
    given: Sequence[Given]
    people: Sequence[Mapping[str, Any]]
    units: Mapping[int, Mapping[str, Any]]  # main units: id -> name, clause, body, gold
    places: Mapping[str, int]  # panel -> how many are wanted
    done: Mapping[str, int]  # panel -> how many are filled
    decisions: Sequence[Decision]
    complete: Mapping[str, int]  # unit -> answers of the crowd with which it is complete

    @cached_property
    def decided(self) -> dict[tuple[str, str], str]:
        """(unit, part) -> the owner's label."""
        return {(each.unit, each.part): each.label for each in self.decisions}

    @property
    def kind(self) -> Kind:
        return KINDS[self.project.kind]

    def counted(self, panel: str = "crowd") -> list[Given]:
        return [each for each in self.given if each.place is not None and each.panel == panel]

    def judgments(self, panel: str = "crowd") -> list[Judgment]:
        """One per person and part (a candidate, a story, a puzzle); seconds are shared by the parts of a unit."""
        made = []
        for each in self.counted(panel):
            labels = self.kind.labels(each.body, each.answer)
            for part, label in labels:
                seconds = round(each.seconds / len(labels), 3)
                name = self.part_name(each.unit, part)
                made.append(Judgment(item_id=name, worker=each.worker, value=label, seconds=seconds))
        return made

    def part_name(self, unit: str, part: str) -> str:
        return unit if part == "choice" else part

    @cached_property
    def votes(self) -> Votes | None:
        found = self.judgments()
        return Votes.of(found) if found else None

    @cached_property
    def groups(self) -> dict[str, str]:
        """Part -> unit: what one person judges together."""
        return {
            self.part_name(each.unit, part): each.unit
            for each in self.given
            for part, _ in self.kind.labels(each.body, each.answer)
        }


def collect(connection: Connection, project: Project) -> Collected:
    given = [
        Given(
            id=row.id,
            unit=row.unit,
            unit_id=row.unit_id,
            body=json.loads(row.unit_body),
            gold=json.loads(row.gold or "null"),
            answer=json.loads(row.body),
            worker=row.worker,
            person_id=row.person_id,
            panel=row.panel,
            source=row.source,
            place=row.place if row.decision != "rejected" else None,
            seconds=row.seconds,
            revision=row.revision,
            created=row.created,
            signals=json.loads(row.signals),
        )
        for row in latest(connection, counted=False)
    ]
    main = select(units).where(units.c.role == "main").order_by(units.c.id)
    wanted = select(places.c.panel, func.count()).group_by(places.c.panel)
    filled = (
        select(assignments.c.panel, func.count())
        .where(assignments.c.place.is_not(None), assignments.c.state == "done")
        .group_by(assignments.c.panel)
    )
    names = {row.id: row.name for row in connection.execute(select(units.c.id, units.c.name))}
    first = (
        select(places.c.unit_id, func.count())
        .where(places.c.panel == "crowd", places.c.added == "")
        .group_by(places.c.unit_id)
    )
    overlap = project.people.overlap
    return Collected(
        project=project,
        state=state_of(connection),
        given=given,
        people=_people(connection),
        units={
            row.id: {"name": row.name, "clause": row.clause, "body": json.loads(row.body)}
            for row in connection.execute(main)
        },
        places={row[0]: row[1] for row in connection.execute(wanted)},
        done={row[0]: row[1] for row in connection.execute(filled)},
        decisions=[
            Decision(unit=names[row.unit_id], part=row.part, label=row.label, reason=row.reason, at=row.at)
            for row in connection.execute(select(adjudications).order_by(adjudications.c.unit_id, adjudications.c.part))
        ],
        complete={names[unit]: min(overlap, count) for unit, count in connection.execute(first)},
    )


def _people(connection: Connection) -> list[dict[str, Any]]:
    """Every person with the results of their checks."""
    rows = [dict(row._mapping) for row in connection.execute(select(people).order_by(people.c.id))]
    query = (
        select(answers.c.person_id, func.count(), func.sum(checks.c.passed))
        .join(answers, answers.c.id == checks.c.answer_id)
        .group_by(answers.c.person_id)
    )
    results = {person: (int(passed or 0), n) for person, n, passed in connection.execute(query)}
    for row in rows:
        row["checks_passed"], row["checks"] = results.get(row["id"], (0, 0))
    return rows
