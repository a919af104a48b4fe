"""`proband annotate`: studies with people, from the units to a suite's input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter
from cyclopts.validators import Number

from proband.cli.commands import OPTIONS, Count, Flag, Json, MaybeCount, Pairs, give, settings
from proband.core.errors import ProbandError
from proband_annotate.result_commands import (
    Host,
    Port,
    Project,
    Several,
    add,
    aggregate,
    backup,
    export,
    import_,
    owners,
    payments,
    plan,
    prolific,
    restore,
    status,
)

HELP = """Studies with people: they write, review, judge, simplify or solve, in a web app that you run.

Help on a step: proband annotate init --help

Example: proband annotate demo"""


def commands() -> App:
    usage = "Usage: proband annotate STEP PROJECT [OPTIONS]"
    verb = App(
        name="annotate", help=HELP, usage=usage, group_commands=Group("Steps"), group_parameters=OPTIONS, sort_key=99
    )
    running: tuple[Callable[..., None], ...] = (demo, init, plan, serve, links, password, rotate)
    reading: tuple[Callable[..., None], ...] = (status, person, erase, payments, prolific, aggregate, export, import_)
    keeping: tuple[Callable[..., None], ...] = (add, owners, backup, restore)
    for place, step in enumerate((*running, *reading, *keeping)):
        verb.command(step, name=step.__name__.rstrip("_"), sort_key=place)
    return verb


Who = Annotated[str, Parameter(metavar="ID", help="Id that the platform knows, or the whole personal link.")]
Source = Annotated[Literal["prolific", "mturk", "url"] | None, Parameter(help="Platform of the id (default: any).")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class NewProjectOptions:
    """Options of a new project."""

    title: Annotated[str, Parameter(help="Title shown to participants.")] = ""
    contact: Annotated[str, Parameter(help="Contact for participants, shown on every page.")] = ""
    database: Annotated[str, Parameter(metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME.")] = ""
    trial: Annotated[Several, Parameter(help="Practice units, which decide who may continue.")] = 0
    gold: Annotated[Several, Parameter(help="Units with a known answer, used as checks.")] = 0
    checks: Annotated[
        Flag, Parameter(help="Set attention checks, and gold units if enough units have a known answer.")
    ] = False
    limit: Annotated[MaybeCount, Parameter(help="Number of units to take, equally many of each length.")] = None
    secret: Annotated[
        Path | None, Parameter(metavar="FILE", help="Secret of the project in which reviewed stories were written.")
    ] = None
    set: Annotated[
        Pairs, Parameter(metavar="NAME=VALUE", help="Setting of project.toml, such as people.overlap=5.")
    ] = ()


def init(
    project: Project,
    /,
    *,
    kind: Annotated[str, Parameter(metavar="KIND", help="Kind of task; see `proband list tasks`.")],
    items: Annotated[Path, Parameter(metavar="PATH", help="A suite's files: a folder, a file or a zip archive.")],
    making: NewProjectOptions = NewProjectOptions(),
    json: Json = False,
) -> None:
    """Make a project from a suite's files: project.toml (edit it), units, an empty database.

    Example: proband annotate init study --kind judge --items questionnaires.jsonl
    """
    from proband_annotate.create import init, with_contact

    options = asdict(making)
    given = with_contact(nest(settings(options.pop("set"))), options.pop("contact"))
    named = {name: value for name in ("title", "database") if (value := options.pop(name))}
    give(init(project, kind=kind, items=items, settings_given={**named, **given}, **options), json=json)


def nest(pairs: Mapping[str, str]) -> dict[str, Any]:
    """
    >>> nest({"people.overlap": "5", "licence": "CC0"})
    {'people': {'overlap': 5}, 'licence': 'CC0'}
    """
    from proband_annotate.project import TABLES

    results: dict[str, Any] = {}
    for name, value in pairs.items():
        table, dot, key = name.partition(".")
        if dot and table not in TABLES:
            raise ProbandError(f"--set {name}: project.toml has no table {table!r}; there are {', '.join(TABLES)}")
        if name in TABLES:
            raise ProbandError(f"--set {name}: it is a table; set its entries, as --set {name}.ENTRY=VALUE")
        if dot:
            results.setdefault(table, {})[key] = _value(value)
        else:
            results[table] = _value(value)
    return results


def _value(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def serve(
    project: Project,
    /,
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    proxy: Annotated[Flag, Parameter(help="Trust the headers of a reverse proxy.")] = False,
    hops: Annotated[
        int,
        Parameter(
            metavar="N", validator=Number(gte=1, lte=10), help="Number of reverse proxies in front of the server."
        ),
    ] = 1,
) -> None:
    """Serve a project until it is stopped; prints the links for people and for its owner.

    Example: proband annotate serve study --port 8000
    """
    from urllib.parse import urlsplit

    from proband_annotate.site.app import application, serve
    from proband_annotate.site.context import open_project
    from proband_annotate.tokens import links

    study = open_project(project)
    for change in study.applied:
        print(change, flush=True)
    for line in layout_links(links(study.project, study.secret, f"http://{host}:{port}")):
        print(line, flush=True)
    root = urlsplit(study.project.platform.public_url).path.rstrip("/") if proxy else ""
    serve(application(study), host=host, port=port, hops=hops if proxy else 0, root=root)


def links(
    project: Project,
    /,
    *,
    count: Annotated[Count, Parameter(help="Number of people.")] = 1,
    expert: Annotated[Flag, Parameter(help="Make links for experts, who have no time limit.")] = False,
    base: Annotated[str, Parameter(metavar="URL", help="Address of the server.")] = "http://127.0.0.1:8000",
    json: Json = False,
) -> None:
    """Print personal links, one per person, for a study without a platform.

    Example: proband annotate links study --count 20
    """
    from proband_annotate.project import read_project, secret_of
    from proband_annotate.tokens import personal_links

    panel = "expert" if expert else "crowd"
    made = personal_links(read_project(project), secret_of(project), base, count=count, panel=panel)
    give({"links": made}, lambda made: made["links"], json=json)


def password(project: Project, /, *, json: Json = False) -> None:
    """Make a new password for the owner's pages. The old one stops working, and sessions end.

    Example: proband annotate password study
    """
    from proband_annotate.store.owners import new_password

    give({"password": new_password(project)}, json=json)


def rotate(project: Project, /, *, json: Json = False) -> None:
    """Make a new key for links, visits and sessions, in case others saw the file `secret`. Old links stop working.

    Example: proband annotate rotate study
    """
    from proband_annotate.project import rotate_secret

    rotate_secret(project)
    give(
        {"project": str(project), "next": "restart the server and send new links (`proband annotate links`)"}, json=json
    )


def erase(
    project: Project,
    /,
    *,
    who: Who,
    source: Source = None,
    yes: Annotated[Flag, Parameter(help="Erase; without this option, only print what is stored.")] = False,
    json: Json = False,
) -> None:
    """Erase a person: their answers, drafts and notes, and their stories in the projects that review them.

    Example: proband annotate erase study --who 5f0c1a --yes
    """
    from proband_annotate.erasing import erase_by_name, known_by_name

    made = erase_by_name(project, who, source or "") if yes else known_by_name(project, who, source or "")
    give(made, json=json)


def person(
    project: Project,
    /,
    *,
    who: Who,
    source: Source = None,
) -> None:
    """Print everything stored about a person, as JSON: answers, drafts, notes, pay, consent.

    Example: proband annotate person study --who 5f0c1a
    """
    from proband_annotate.erasing import person_data

    give(person_data(project, who, source or ""), json=True)


def demo(
    *,
    out: Annotated[
        Path, Parameter(name=("--out", "-o"), metavar="DIR", help="Folder of the projects; kept between starts.")
    ] = Path("annotate-demo"),
    host: Host = "127.0.0.1",
    port: Port = 8000,
) -> None:
    """Serve every kind of task with sample units, until stopped.

    Example: proband annotate demo
    """
    from proband_annotate.demo import demo_app, demo_projects
    from proband_annotate.site.app import serve

    for kind, password in demo_projects(out).items():
        print(f"owner of {kind}: password {password}")
    print(f"open http://{host}:{port}", flush=True)
    serve(demo_app(out), host=host, port=port)


def layout_links(results: Mapping[str, str]) -> Iterable[str]:
    width = max(map(len, results))
    return [f"{name + ':':{width + 2}}{address}" for name, address in results.items()]
