"""`proband report`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Force, Json, Moved, Out, Seed, Split
from proband.cli.output import fields, give, table


def report(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders, or folders that contain them.")],
    /,
    *,
    out: Out,
    title: Annotated[str | None, Parameter(metavar="TEXT", help="Title of the report.")] = None,
    analyses: Annotated[
        str, Parameter(metavar="NAMES", help="The suite's analyses to write, with commas, or all (default: the usual).")
    ] = "",
    leaderboard: Annotated[
        bool,
        Parameter(negative=(), help="One page of models and item sets, with ranks and groups, to be hosted as it is."),
    ] = False,
    split: Split = "",
    items: Moved = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write index.html, tables (md, tex, csv) and figures for any number of runs; opens from disk, offline.

    Example: proband report runs -o report
    """
    from proband.pipeline.report import report

    names = [name.strip() for name in analyses.split(",") if name.strip()] or None
    what = {"leaderboard": True} if leaderboard else {"analyses": names}
    given = report(runs, out=out, items=items, title=title, seed=seed, split=split, force=force, **what)
    give(given, board_layout if leaderboard else layout, json=json)


def board_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """Every model on every item set, the counts and the page."""
    names = ("items", "model", "metric", "mean", "interval", "group", "rank", "n")
    yield table(names, ([line[name] for name in names] for line in result["scores"]), numbers=(3, 7))
    yield fields({name: value for name, value in result.items() if name not in ("scores", "page")})
    yield f"open {result['page']}"


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What stands out, the main metric of each model, the counts and the page."""
    yield from result.get("sentences", ())
    if lines := result.get("scores"):
        names = ("items", "split", "model", "metric", "mean", "interval", "chance", "n")
        rows = ([*(line[name] for name in names), f"{line['unread']:.1%}"] for line in lines)
        yield ""
        yield table((*names[:5], "95 % interval", *names[6:], "unread"), rows, numbers=(4, 6, 7, 8))
        yield ""
    yield fields({name: value for name, value in result.items() if name not in ("sentences", "scores", "page")})
    yield f"open {result['page']}"
