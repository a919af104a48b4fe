"""A study opened without a server: people come, are given units and answer."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband_annotate import visit
from proband_annotate.create import init
from proband_annotate.site.context import OpenProject, open_project
from proband_annotate.store import people as people_store

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines


def opened(tmp_path: Path, address: str, *, units: int = 3, **settings: Any) -> OpenProject:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(units, 2))
    folder = tmp_path / f"study{uuid.uuid4().hex[:6]}"
    init(folder, kind="judge", items=items, settings_given={"database": address, **settings})
    return open_project(folder)


def come(study: OpenProject, worker: str) -> None:
    study.database.write(lambda c: people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=True))
    study.database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))


def advance(study: OpenProject, worker: str) -> visit.Step:
    return study.database.write(lambda c: visit.advance(c, study.project, worker))


def send(study: OpenProject, worker: str, unit: dict[str, Any], *, label: str = "yes", name: str = "") -> Any:
    body = {"labels": {c["id"]: label for c in unit["body"].get("candidates", ())}}
    made = name or str(uuid.uuid4())
    return study.database.write(
        lambda c: visit.submit(
            c, study.project, study.task, worker, answer_id=made, unit_id=unit["id"], body=body, signals={"keys": 1.0}
        )
    )
