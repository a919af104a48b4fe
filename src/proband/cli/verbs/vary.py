"""`proband vary`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Force, Items, Json, Out, Seed, give, table


def vary(
    items: Items,
    /,
    *,
    out: Out,
    as_: Annotated[
        str, Parameter(name="--as", metavar="NAME[,NAME...]", help="Variations of the suite (docs/variations.md).")
    ],
    per_item: Annotated[int, Parameter(metavar="N", help="How many of each to make of every item.")] = 1,
    split: Annotated[str, Parameter(help="Items to vary: train, valid, test or all; default: those scored.")] = "",
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make certified variations of items: the same question otherwise, its right answer known.

    Example: proband vary items -o varied --as rename,reorder,counterfactual
    """
    from proband.pipeline.vary import vary

    give(vary(items, out=out, as_=as_, per_item=per_item, split=split, seed=seed, force=force), layout, json=json)


def layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, varied with seed {manifest['seed']}"
    rows = [
        (name, each["effect"], each["items"], sum(each["not_varied"].values()), next(iter(each["not_varied"]), ""))
        for name, each in manifest["variations"].items()
    ]
    yield table(("variation", "right answer", "items", "not varied", "most often because"), rows, numbers=(2, 3))
