"""Commands that read results: status, aggregate, export, plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from proband.cli.commands import Flag, Json, fields, give, table

# ---- arguments that several steps share ----------------------------------------------------------------------------


Project = Annotated[Path, Parameter(help="Folder of the project.")]
Host = Annotated[str, Parameter(metavar="ADDRESS", help="Address to listen on.")]
Platform = Annotated[Literal["prolific", "mturk", "url"], Parameter(help="Platform of the ids in --workers.")]
Several = Annotated[int, Parameter(metavar="N", validator=Number(gte=0))]
Port = Annotated[int, Parameter(metavar="N", validator=Number(gte=1, lte=65535), help="Port to listen on.")]
RULES = Literal["paper", "majority", "dawid-skene", "mace"]
FORMATS = Literal["jsonl", "csv", "suite", "hf", "label-studio", "potato"]
TOOLS = Literal["label-studio", "potato"]


def status(
    project: Project,
    /,
    *,
    people: Annotated[Flag, Parameter(help="Also print one line per person.")] = False,
    workers: Annotated[
        Path | None,
        Parameter(metavar="FILE", help="File of platform ids or personal links: print their outcome and decision."),
    ] = None,
    source: Platform = "prolific",
    codes: Annotated[
        Path | None, Parameter(metavar="FILE", help="File of completion codes, one per line: print their people.")
    ] = None,
    pairs: Annotated[Flag, Parameter(help="Print the agreement of each pair of people.")] = False,
    remarks: Annotated[Flag, Parameter(help="Print skipped units, problems and comments.")] = False,
    json: Json = False,
) -> None:
    """Print the figures of a study: progress, time, pay, agreement, the paper's own figures.

    Example: proband annotate status study
    """
    from proband_annotate.results.reading import codes_of, pair_lines, remark_lines, status

    if codes is not None:
        give(codes_of(project, codes), status_layout, json=json)
    elif pairs or remarks:
        give((pair_lines if pairs else remark_lines)(project), status_layout, json=json)
    else:
        give(status(project, people=people, workers=workers, source=source), status_layout, json=json)


def status_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    rows = result.get("people_lines")
    if rows is None:
        from proband_annotate.results.figures import figure_lines

        yield fields({name: value for name, value in result.items() if name != "paper"})
        yield ""
        outcome = figure_lines(result["kind"], result["paper"])
        yield table(("figure", "here", "", "published"), [[x.name, x.here, x.interval, x.published] for x in outcome])
    elif rows:
        yield table(tuple(rows[0]), [list(row.values()) for row in rows])


def payments(
    project: Project,
    /,
    *,
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="FILE", help="File to write.")],
    to: Annotated[
        Literal["csv", "prolific"], Parameter(help="csv: a line per person; prolific: lines for its bulk bonus.")
    ] = "csv",
    workers: Annotated[
        Path | None, Parameter(metavar="FILE", help="File of platform ids, one per line: only these people.")
    ] = None,
    source: Platform = "prolific",
    json: Json = False,
) -> None:
    """Write the payments of people: for answers, by the platform, as a bonus.

    Example: proband annotate payments study -o payments.csv
    """
    from proband_annotate.results.reading import pay_file

    made = pay_file(project, to=to, out=out, workers=workers, source=source)
    give(made, json=json)


def prolific(
    project: Project,
    action: Annotated[
        Literal["approve", "bonus", "message"],
        Parameter(help="approve submissions of people approved here; pay bonuses that are due; write to people."),
    ],
    /,
    *,
    study: Annotated[str, Parameter(metavar="ID", help="Id of the study at Prolific.")],
    text: Annotated[str, Parameter(help="Text of the message.")] = "",
    settle: Annotated[
        str, Parameter(metavar="BATCH=FOUND", help="A payment without a reply: paid or unpaid, as Prolific shows it.")
    ] = "",
    yes: Annotated[Flag, Parameter(help="Carry it out (default: print what would be done).")] = False,
    json: Json = False,
) -> None:
    """Approve, pay bonuses and write to people through Prolific's API; the variable PROLIFIC_TOKEN has its token.

    Example: proband annotate prolific study bonus --study 60f6acb180a7b59ac0621f9e
    """
    from proband_annotate.prolific import act

    give(act(project, action, study=study, text=text, settle=settle, yes=yes), json=json)


def aggregate(
    project: Project,
    /,
    *,
    rule: Annotated[RULES, Parameter(help="Aggregation rule.")] = "paper",
    out: Annotated[
        Path | None, Parameter(name=("--out", "-o"), metavar="FILE", help="File of labels to write (JSON lines).")
    ] = None,
    json: Json = False,
) -> None:
    """Aggregate the labels of several people into one, with the agreement; decisions of the owner have priority.

    Example: proband annotate aggregate study -o labels.jsonl
    """
    from proband_annotate.results.reading import aggregate

    give(aggregate(project, rule=rule, out=out), json=json)


def export(
    project: Project,
    /,
    *,
    to: Annotated[FORMATS, Parameter(help="suite: what the suite reads; hf: a data set with its card.")],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PATH", help="File or folder to write.")],
    json: Json = False,
) -> None:
    """Export the answers (JSON lines, CSV, the suite's own input, a Hugging Face data set), or the units for Label
    Studio or Potato.

    Example: proband annotate export study --to suite -o collected
    """
    if to in ("label-studio", "potato"):
        from proband_annotate.other_tools import export_tasks

        give(export_tasks(project, to=to, out=out), json=json)
        return
    from proband_annotate.results.reading import export_project

    give(export_project(project, to=to, out=out), json=json)


def import_(
    project: Project,
    results: Annotated[Path, Parameter(help="What the tool wrote: a file, or Potato's folder annotation_output.")],
    /,
    *,
    tool: Annotated[TOOLS, Parameter(name="--from", help="Tool that people used.")],
    json: Json = False,
) -> None:
    """Import answers from another tool to units that `export --to` wrote.

    Example: proband annotate import study export.json --from label-studio
    """
    from proband_annotate.other_tools import import_results

    give(import_results(project, results, tool=tool), json=json)


def plan(
    project: Project,
    /,
    *,
    precision: Annotated[float, Parameter(metavar="X", help="Target half-width of the 95 % interval.")] = 0.05,
    json: Json = False,
) -> None:
    """Plan a study: number of people and judgments, fair pay, total cost.

    Example: proband annotate plan study --precision 0.05
    """
    from proband_annotate.results.reading import plan_project

    give(plan_project(project, half_width=precision), plan_layout, json=json)


def plan_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields({name: value for name, value in result.items() if name != "judgments_per_label"})
    rows = result["judgments_per_label"]
    yield ""
    yield table([name.replace("_", " ") for name in rows[0]], [list(row.values()) for row in rows])


# ---- commands for running a study: further units, owners, backups ------------------------------------------------


def add(
    project: Project,
    /,
    *,
    items: Annotated[Path, Parameter(metavar="PATH", help="A suite's files: a folder, a file or a zip archive.")],
    json: Json = False,
) -> None:
    """Add units to a study, also while its server runs; existing units do not change.

    Example: proband annotate add study --items more.jsonl
    """
    from proband_annotate.create import add_units

    give(add_units(project, items), json=json)


def owners(
    project: Project,
    name: Annotated[str, Parameter(help="Name of the owner to add or change; default: list all.")] = "",
    /,
    *,
    role: Annotated[
        Literal["viewer", "assistant", "owner"],
        Parameter(help="viewer: reads; assistant: also decides on people, disputes and remarks; owner: everything."),
    ] = "viewer",
    remove: Annotated[Flag, Parameter(help="Remove this owner; their sessions end.")] = False,
    json: Json = False,
) -> None:
    """List the owners of the dashboard; add one (prints a new password), change their role, or remove them.

    Example: proband annotate owners study maria --role assistant
    """
    from proband_annotate.store.owners import add_owner, list_owners, remove_owner

    if not name:
        rows = list_owners(project)
        give({"owners": rows}, lambda made: [table(("name", "role"), [list(r.values()) for r in rows])], json=json)
    elif remove:
        give(remove_owner(project, name), json=json)
    else:
        give(add_owner(project, name, role), json=json)


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
        int,
        Parameter(
            metavar="N", validator=Number(gte=0), help="In a folder: delete all but the newest N archives (0: none)."
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Back up a whole project (settings, secret, units, media, database), also while its server runs.

    Example: proband annotate backup study -o study.tar.gz
    """
    from proband_annotate.backup import backup

    give(backup(project, out, keep=keep), json=json)


def restore(
    archive: Annotated[Path, Parameter(help="Archive that `backup` wrote.")],
    project: Annotated[Path, Parameter(help="Folder to create; it must be new or empty.")],
    /,
    *,
    database: Annotated[
        str,
        Parameter(metavar="URL", help="Another database: sqlite:///FILE or postgresql://USER@HOST/NAME."),
    ] = "",
    json: Json = False,
) -> None:
    """Restore a project from a backup, into the same kind of database or another, at the newest schema.

    Example: proband annotate restore study.tar.gz restored
    """
    from proband_annotate.backup import restore

    give(restore(archive, project, database=database), json=json)
