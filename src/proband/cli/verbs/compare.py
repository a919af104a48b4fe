"""`proband compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Json, Moved, Seed
from proband.cli.tables import give, table


def compare(
    run_a: Annotated[Path, Parameter(help="Folder of the first run.")],
    run_b: Annotated[Path, Parameter(help="Folder of the second run, over the same items.")],
    /,
    *,
    by: Annotated[
        str | None, Parameter(metavar="TAG", help="One test for each value of this tag, with Holm's correction.")
    ] = None,
    metric: Annotated[str | None, Parameter(metavar="METRIC", help="Default: the main metric of the suite.")] = None,
    items: Moved = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare two runs by a paired, clustered significance test.

    Example: proband compare runs/mlm runs/smollm2
    """
    from proband.pipeline.compare import compare

    give(compare(run_a, run_b, items=items, by=by, metric=metric, seed=seed), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['suite']}, {result['metric']}: A = {result['a']}, B = {result['b']}"
    header = ("", "A", "B", "A - B", "95 % interval", "p (Holm)", "n", "")
    yield table(header, map(row, result["groups"]), numbers=(1, 2, 3, 5, 6))
    least = result["groups"][0]["detectable"]
    yield f"minimum detectable difference over all items: {least:.3f}"


def row(group: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        group["group"],
        f"{group['mean_a']:.3f}",
        f"{group['mean_b']:.3f}",
        f"{group['difference']:+.3f}",
        f"[{group['low']:+.3f}, {group['high']:+.3f}]",
        f"{group['p_holm']:.4f}",
        f"{group['n']:,}",
        group["verdict"],
    )
