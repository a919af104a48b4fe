"""`proband audit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments_and_output import Json, Out, Pairs, fields, give, settings, table
from proband.core.errors import ProbandError

SHOWN = 12  # findings on the terminal
VERDICTS = ("entailed", "ambiguous", "false", "inconsistent", "gender open", "depends on the world", "unread")
KINDS = ("full", "partial", "none")  # of credit
OTHERS = ("answer leaked", "duplicate with another label")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AuditReading:
    """How the rows are read and judged."""

    domain: Annotated[
        str,
        Parameter(
            metavar="DOMAIN",
            help="kinship, grid, temporal, allen, sizes, one of another package or a TOML file (default: guessed).",
        ),
    ] = ""
    world: Annotated[
        str, Parameter(metavar="WORLD", help="World in which labels must hold (default: all of the domain).")
    ] = ""
    text_column: Annotated[str, Parameter(metavar="NAME", help="Column of the text (default: guessed).")] = ""
    question_column: Annotated[str, Parameter(metavar="NAME", help="Column of the question (default: guessed).")] = ""
    answer_column: Annotated[str, Parameter(metavar="NAME", help="Column of the answer (default: guessed).")] = ""

    pair_columns: Annotated[
        str, Parameter(metavar="A,B", help="Columns of the two that the answer is about: what is A to B?")
    ] = ""
    facts_column: Annotated[
        str, Parameter(metavar="NAME", help='Column of facts, [["Ann", "mother", "Bo"], ...]: nothing is read then.')
    ] = ""

    def columns(self) -> dict[str, str]:
        """The columns that the user names."""
        named = {"text": self.text_column, "question": self.question_column, "answer": self.answer_column}
        named |= {"pair": self.pair_columns, "facts": self.facts_column}
        return {what: name for what, name in named.items() if name}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ModelReaderOptions:
    """Models that read the texts, and how they are asked: as in `proband run`."""

    reader: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="MODEL",
            help="A model that reads the texts (KIND:NAME), instead of the readers that ship; repeatable: a row is "
            "read when two readings lead to the same verdict. One model reads with two prompts.",
        ),
    ] = ()
    dry_run: Annotated[bool, Parameter(negative="", help="Print calls, tokens and cost of --reader; ask nothing.")] = (
        False
    )
    prices: Annotated[str, Parameter(metavar="IN,OUT", help="Price per million tokens in and out, as 0.15,0.6.")] = ""
    max_cost: Annotated[float | None, Parameter(metavar="COST", help="Stop before the readings cost more.")] = None
    on_error: Annotated[
        Literal["fail", "record"], Parameter(help="A text that a model cannot be asked: stop, or leave the row unread.")
    ] = "fail"
    no_cache: Annotated[bool, Parameter(negative="", help="Do not read or write the answer cache.")] = False
    model_set: Annotated[
        Pairs, Parameter(metavar="NAME=VALUE", help="Option of the kind of model, as concurrency=4; repeatable.")
    ] = ()

    def how(self) -> Any:
        """The options of the runs by which texts are read."""
        from proband.pipeline.run_options import RunOptions

        return RunOptions(
            prices=self.prices or None,
            max_cost=self.max_cost,
            on_error=self.on_error,
            cache=not self.no_cache,
            model_options=settings(self.model_set, "--model-set"),
        )


def audit(
    source: Annotated[
        str,
        Parameter(
            help="A file of rows (JSONL, CSV, JSON; CLUTRR, StepGame, items), a folder of them, or "
            "reasoning-gym:TASK[?size=N&seed=N]."
        ),
    ],
    /,
    *,
    out: Out,
    reading: AuditReading = AuditReading(),
    models: ModelReaderOptions = ModelReaderOptions(),
    replies: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="Models' replies to these rows (question, label, model, read_answer, reply, score): scores as "
            "published and under the proved labels. SOURCE may be the same file.",
        ),
    ] = None,
    scorer: Annotated[
        str,
        Parameter(
            metavar="MODULE:FUNCTION",
            help="A function (answer, entry) -> score: what does it give credit for? (reasoning-gym:TASK has its own.)",
        ),
    ] = "",
    fail_on: Annotated[
        str,
        Parameter(
            metavar="VERDICTS",
            help="Exit with code 3 if rows have one of these verdicts (with commas: false,ambiguous).",
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Certify the labels of a data set, ours or anyone's (CLUTRR CSV included).

    Example: proband audit data.jsonl -o audit
    """
    verdicts = [each.strip() for each in fail_on.split(",") if each.strip()]
    if unknown := [each for each in verdicts if each not in (*VERDICTS, *OTHERS)]:
        raise ProbandError(f"--fail-on takes {', '.join((*VERDICTS, *OTHERS))}, not {unknown[0]!r}")
    from proband.pipeline.checking import audit

    result = audit(
        source,
        out=out,
        columns=reading.columns(),
        domain=reading.domain,
        world=reading.world,
        readers=models.reader,
        how=models.how(),
        dry_run=models.dry_run,
        replies=replies,
        scorer=scorer,
    )
    if models.dry_run:
        from proband.cli.verbs.build_run_report import dry_run_layout

        give(result["forecasts"], dry_run_layout, json=json)
        return
    give(result, layout, json=json)
    if verdicts:
        from proband.pipeline.checking import check

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


def verify(
    items: Annotated[Path, Parameter(help="Folder of built items.")],
    /,
    *,
    allow_uncertified: Annotated[
        bool, Parameter(negative="", help="Items without a certificate that holds are counted, not refused.")
    ] = False,
    json: Json = False,
) -> None:
    """Re-check the certificate of every item, with a small checker that is independent of the generator.

    Example: proband verify items
    """
    from proband.pipeline.checking import verify

    result = verify(items, allow_uncertified=allow_uncertified)
    give(result, verify_layout, json=json)
    if result["problems"]:
        raise ProbandError(
            f"{items}: {result['failed']} of {result['items']} items failed; first: {result['problems'][0]}"
        )


def verify_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield table(("items", "checked"), ((count, how) for how, count in result["checked"].items()), numbers=(0,))
    yield from result["problems"]
