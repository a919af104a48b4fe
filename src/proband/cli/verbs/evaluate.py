"""`proband evaluate`: from a model to one page."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments_and_output import (
    OPTIONS,
    Flag,
    Force,
    Json,
    VerbosityOptions,
    fields,
    give,
    given_options,
    parameters,
    table,
)
from proband.cli.verbs.build_run_report import duration, model_names

if TYPE_CHECKING:
    from proband.pipeline.run import Forecast


def evaluate(
    *models: Annotated[str, Parameter(help="KIND:NAME; see `proband list models`.", completer=lambda _: model_names())],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PAGE", help="Folder of the page.")],
    size: Annotated[
        Literal["quick", "panel"],
        Parameter(help="quick: a fifth of the panel, a first look; panel: about 1,200 questions."),
    ] = "panel",
    suite: Annotated[str, Parameter(metavar="NAMES", help="Only these suites, with commas.")] = "",
    panel: Annotated[str, Parameter(metavar="N", help="Version of the panel.")] = "2",
    dry_run: Annotated[
        Flag, Parameter(help="Print questions, calls, time (a few items are tried) and cost; write no page.")
    ] = False,
    card: Annotated[Flag, Parameter(help="Also write card.md: results for a model card of Hugging Face.")] = False,
    force: Force = False,
    verbosity: VerbosityOptions = VerbosityOptions(),  # noqa: B008
    json: Json = False,
    **given: Any,
) -> None:
    """Ask models a frozen panel of every suite and write one page: a profile by capability, then every suite's report.

    Rerun the command to resume. Two models are compared by paired tests.

    Example: proband evaluate embedded:smollm2 -o page --size quick
    """
    from proband.pipeline.evaluate import EvaluationJob, evaluate
    from proband.pipeline.run_options import RunOptions

    verbosity.set()
    what: dict[str, Any] = {"out": out, "size": size, "suite": suite, "panel": panel}
    how = given_options(RunOptions, given)
    if dry_run:
        forecasts = EvaluationJob.of(models, **what, how=how).forecasts()
        give({"runs": forecasts}, lambda made: dry_run_layout(made["runs"]), json=json)
    else:
        give(evaluate(*models, card=card, force=force, **what, **how).summary(), layout, json=json)


@cache
def with_options() -> None:
    """The options of a run among the keywords of the verb."""
    from proband.pipeline.run_options import RunOptions, SharedRunOptions

    *own, _ = inspect.signature(evaluate, eval_str=True).parameters.values()
    options = [each for each in parameters(RunOptions, group=OPTIONS) if each.name in SharedRunOptions.__annotations__]
    evaluate.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]


def layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """The profile as a table, the sentences, and where the page is."""
    several = len(made["models"]) > 1
    unread = any(row["unread"] for row in made["capabilities"])
    more = (*(("unread",) if unread else ()), "n", "✓ at", "")
    head = ("capability", *(("model",) if several else ()), "score", "95 % interval", "chance", "shortcut", *more)
    rows = []
    for row in made["capabilities"]:
        name = (row["capability"], *((row["model"],) if several else ()))
        if row["score"] is None:
            rows.append((*name, "–", row["reason"], "", "", *([""] if unread else []), "", "", ""))
            continue
        span = "too few to tell" if row["low"] is None else f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
        levels = ("" if row[each] is None else f"{100 * row[each]:.1f}" for each in ("chance", "shortcut"))
        share = [f"{100 * row['unread']:.1f} %"] if unread else []
        least = "–" if row["ticked_at"] is None else f"{100 * row['ticked_at']:.0f}"
        sign = "✓" if row["can"] else "no verdict" if row["verdict"] not in ("not shown", None) else ""
        rows.append((*name, f"{100 * row['score']:.1f} %", span, *levels, *share, row["n"], least, sign))
    yield table(
        head,
        rows,
        numbers=[at for at, each in enumerate(head) if each in ("score", "chance", "shortcut", "unread", "n", "✓ at")],
    )
    yield (
        f"✓: above chance and every shortcut (corrected over the {made['rows_corrected_together']} rows of the panel); "
        "✓ at: the true score that gets it with 80 % power"
    )
    yield ""
    yield from (f"- {each['sentence']}" for each in made["sentences"])
    yield from made["notes"]
    yield f"\nopen {made['page']}"


def dry_run_layout(forecasts: Sequence[Forecast]) -> Iterable[Any]:
    """A line per run, then the whole."""
    rows = [
        (each.model, each.suite, each.solver, each.items, each.answered, each.calls, each.cost, duration(each.seconds))
        for each in forecasts
    ]
    yield table(
        ("model", "suite", "asked by", "questions", "answered", "calls", "cost", "time"), rows, numbers=(3, 4, 5, 6)
    )
    known = [each.seconds for each in forecasts if each.seconds is not None]
    total = {"questions": sum(each.items - each.answered for each in forecasts), "time": duration(sum(known) or None)}
    if known and (unknown := len(forecasts) - len(known)):
        runs = "a run" if unknown == 1 else f"{unknown} runs"
        total["time"] = f"{total['time']}, without {runs} whose time is not known before the first answers"
    if costs := [each.cost for each in forecasts if each.cost is not None]:
        total["cost"] = f"{sum(costs):,.4f} at most"
    yield ""
    yield fields(total)
