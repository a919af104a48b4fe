"""`proband report`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Force, Json, Moved, Seed, Split, fields, give, table


def report(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders, or folders that contain them.")],
    /,
    *,
    out: Annotated[Path | None, Parameter(name=("--out", "-o"), metavar="DIR", help="Folder to write.")] = None,
    title: Annotated[str | None, Parameter(metavar="TEXT", help="Title of the report.")] = None,
    analyses: Annotated[
        str, Parameter(metavar="NAMES", help="The suite's analyses to write, with commas, or all (default: the usual).")
    ] = "",
    leaderboard: Annotated[
        bool,
        Parameter(negative=(), help="One page of models and item sets, with ranks and groups, to be hosted as it is."),
    ] = False,
    watch: Annotated[
        bool, Parameter(negative=(), help="Show a run as it goes, on a page of this machine, and write nothing.")
    ] = False,
    port: Annotated[int, Parameter(metavar="N", help="Port of --watch.")] = 8737,
    host: Annotated[
        str, Parameter(metavar="ADDRESS", help="Address of --watch; others than this machine's.")
    ] = "127.0.0.1",
    split: Split = "",
    items: Moved = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write index.html, tables (md, tex, csv) and figures for any number of runs; opens from disk, offline.

    Example: proband report runs -o report
    """
    from proband.core.errors import ProbandError
    from proband.pipeline.report import report

    if watch:
        _watch(runs, host=host, port=port)
        return
    if out is None:
        raise ProbandError("--out DIR says where to write the report (see `proband report --help`)")
    names = [name.strip() for name in analyses.split(",") if name.strip()] or None
    what = {"leaderboard": True} if leaderboard else {"analyses": names}
    given = report(runs, out=out, items=items, title=title, seed=seed, split=split, force=force, **what)
    give(given, board_layout if leaderboard else layout, json=json)


def _watch(runs: Sequence[Path], *, host: str, port: int) -> None:
    from proband.core.errors import ProbandError
    from proband.pipeline.watch import watch

    if len(runs) != 1:
        raise ProbandError("--watch shows one run: name its folder")
    watch(runs[0], host=host, port=port, ready=lambda address: print(f"open {address} (Ctrl-C ends)", flush=True))


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
