"""Units added to a study that exists, also while its server runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from proband.annotate.apply_settings import apply_settings
from proband.annotate.bundle import opened
from proband.annotate.create import copy_media
from proband.annotate.project import Project, database_url, read_project, secret_of
from proband.annotate.reviewing import units_of
from proband.annotate.store import people as people_store
from proband.annotate.store.migrate import open_existing
from proband.annotate.store.schema import units
from proband.annotate.store.slots import add_unit
from proband.annotate.tasks import task
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, items_path, raw_lines
from proband.core.human_task import Unit, read_units


def add_units(folder: Path, items: Path) -> dict[str, Any]:
    """Further units of the study's kind, with as many places as the others. One that is there already is left as it is,
    so that the command can be given again; the same name with another text is an error."""
    project = read_project(folder)
    work = task(project.kind)
    if work.reviews and (items / "secret").is_file() and secret_of(items) != secret_of(folder):
        raise ProbandError("these stories belong to another study: their authors would not be known here", file=items)
    database = open_existing(database_url(folder, project))
    try:
        with opened(items) as source:
            result = units_of(work, source)
            if not result:
                raise ProbandError("contains no units", file=items)
            media = copy_media(result, source, folder)
            if work.keeps_items:
                _add_items(source, folder / "items" / "items.jsonl")
            added = database.write(lambda connection: _add(connection, project, result))
            _append(folder / "units.jsonl", result)
    finally:
        database.close()
    return {"project": str(folder), "added": len(added), "there_before": len(result) - len(added), "media": media}


def _add(connection: Connection, project: Project, results: Sequence[Unit]) -> list[str]:
    known = {row.name: row.body for row in connection.execute(select(units.c.name, units.c.body))}
    new = [unit for unit in results if unit.id not in known]
    for unit in results:
        if unit.id in known and known[unit.id] != unit.row()["body"]:
            raise ProbandError(f"unit {unit.id!r} is in the study with another text; give the new one a new id")
    last = connection.scalar(select(func.max(units.c.id))) or 0
    numbers = list(range(last + 1, last + len(new) + 1))
    random.Random(f"{project.seed} {last}").shuffle(numbers)  # the number tells nothing about the place in the file
    for number, unit in zip(numbers, new, strict=True):
        add_unit(connection, number=number, unit=unit.row(), overlap={})
    if new:
        people_store.note(connection, "settings", None, f"{len(new)} units added")
    apply_settings(connection, project)  # which makes their places
    return [unit.id for unit in new]


def _append(path: Path, results: Sequence[Unit]) -> None:
    """units.jsonl with those it lacks."""
    there = list(read_units(path))
    names = {unit.id for unit in there}
    with atomic(path, mode="wb") as file:
        for unit in (*there, *(unit for unit in results if unit.id not in names)):
            file.write(encode(unit) + b"\n")


def _add_items(source: Path, path: Path) -> None:
    """The items that people solve, for the run that is exported; the manifest no longer describes them."""
    lines = [raw for _, raw in raw_lines(path)]
    new = [raw for _, raw in raw_lines(items_path(source)) if raw not in set(lines)]
    with atomic(path, mode="wb") as file:
        file.writelines(raw.rstrip(b"\n") + b"\n" for raw in (*lines, *new))
    if new:
        (path.parent / "manifest.json").unlink(missing_ok=True)
