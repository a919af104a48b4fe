"""Quotas: the group of each person, by a column of the participants' file (as a platform exports it)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband_annotate.project import Project


def read_groups(folder: Path, project: Project) -> Mapping[str, str]:
    """Platform id -> value of the column; empty if project.toml names no file."""
    quotas = project.quotas
    if not quotas.file:
        return {}
    path = folder / quotas.file
    with file_errors(path), open(path, newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        missing = [name for name in (quotas.id_column, quotas.column) if name not in (table.fieldnames or ())]
        if missing:
            known = ", ".join(table.fieldnames or ())
            raise ProbandError(f"has no column {missing[0]!r} (quotas); it has {known}", file=path)
        groups = {row[quotas.id_column]: row[quotas.column] for row in table if row[quotas.id_column]}
    if unknown := sorted(set(quotas.most) - set(groups.values())):
        raise ProbandError(f"no person has {unknown[0]!r} in the column {quotas.column!r} (quotas.most)", file=path)
    return groups
