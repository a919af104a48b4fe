"""`proband candidates`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import COUNT, Json, Out, Seed
from proband.cli.tables import fields, give


def candidates(
    store: Annotated[Path, Parameter(help="Folder that `proband assertions` wrote.")],
    /,
    *,
    questions: Annotated[
        Path,
        Parameter(metavar="FILE", help="Questions: lines `Which TYPE REL ARG?`, or columns type, relation, argument."),
    ],
    out: Out,
    seed: Seed = 0,
    taxonomy: Annotated[
        str,
        Parameter(metavar="NAME", help="Word types from auto, wordnet[:FOLDER], wn[:LEXICON], nltk or small."),
    ] = "auto",
    without: Annotated[
        Sequence[str], Parameter(metavar="FILTER", negative=(), help="Filter to switch off; repeatable.")
    ] = (),
    least: Annotated[int, Parameter(metavar="N", validator=COUNT, help="Smallest count of an assertion.")] = 1,
    most: Annotated[
        int | None,
        Parameter(metavar="N", validator=COUNT, help="Largest number of candidates per question."),
    ] = None,
    json: Json = False,
) -> None:
    """Find candidate answers to questions in a store and write them as questionnaires for people to judge.

    Example: proband candidates store --questions questions.txt -o sheets
    """
    from proband.pipeline.inference.candidates import candidates

    chosen: dict[str, Any] = {"taxonomy": taxonomy, "without": without, "least": least, "most": most}
    give(candidates(store, questions=questions, out=out, seed=seed, **chosen), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['written']:,} candidates in {result['questionnaires']:,} questionnaires in {result['out']}"
    skip = {"written", "questionnaires", "out", "options", "sha256"}
    yield fields({name: value for name, value in result.items() if name not in skip})
