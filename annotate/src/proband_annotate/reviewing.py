"""Units from a suite's files, or from another project whose texts are reviewed.

A task may review what people wrote in another project. Then its units come from that project or an export of it, and
its own project has the same secret, so that authors are recognised and never see their own texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband_annotate.human_task import HumanTask, Unit
from proband_annotate.project import database_url, fingerprint, read_project, read_secret
from proband_annotate.store.answers import latest
from proband_annotate.store.migrate import open_existing
from proband_annotate.terms import versions

SOURCE = "source.json"  # of an export: its source
HIDDEN = re.compile("[0-9a-f]{32}")  # an author's keyed hash


def units_of(task: HumanTask, source: Path) -> list[Unit]:
    if task.of_answers is not None and (source / "project.toml").is_file():
        return list(task.of_answers(answers_of(source, task.reviews)))
    return list(task.units(source))


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    id: str
    worker: str
    body: dict[str, Any]  # of the unit
    answer: dict[str, Any]
    licence: str


def answers_of(folder: Path, kind: str) -> Iterator[StoredAnswer]:
    """The answers of a project of this kind, without those of rejected people."""
    project = read_project(folder)
    if project.kind != kind:
        raise ProbandError(f"is a project of the kind {project.kind}; reviews are of the kind {kind}", file=folder)
    with closing(open_existing(database_url(folder, project))) as database:
        rows, terms = database.read(lambda connection: (list(latest(connection)), versions(connection)))
    licences = {number: version.licence for number, _, version in terms}
    for row in rows:
        if row.decision != "rejected":
            body, answer = (msgspec.json.decode(each) for each in (row.unit_body, row.body))
            licence = licences.get(row.agreement_id, project.licence)
            yield StoredAnswer(id=row.id, worker=row.worker, body=body, answer=answer, licence=licence)


def authors_secret(path: Path, units: Sequence[Unit], given: Path | None = None) -> Path | None:
    """The secret of the project in which reviewed texts were written; None if authors are not hidden. Without it people
    could review their own texts, so it is required."""
    written = written_in(path)
    secret = given or (written / "secret" if written is not None else None)
    if secret is not None:
        if source_of(path).get("secret") not in (None, fingerprint(read_secret(secret))):
            raise ProbandError("is not the secret with which the author ids of these stories were hashed", file=secret)
        return secret
    if any(HIDDEN.fullmatch(author) for unit in units for author in unit.excluded):
        reason = "author ids are hashed with another secret, so authors could review their own stories"
        raise ProbandError(f"{reason}: name that project (--items PROJECT) or its secret (--secret FILE)", file=path)
    return None


def written_in(path: Path) -> Path | None:
    """The project that reviewed texts come from: `path` itself, or the one that an export names."""
    if (path / "project.toml").is_file():
        return path
    folder = path if path.is_dir() else path.parent
    named = source_of(path).get("project")
    return folder / named if named is not None and (folder / named / "project.toml").is_file() else None


def source_of(path: Path) -> dict[str, str]:
    """The source that an export records."""
    file = (path if path.is_dir() else path.parent) / SOURCE
    if not file.is_file():
        return {}
    with file_errors(file):
        raw = file.read_bytes()
    try:
        return msgspec.json.decode(raw, type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ProbandError(str(error), file=file) from None
