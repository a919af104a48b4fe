"""Quotas: the group of each person, by a column of the participants' file (as a platform exports it)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import read_table
from proband_annotate.project import Project


def read_groups(folder: Path, project: Project) -> Mapping[str, str]:
    """Platform id -> value of the column; empty if project.toml names no file."""
    quotas, groups = project.quotas, dict[str, str]()
    if not quotas.file:
        return {}
    path = folder / quotas.file
    for row in read_table(path):
        if missing := [name for name in (quotas.id_column, quotas.column) if name not in row.cells]:
            raise ProbandError(f"has no column {missing[0]!r} (quotas); it has {', '.join(row.cells)}", file=path)
        if row.cells[quotas.id_column]:
            groups[str(row.cells[quotas.id_column])] = str(row.cells[quotas.column])
    if unknown := sorted(set(quotas.most) - set(groups.values())):
        raise ProbandError(f"no person has {unknown[0]!r} in the column {quotas.column!r} (quotas.most)", file=path)
    return groups
