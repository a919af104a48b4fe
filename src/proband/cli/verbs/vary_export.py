"""`proband vary` and `proband export`: items varied, and in the formats of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Count, Force, Items, Json, Out, Seed, fields, give, table


def vary(
    items: Items,
    /,
    *,
    out: Out,
    as_: Annotated[str, Parameter(name="--as", metavar="NAME[,NAME...]")],
    per_item: Count = 1,
    split: str = "",
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make variations of items whose effect on the right answer is known.

    Example: proband vary items -o varied --as rename,reorder,counterfactual

    :param as_: Variations of the suite (docs/variations.md).
    :param per_item: How many of each to make of every item.
    :param split: Items to vary: train, valid, test or all; default: those scored.
    """
    from proband.pipeline.vary import vary

    give(vary(items, out=out, as_=as_, per_item=per_item, split=split, seed=seed, force=force), vary_layout, json=json)


def vary_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, varied with seed {manifest['seed']}"
    rows = [
        (name, each["effect"], each["items"], sum(each["not_varied"].values()), next(iter(each["not_varied"]), ""))
        for name, each in manifest["variations"].items()
    ]
    yield table(("variation", "right answer", "items", "not varied", "most often because"), rows, numbers=(2, 3))


def export(
    items: Items,
    /,
    *,
    to: Annotated[str, Parameter(metavar="FORMAT")],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PATH")] = Path("."),
    model_id: Annotated[str, Parameter(metavar="DEVELOPER/NAME")] = "",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the items in the format of another tool, or the results of a run in one that collects results.

    Example: proband export items --to csv -o items.csv

    :param to: csv, hf, lm-eval, inspect, the suite's own; of runs: stepwise, every-eval-ever.
    :param out: File or folder to write.
    :param model_id: The model of a run, as the Hugging Face hub names it.
    """
    from proband.pipeline.export import export

    give(export(items, to=to, out=out, force=force, model_id=model_id), export_layout, json=json)


def export_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['items']:,} items as {result['format']} in {result['out']}"
    names = ("splits", "left_out", "licence", "model", "metric", "score", "files")
    rest = {name: result[name] for name in names if result.get(name)}
    if rest:
        yield fields(rest)
