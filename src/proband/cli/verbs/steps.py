"""`proband steps`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Json, Moved, Out, fields, give, table
from proband.cli.verbs.audit import ModelReaderOptions
from proband.cli.verbs.build_run_report import dry_run_layout

SHOWN = 5  # reasons on the terminal


def steps(
    source: Annotated[
        Path, Parameter(help="A run with replies in words, a folder of runs, or a file of replies (JSONL, JSON, CSV).")
    ],
    /,
    *,
    out: Out,
    items: Moved = None,
    domain: Annotated[
        str,
        Parameter(
            metavar="DOMAIN", help="kinship, grid, temporal, allen, sizes or a TOML file (default: known or guessed)."
        ),
    ] = "",
    reply_column: Annotated[str, Parameter(metavar="NAME", help="Column of the reply (default: guessed).")] = "",
    question_column: Annotated[str, Parameter(metavar="NAME", help="Column of the question (default: guessed).")] = "",
    judge: Annotated[
        str,
        Parameter(metavar="MODEL", help="A model that judges each step: its verdicts are compared with the proofs."),
    ] = "",
    models: ModelReaderOptions = ModelReaderOptions(),  # noqa: B008
    json: Json = False,
) -> None:
    """Check a model's reasoning sentence by sentence: told, entailed, possible, contradicted, unread; with proofs.

    Example: proband steps runs/thinking -o steps
    """
    from proband.pipeline.steps import check_replies

    named = {"reply": reply_column, "question": question_column}
    columns = {what: name for what, name in named.items() if name}
    asked: dict[str, Any] = {"readers": models.reader, "how": models.how(), "dry_run": models.dry_run}
    result = check_replies(source, out=out, items=items, domain=domain, columns=columns, judge=judge, **asked)
    if models.dry_run:
        give(result["forecasts"], dry_run_layout, json=json)
        return
    give(result, layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields(
        {
            "replies": result["replies"],
            "statements": result["statements"],
            "answer follows from": result["follows from"],
        }
    )
    outcomes = list(result["models"][0]["counts"])
    rows = [(each["model"], each["replies"], *(each["counts"][name] for name in outcomes)) for each in result["models"]]
    yield table(("model", "replies", *outcomes), rows, numbers=tuple(range(1, len(outcomes) + 2)))
    for what in ("not checked", "unread because"):
        if reasons := list(result[what].items())[:SHOWN]:
            yield table(("", what), [(count, why) for why, count in reasons], numbers=(0,))
    if judged := result.get("judge"):
        yield f"{judged['model']} as a judge of {judged['steps']} steps ({judged['read']} verdicts read):"
        quality = judged["wrong steps"].items()
        rows = [(name, own["steps"], _share(own["precision"]), _share(own["recall"])) for name, own in quality]
        yield table(("wrong steps", "steps", "precision", "recall"), rows, numbers=(1, 2, 3))
    yield f"open {result['page']}"


def _share(of: Mapping[str, Any]) -> str:
    return f"{100 * of['share']:.0f} % [{100 * of['low']:.0f}, {100 * of['high']:.0f}]" if of["n"] else "-"
