"""`proband report`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Json, Moved, Out, Seed
from proband.cli.tables import fields, give


def report(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders, or folders that hold some.")],
    /,
    *,
    out: Out,
    title: Annotated[str | None, Parameter(metavar="TEXT", help="Title of the page.")] = None,
    items: Moved = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write index.html, tables (md, tex, csv) and figures for any number of runs; opens from disk, offline.

    Example: proband report runs -o report
    """
    from proband.pipeline.report import report

    give(report(runs, out=out, items=items, title=title, seed=seed), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What stands out, then the counts and the page."""
    yield from result.get("said", ())
    yield fields({name: value for name, value in result.items() if name not in ("said", "page")})
    yield f"open {result['page']}"
