"""`proband study`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Engine, Json, Out, Pairs, settings
from proband.cli.tables import give, table, words

DryRun = Annotated[
    bool, Parameter(name="--dry-run", negative=(), help="Print the stages and what is already there; run nothing.")
]


def study(
    file: Annotated[Path, Parameter(help="The study: a TOML file.")],
    /,
    *,
    out: Out,
    dry_run: DryRun = False,
    set: Annotated[Pairs, Parameter(metavar="NAME=VALUE", help="Parameter of the study; repeatable.")] = (),
    engine: Engine = Engine(),  # noqa: B008
    seed: Annotated[int | None, Parameter(metavar="N", help="Random seed, instead of the study's own.")] = None,
    json: Json = False,
) -> None:
    """Run a study: a grid of build, train, run and random seeds, with its report; the same command resumes.

    Example: proband study study.toml -o study --dry-run
    """
    from proband.pipeline.study import study

    made = study(
        file,
        out=out,
        dry_run=dry_run,
        parameters=settings(set),
        engine=engine.engine,
        workers=engine.workers,
        seed=seed,
    )
    give(made, layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """The stages, the claims, and where the page is."""
    yield result["title"]
    header = ("stage", "verb", "state", "items", "calls", "folder")
    yield table(header, ([stage.get(name) for name in header_fields] for stage in result["stages"]), numbers=(3, 4))
    if claims := result.get("claims"):
        yield ""
        yield table(("claims", ""), claims.items())
    if tables := result.get("tables"):
        yield f"\ntables: {words(tables)}"
    if result.get("page"):
        yield f"\nopen {result['page']}"


header_fields = ("name", "verb", "state", "items", "calls", "folder")
