"""Steps of whoever looks after a server: back-ups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from proband.cli.arguments import Json
from proband.cli.tables import fields, give
from proband.cli.verbs.annotate.shared import Project


def backup(
    project: Project,
    /,
    *,
    out: Annotated[
        Path,
        Parameter(
            name=("--out", "-o"), metavar="PATH", help="Archive to write, or a folder for archives named by time."
        ),
    ],
    keep: Annotated[
        int, Parameter(metavar="N", help="In a folder: delete all but the newest N archives (0: none).")
    ] = 0,
    json: Json = False,
) -> None:
    """Back up a whole project, also while its server runs: settings, secret, units, media and the database.

    Example: proband annotate backup study -o study.tar.gz
    """
    from proband.annotate.backup import backup

    give(backup(project, out, keep=keep), lambda made: [fields(made)], json=json)


def restore(
    archive: Annotated[Path, Parameter(help="Archive that `backup` wrote.")],
    project: Annotated[Path, Parameter(help="Folder to make; it must be new or empty.")],
    /,
    *,
    database: Annotated[
        str,
        Parameter(metavar="URL", help="Another database than before: sqlite:///FILE or postgresql://USER@HOST/NAME."),
    ] = "",
    json: Json = False,
) -> None:
    """Restore a project from a back-up, into the same kind of database or another, at the newest schema.

    Example: proband annotate restore study.tar.gz restored
    """
    from proband.annotate.backup import restore

    give(restore(archive, project, database=database), lambda made: [fields(made)], json=json)
