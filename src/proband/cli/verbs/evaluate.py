"""`proband evaluate`: from a model to one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments_and_output import (
    Flag,
    Force,
    Json,
    ModelName,
    Names,
    VerbosityOptions,
    dry_run_layout,
    give,
    given_options,
    table,
    with_options,
)
from proband.pipeline.run_options import RunOptions, SharedRunOptions


@with_options(RunOptions, only=SharedRunOptions.__annotations__)
def evaluate(
    *models: ModelName,
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PAGE")],
    size: Literal["quick", "panel"] = "panel",
    suite: Names = "",
    dry_run: Flag = False,
    card: Flag = False,
    label: Names = "",
    force: Force = False,
    verbosity: VerbosityOptions = VerbosityOptions(),  # noqa: B008
    json: Json = False,
    **given: Any,
) -> None:
    """Run models on a frozen panel of questions and write one page: a profile by capability, and a report per suite.

    Rerun the command to resume. Two models are compared by paired tests.

    Example: proband evaluate embedded:smollm2 -o page --size quick

    :param out: Folder of the page.
    :param size: quick: a fifth of the panel, a first look; panel: about 1,200 questions.
    :param suite: Only these suites, with commas.
    :param dry_run: Print questions, calls, time (a few items are tried) and cost; write no page.
    :param card: Also write card.md: results for a Hugging Face model card.
    :param label: How the page calls the models, with commas (default: SmolLM2-135M, ...).
    """
    from proband.pipeline.evaluate import EvaluationJob, evaluate

    verbosity.set()
    what: dict[str, Any] = {"out": out, "size": size, "suite": suite, "label": label}
    options = given_options(RunOptions, given)
    if dry_run:
        forecasts = EvaluationJob(models, **what, options=options).forecasts()
        give({"runs": forecasts}, lambda made: dry_run_layout(made["runs"]), json=json)
    else:
        give(evaluate(*models, card=card, force=force, **what, **options).summary(), layout, json=json)


def layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """The profile as a table, the sentences, and where the page is."""
    several = len(made["models"]) > 1
    unread = any(row["unread"] for row in made["capabilities"])
    more = (*(("unread",) if unread else ()), "n", "✓ at", "")
    head = ("capability", *(("model",) if several else ()), "score", "95 % interval", "chance", "shortcut", *more)
    rows = []
    for row in made["capabilities"]:
        name = (row["capability"], *((made["names"][row["model"]],) if several else ()))
        if row["score"] is None:
            rows.append((*name, "–", row["reason"], "", "", *([""] if unread else []), "", "", ""))
            continue
        span = "too few to tell" if row["low"] is None else f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
        levels = ("" if row[each] is None else f"{100 * row[each]:.1f}" for each in ("chance", "shortcut"))
        share = [f"{100 * row['unread']:.1f} %"] if unread else []
        least = "–" if row["ticked_at"] is None else f"{100 * row['ticked_at']:.0f}"
        sign = "✓" if row["can"] else "no verdict" if row["verdict"] not in ("not shown", None) else ""
        rows.append((*name, f"{100 * row['score']:.1f} %", span, *levels, *share, row["n"], least, sign))
    numbers = ("score", "chance", "shortcut", "unread", "n", "✓ at")
    yield table(head, rows, numbers=[at for at, each in enumerate(head) if each in numbers])
    yield (
        f"✓: above chance and every shortcut (corrected over the {made['rows_corrected_together']} rows of the panel); "
        "✓ at: the true score that gets it with 80 % power"
    )
    yield ""
    yield from (f"- {each['sentence']}" for each in made["sentences"])
    yield from made["notes"]
    yield f"\nopen {made['page']}"
