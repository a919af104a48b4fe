"""`proband export`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Force, Items, Json, fields, give


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
    give(export(items, to=to, out=out, force=force, **named), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['items']:,} items as {result['format']} in {result['out']}"
    names = ("splits", "left_out", "licence", "model", "metric", "score", "files")
    rest = {name: result[name] for name in names if result.get(name)}
    if rest:
        yield fields(rest)
