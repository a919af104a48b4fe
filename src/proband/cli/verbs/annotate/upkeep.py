"""Steps of whoever looks after a study: further units and owners, back-ups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from proband.cli.arguments import Json
from proband.cli.output import fields, give, table
from proband.cli.verbs.annotate.shared import Project


def add(
    project: Project,
    /,
    *,
    items: Annotated[Path, Parameter(metavar="PATH", help="A suite's files: a folder, a file or a zip archive.")],
    json: Json = False,
) -> None:
    """Add units to a study, also while its server runs; those that are there already stay as they are.

    Example: proband annotate add study --items more.jsonl
    """
    from proband.annotate.upkeep.add_units import add_units

    give(add_units(project, items), lambda made: [fields(made)], json=json)


def owners(
    project: Project,
    name: Annotated[str, Parameter(help="Whom to add or change; without it, all are listed.")] = "",
    /,
    *,
    role: Annotated[
        Literal["viewer", "assistant", "owner"],
        Parameter(help="viewer: reads; assistant: also decides on people, disputes and remarks; owner: everything."),
    ] = "viewer",
    remove: Annotated[bool, Parameter(negative=(), help="Remove this owner; their sessions end.")] = False,
    json: Json = False,
) -> None:
    """List who may sign in to the dashboard; add somebody (a new password is printed), change their role, remove them.

    Example: proband annotate owners study maria --role assistant
    """
    from proband.annotate.upkeep.accounts import add_owner, list_owners, remove_owner

    if not name:
        rows = list_owners(project)
        give({"owners": rows}, lambda made: [table(("name", "role"), [list(r.values()) for r in rows])], json=json)
    elif remove:
        give(remove_owner(project, name), lambda made: [fields(made)], json=json)
    else:
        give(add_owner(project, name, role), lambda made: [fields(made)], json=json)


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
    from proband.annotate.upkeep.backup import backup

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
    from proband.annotate.upkeep.backup import restore

    give(restore(archive, project, database=database), lambda made: [fields(made)], json=json)
