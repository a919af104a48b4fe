"""A study as large as the papers': 1,540 questionnaires of 20 sentences, five answers each, written straight into its
database (through the pages it would take hours)."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from proband.core.files import encode
from proband_annotate.create import init
from proband_annotate.project import database_url, read_project, secret_of
from proband_annotate.store.database import Database
from proband_annotate.store.schema import answers, assignments, people, slots, units
from proband_annotate.tokens import worker_hash

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines

OVERLAP = 5
LABELS = ("yes", "no", "nonsense")


def judged_study(
    folder: Path,
    *,
    questions: int = 1540,
    sentences: int = 20,
    workers: int = 154,
    database: str = "sqlite:///answers.db",
    seed: int = 0,
) -> str:
    """Make it below `folder/study`; gives the owner's password. Every person is right with a chance of their own,
    between a half and nearly always."""
    items = write_lines(folder / "q.jsonl", questionnaires(questions, sentences))
    settings = {"database": database, "people": {"overlap": OVERLAP}, "texts": {"contact": "owner@example.org"}}
    made = init(folder / "study", kind="judge", items=items, settings_given=settings)
    project = read_project(folder / "study")
    opened = Database(database_url(folder / "study", project))
    names = [worker_hash(secret_of(folder / "study"), "url", str(number)) for number in range(workers)]
    opened.write(lambda connection: _fill(connection, names, random.Random(seed)))
    opened.close()
    return str(made["password"])


def _fill(connection: Connection, names: Sequence[str], rng: random.Random) -> None:
    now = time.time()
    row: dict[str, Any] = {"source": "url", "panel": "crowd", "created": now, "understood": 1, "outcome": "done"}
    connection.execute(people.insert(), [{"id": n, "worker": name, **row} for n, name in enumerate(names, start=1)])
    right = {n: rng.uniform(0.5, 0.98) for n in range(1, len(names) + 1)}
    held, given = [], []
    for unit in connection.execute(select(units.c.id, units.c.body).order_by(units.c.id)).all():
        parts = _candidates(unit.body)
        truth = {part: rng.choices(LABELS, (2, 5, 3))[0] for part in parts}
        for place, person in enumerate(rng.sample(range(1, len(names) + 1), OVERLAP), start=1):
            said = {p: truth[p] if rng.random() < right[person] else rng.choice(LABELS) for p in parts}
            key = {"person_id": person, "unit_id": unit.id}
            held.append({**key, "panel": "crowd", "place": place, "state": "done", "started": now, "until": now})
            body = {"body": encode({"labels": said}).decode(), "signals": "{}"}
            seconds = round(rng.uniform(60, 240), 1)
            made = {"id": str(uuid.UUID(int=rng.getrandbits(128))), "revision": 1, "seconds": seconds, "created": now}
            given.append({**key, **body, **made})
    connection.execute(slots.update().values(taken=1))
    connection.execute(assignments.insert(), held)
    connection.execute(answers.insert(), given)


def _candidates(body: str) -> list[str]:
    import json

    return [each["id"] for each in json.loads(body)["candidates"]]
