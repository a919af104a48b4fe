"""`proband export`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Force, Items, Json
from proband.cli.output import fields, give


def export(
    items: Items,
    /,
    *,
    to: Annotated[
        str, Parameter(metavar="FORMAT", help="csv, hf, lm-eval, inspect, or one of the suite's own formats.")
    ],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="PATH", help="File or folder to write.")] = Path("."),
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the items in the format of another tool.

    Example: proband export items --to csv -o items.csv
    """
    from proband.pipeline.export import export

    give(export(items, to=to, out=out, force=force), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['items']:,} items as {result['format']} in {result['out']}"
    rest = {name: result[name] for name in ("splits", "left_out", "licence") if result.get(name)}
    if rest:
        yield fields(rest)
