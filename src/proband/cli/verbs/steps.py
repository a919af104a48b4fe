"""`proband steps`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import (
    Flag,
    Json,
    Moved,
    Name,
    Out,
    dry_run_layout,
    fields,
    give,
    given_options,
    table,
    with_options,
)
from proband.cli.verbs.audit import OF_READERS, Readers
from proband.core.plugins import read_options
from proband.pipeline.run_options import RunOptions

SHOWN = 5  # reasons on the terminal


@with_options(RunOptions, only=OF_READERS)
def steps(
    source: Path,
    /,
    *,
    out: Out,
    items: Moved = None,
    domain: Name = "",
    reply_column: Name = "",
    question_column: Name = "",
    judge: Annotated[str, Parameter(metavar="MODEL")] = "",
    reader: Readers = (),
    dry_run: Flag = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Check a model's reasoning sentence by sentence: told, entailed, possible, contradicted, unread; with proofs.

    Example: proband steps runs/thinking -o steps

    :param source: A run with replies in words, a folder of runs, or a file of replies (JSONL, JSON, CSV).
    :param domain: kinship, grid, temporal, allen, sizes or a TOML file (default: known or guessed).
    :param reply_column: Column of the reply (default: guessed).
    :param question_column: Column of the question (default: guessed).
    :param judge: A model that judges each step: its verdicts are compared with the proofs.
    :param dry_run: Print calls, tokens and cost of --reader; ask nothing.
    """
    from proband.pipeline.steps import check_replies

    named = {"reply": reply_column, "question": question_column}
    columns = {what: name for what, name in named.items() if name}
    options = read_options(RunOptions, given_options(RunOptions, given), of="steps")
    result = check_replies(
        source,
        out=out,
        items=items,
        domain=domain,
        columns=columns,
        judge=judge,
        readers=reader,
        options=options,
        dry_run=dry_run,
    )
    if dry_run:
        give(result["forecasts"], dry_run_layout, json=json)
    else:
        give(result, layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields({name: result[name] for name in ("replies", "statements", "follows from")})
    outcomes = list(result["models"][0]["counts"])
    rows = [(each["model"], each["replies"], *(each["counts"][name] for name in outcomes)) for each in result["models"]]
    yield table(("model", "replies", *outcomes), rows, numbers=range(1, len(outcomes) + 2))
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
