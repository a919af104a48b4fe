"""`proband study` and `proband paper`, the study of a suite's paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import (
    Count,
    Engine,
    Flag,
    Json,
    Out,
    Pairs,
    Seed,
    give,
    settings,
    table,
    whole_number,
    words,
)
from proband.core.errors import ProbandError

# ---- `proband demo` ------------------------------------------------------------------------------------------------


def demo(*, out: Out = Path("demo"), seed: Seed = 0, json: Json = False) -> None:
    """Build, run and report every suite with the data and models that are installed; offline, on a CPU.

    Example: proband demo -o demo
    """
    from proband.pipeline.demo import demo

    give(demo(out, seed=seed), demo_layout, json=json)


def demo_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['runs']} runs in {result['seconds']} s"
    for line in result["learnt"]:
        yield f"- {line}"
    for line in result["left_out"]:
        yield f"left out: {line}"
    yield f"open {result['page']}"


# ---- `proband study`, `proband paper` -------------------------------------------------------------------------------


COLUMNS = ("verb", "name", "state", "folder", "reason")
DryRun = Annotated[Flag, Parameter(help="Print the stages and which are done; run nothing.")]
Jobs = Annotated[Count, Parameter(converter=whole_number, help="Stages at a time, each in its own process.")]
PART = "Only the runs with one of these texts in their names, and what they need; no report."
Part = Annotated[str, Parameter(metavar="TEXT,...", help=PART)]
Parameters = Annotated[Pairs, Parameter(help="Parameter of the study; repeatable.")]


def study(
    file: str,
    /,
    *,
    out: Out,
    dry_run: DryRun = False,
    part: Part = "",
    set: Parameters = (),
    jobs: Jobs = 1,
    engine: Engine = Engine(),  # noqa: B008
    json: Json = False,
) -> None:
    """Run a study: a grid of build, train, run and random seeds, with its report; the same command resumes.

    Example: proband study study.toml -o study --dry-run

    :param file: A TOML file, or the name of a shipped study (`proband list studies`).
    """
    from proband.pipeline.study import study

    made = study(file, out=out, dry_run=dry_run, jobs=jobs, part=part, parameters=settings(set), **asdict(engine))
    give(made, layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """The stages, the claims, and where the page is."""
    yield result["title"]
    columns = [name for name in COLUMNS if any(stage.get(name) is not None for stage in result["stages"])]
    rows = ([stage.get(name) for name in columns] for stage in result["stages"])
    yield table(columns, rows)
    if claims := result.get("claims"):
        yield ""
        yield table(("claims", ""), claims.items())
    if tables := result.get("tables"):
        yield f"\ntables: {words(tables)}"
    if result.get("page"):
        yield f"\nopen {result['page']}"


# ---- the study of a suite's paper ------------------------------------------------------------------------------------


def paper(
    suite: str,
    /,
    *,
    out: Out,
    data: Annotated[Path | None, Parameter(metavar="DIR", env_var="PROBAND_DATA")] = None,
    model: Annotated[Sequence[str], Parameter(name=("--model", "-m"), metavar="MODEL")] = (),
    set: Parameters = (),
    dry_run: DryRun = False,
    part: Part = "",
    jobs: Jobs = 1,
    engine: Engine = Engine(),  # noqa: B008
    json: Json = False,
) -> None:
    """Run the study that reproduces a paper: our tables next to the published figures, and tests of its claims.

    Example: proband paper analogy --data BATS -m embedded:glove -o tables

    :param suite: Suite whose paper is reproduced; see `proband list studies`.
    :param data: Folder of the paper's own data.
    :param model: A model to run; repeatable.
    """
    if data is None:
        raise ProbandError("name the folder of the paper's own data with --data, or set PROBAND_DATA")
    from proband.pipeline.study import paper

    given: dict[str, Any] = {"dry_run": dry_run, "jobs": jobs, "part": part, **asdict(engine)}
    give(paper(suite, data=data, out=out, models=model, parameters=settings(set), **given), layout, json=json)
