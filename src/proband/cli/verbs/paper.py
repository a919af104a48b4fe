"""`proband paper`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from proband.cli.arguments import Engine, Json, Out, Pairs, settings
from proband.cli.output import give
from proband.cli.verbs.study import DryRun, layout
from proband.core.errors import ProbandError


def paper(
    suite: Annotated[str, Parameter(help="Suite whose paper is reproduced; see `proband list studies`.")],
    /,
    *,
    out: Out,
    data: Annotated[
        Path | None,
        Parameter(metavar="DIR", env_var="PROBAND_DATA", help="Folder of the paper's own data."),
    ] = None,
    model: Annotated[
        Sequence[str], Parameter(name=("--model", "-m"), metavar="MODEL", help="A model to run; repeatable.")
    ] = (),
    set: Annotated[Pairs, Parameter(metavar="NAME=VALUE", help="Parameter of the study; repeatable.")] = (),
    dry_run: DryRun = False,
    engine: Engine = Engine(),  # noqa: B008
    json: Json = False,
) -> None:
    """Run the study that reproduces a paper: our tables beside the published figures, and its claims as tests.

    Example: proband paper analogy --data BATS -m embedded:glove -o tables
    """
    if data is None:
        raise ProbandError("name the folder of the paper's own data with --data, or set PROBAND_DATA")
    from proband.pipeline.study import paper

    made = paper(
        suite,
        data=data,
        out=out,
        models=model,
        parameters=settings(set),
        dry_run=dry_run,
        **asdict(engine),
    )
    give(made, layout, json=json)
