"""`proband audit` and `proband verify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import (
    Flag,
    Json,
    Name,
    Names,
    Out,
    dry_run_layout,
    fields,
    give,
    given_options,
    split_names,
    table,
    with_options,
)
from proband.core.errors import ProbandError
from proband.core.plugins import read_options
from proband.pipeline.run_options import RunOptions

SHOWN = 12  # findings on the terminal
VERDICTS = ("entailed", "ambiguous", "false", "inconsistent", "gender open", "depends on the world", "unread")
KINDS = ("full", "partial", "none")  # of credit
OTHERS = ("answer leaked", "duplicate with another label")
OF_READERS = ("prices", "max_cost", "on_error", "cache", "model_options")  # options of the runs by which texts are read
READER = """A model that reads the texts (KIND:NAME), instead of the readers that ship; repeatable: a row is read when \
two readings lead to the same verdict. One model reads with two prompts."""
Readers = Annotated[tuple[str, ...], Parameter(metavar="MODEL", help=READER)]


@with_options(RunOptions, only=OF_READERS)
def audit(
    source: str,
    /,
    *,
    out: Out,
    domain: Name = "",
    world: Name = "",
    text_column: Name = "",
    question_column: Name = "",
    answer_column: Name = "",
    pair_columns: Annotated[str, Parameter(metavar="A,B")] = "",
    facts_column: Name = "",
    reader: Readers = (),
    dry_run: Flag = False,
    replies: Path | None = None,
    scorer: Annotated[str, Parameter(metavar="MODULE:FUNCTION")] = "",
    fail_on: Names = "",
    json: Json = False,
    **given: Any,
) -> None:
    """Check whether the labels of a data set follow from its texts.

    Example: proband audit data.jsonl -o audit

    :param source: A file of rows (JSONL, CSV, JSON, Parquet), a folder of them, or reasoning-gym:TASK[?size=N&seed=N].
    :param domain: kinship, grid, temporal, allen, sizes, one of another package or a TOML file (default: guessed).
    :param world: World in which labels must hold (default: all of the domain).
    :param text_column: Column of the text (default: guessed).
    :param question_column: Column of the question (default: guessed).
    :param answer_column: Column of the answer (default: guessed).
    :param pair_columns: Columns of the two that the answer is about: what is A to B?
    :param facts_column: Column of facts, [["Ann", "mother", "Bo"], ...]: nothing is read then.
    :param dry_run: Print calls, tokens and cost of --reader; ask nothing.
    :param replies: Models' replies to these rows (question, label, model, reply): scores under the proved labels.
    :param scorer: A function (answer, entry) -> score: what does it give credit for?
    :param fail_on: Exit with code 3 if rows have one of these verdicts (with commas: false,ambiguous).
    """
    verdicts = split_names(fail_on)
    if unknown := [each for each in verdicts if each not in (*VERDICTS, *OTHERS)]:
        raise ProbandError(f"--fail-on takes {', '.join((*VERDICTS, *OTHERS))}, not {unknown[0]!r}")
    from proband.pipeline.checking import audit, check

    columns = {"text": text_column, "question": question_column, "answer": answer_column}
    columns |= {"pair": pair_columns, "facts": facts_column}
    result = audit(
        source,
        out=out,
        columns={what: name for what, name in columns.items() if name},
        domain=domain,
        world=world,
        readers=reader,
        options=read_options(RunOptions, given_options(RunOptions, given), of="audit"),
        dry_run=dry_run,
        replies=replies,
        scorer=scorer,
    )
    if dry_run:
        give(result["forecasts"], dry_run_layout, json=json)
        return
    give(result, layout, json=json)
    if verdicts:
        check(result, verdicts)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    shown = {name: value for name, value in result.items() if name not in ("page", "finding", "models", "credit")}
    yield fields({name: value for name, value in shown.items() if value not in ({}, [], None)})
    if findings := result.get("finding"):
        lines = [(each["rows"], each["severity"], each["claim"]) for each in findings[:SHOWN]]
        yield table(("rows", "", "finding"), lines, numbers=(0,))
        if len(findings) > SHOWN:
            yield f"... and {len(findings) - SHOWN} more in findings.jsonl"
    if credit := result.get("credit"):
        lines = [(each["probe"], *(each.get("credit", {}).get(k, 0) for k in KINDS), each["fault"]) for each in credit]
        yield table(("reply", *KINDS, "fault"), lines, numbers=range(1, len(KINDS) + 1))
    for level, scores in result.get("models", {}).items():
        from proband.pipeline.replies import HEAD, table_rows

        yield f"{level}: {scores['settled items']} of {scores['items']} items have a proved answer"
        yield table(HEAD, table_rows(scores), numbers=range(1, len(HEAD)))
        for a, b in scores.get("swapped", ()):
            yield f"{a} is published as better than {b}; under the proved labels it is not"
    if result.get("page"):
        yield f"open {result['page']}"


# ---- `proband verify` ----------------------------------------------------------------------------------------------


def verify(items: Path, /, *, allow_uncertified: Flag = False, json: Json = False) -> None:
    """Re-check the certificate of every item, with a small checker that is independent of the generator.

    Example: proband verify items

    :param items: Folder of built items.
    :param allow_uncertified: Count items without a valid certificate instead of failing.
    """
    from proband.pipeline.checking import verify

    result = verify(items, allow_uncertified=allow_uncertified)
    give(result, verify_layout, json=json)
    if result["problems"]:
        raise ProbandError(
            f"{items}: {result['failed']} of {result['items']} items failed; first: {result['problems'][0]}"
        )


def verify_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield table(("items", "checked"), ((count, method) for method, count in result["checked"].items()), numbers=(0,))
    yield from result["problems"]
