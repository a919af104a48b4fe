"""`proband report` and `proband export`: what is written for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Flag, Force, Items, Json, Scored, fields, give, table
from proband.core.errors import ProbandError


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Contents:
    """What the report holds."""

    title: Annotated[str | None, Parameter(metavar="TEXT", help="Title of the report.")] = None
    analyses: Annotated[
        str, Parameter(metavar="NAMES", help="The suite's analyses to write, with commas, or all (default: the usual).")
    ] = ""
    claims: Annotated[Flag, Parameter(help="Test the claims of the suite's paper, with the runs that each needs.")] = (
        False
    )
    leaderboard: Annotated[
        Flag, Parameter(help="One page of models and item sets, with ranks and groups, to be hosted as it is.")
    ] = False

    def given(self) -> dict[str, Any]:
        names = [name.strip() for name in self.analyses.split(",") if name.strip()] or None
        what = {"leaderboard": True} if self.leaderboard else {"analyses": names, "claims": self.claims}
        return {"title": self.title, **what}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Watching:
    """A run as it goes, on a page of this machine."""

    watch: Annotated[Flag, Parameter(help="Show a run as it goes, on a page of this machine, and write nothing.")] = (
        False
    )
    port: Annotated[int, Parameter(metavar="N", help="Port of --watch.")] = 8737
    host: Annotated[str, Parameter(metavar="ADDRESS", help="Address of --watch; others than this machine's.")] = (
        "127.0.0.1"
    )


def report(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders, or folders that contain them.")],
    /,
    *,
    out: Annotated[Path | None, Parameter(name=("--out", "-o"), metavar="DIR", help="Folder to write.")] = None,
    contents: Contents = Contents(),
    watching: Watching = Watching(),
    scored: Scored = Scored(),  # noqa: B008
    force: Force = False,
    json: Json = False,
) -> None:
    """Write index.html, tables (md, tex, csv) and figures for any number of runs; opens from disk, offline.

    Example: proband report runs -o report
    """
    from proband.pipeline.report import report, runs_in_words

    if watching.watch:
        _watch(runs, host=watching.host, port=watching.port)
        return
    if out is None:
        raise ProbandError("--out DIR says where to write the report (see `proband report --help`)")
    given = {**contents.given(), **asdict(scored)}
    if not contents.leaderboard and (in_words := runs_in_words(runs)):
        from proband.pipeline.steps import steps_of_runs

        given["notes"] = steps_of_runs(in_words, out=out, items=given.get("items"), force=force)
    made = report(runs, out=out, force=force, **given)
    give(made, board_layout if contents.leaderboard else layout, json=json)


def _watch(runs: Sequence[Path], *, host: str, port: int) -> None:
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
        more = ("shortcut wrong",) if any("shortcut wrong" in line for line in lines) else ()
        rows = (
            [*(line[name] for name in names), f"{line['unread']:.1%}", *(line.get(name, "") for name in more)]
            for line in lines
        )
        yield ""
        head = (*names[:5], "95 % interval", *names[6:], "unread", *("where the best shortcut is wrong" for _ in more))
        yield table(head, rows, numbers=(4, 6, 7, 8, 9))
        yield ""
    yield fields({name: value for name, value in result.items() if name not in ("sentences", "scores", "page")})
    yield f"open {result['page']}"


# ---- `proband export` ------------------------------------------------------------------------------------------------


def export(
    items: Items,
    /,
    *,
    to: Annotated[
        str,
        Parameter(
            metavar="FORMAT",
            help="csv, hf, lm-eval, inspect, pairs, one of the suite's own; every-eval-ever, hf-results.",
        ),
    ],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PATH", help="File or folder to write.")] = Path("."),
    model_id: Annotated[
        str, Parameter(metavar="DEVELOPER/NAME", help="The model of a run, as the Hugging Face hub names it.")
    ] = "",
    dataset: Annotated[str, Parameter(metavar="ORG/NAME", help="The dataset of a run on the Hugging Face hub.")] = "",
    tokenizer: Annotated[
        str, Parameter(metavar="MODEL", help="Of --to pairs: the model whose tokens the pairs are written in.")
    ] = "",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the items in the format of another tool, or the results of a run in one that collects results.

    Example: proband export items --to csv -o items.csv
    """
    from proband.pipeline.export import export

    named = {
        name: value for name, value in (("model_id", model_id), ("dataset", dataset), ("tokenizer", tokenizer)) if value
    }
    give(export(items, to=to, out=out, force=force, **named), export_layout, json=json)


def export_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['items']:,} items as {result['format']} in {result['out']}"
    names = ("splits", "left_out", "licence", "model", "metric", "score", "files")
    rest = {name: result[name] for name in names if result.get(name)}
    if rest:
        yield fields(rest)
