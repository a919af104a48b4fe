"""Units from a suite's files, or from another project whose texts are reviewed.

A task may review what people wrote in another project. Then its units come from that project or an export of it, and
its own project has the same secret, so that authors are recognised and never see their own texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband_annotate.human_task import HumanTask, Unit
from proband_annotate.project import database_url, fingerprint, read_project, read_secret
from proband_annotate.results.collected import SubmittedAnswer
from proband_annotate.results.register import collect
from proband_annotate.store.migrate import open_existing

SOURCE = "source.json"  # of an export: its source
HIDDEN = re.compile("[0-9a-f]{32}")  # an author's keyed hash


def units_of(task: HumanTask, source: Path, known: Collection[str] = ()) -> list[Unit]:
    """The units of a file, or of texts to review, without those that are `known` (their ids)."""
    new = (known,) if task.reviews else ()
    if task.of_answers is not None and (source / "project.toml").is_file():
        return list(task.of_answers(answers_of(source, task.reviews), *new))
    return list(task.units(source, *new))


def answers_of(folder: Path, kind: str) -> list[SubmittedAnswer]:
    """The answers of a project of this kind that count."""
    project = read_project(folder)
    if project.kind != kind:
        raise ProbandError(f"is a project of the kind {project.kind}; reviews are of the kind {kind}", file=folder)
    with closing(open_existing(database_url(folder, project))) as database:
        given = database.read(lambda connection: collect(connection, project)).answers
    return [each for each in given if each.slot is not None]


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
