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
    unit = "%" if result["unit"] == "share" else result["unit"]
    yield f"{result['suite']}, {result['metric']} ({unit}): A = {result['a']}, B = {result['b']}"
    header = ("", "A", "B", "A - B", "95 % interval", "p (Holm)", "n", "")
    yield table(header, (row(group, result["unit"]) for group in result["groups"]), numbers=(1, 2, 3, 5, 6))
    if not result["groups"][0]["few"]:
        least = figure(result["groups"][0]["detectable"], result["unit"])
        yield f"minimum detectable difference over all items: {least}"


def row(group: Mapping[str, Any], unit: str) -> tuple[str, ...]:
    low, high = (figure(group[name], unit, sign="+") for name in ("low", "high"))
    return (
        group["group"],
        figure(group["mean_a"], unit),
        figure(group["mean_b"], unit),
        figure(group["difference"], unit, sign="+"),
        "–" if group["few"] else f"[{low}, {high}]",
        "–" if group["few"] else f"{group['p_holm']:.4f}",
        f"{group['n']:,}",
        group["verdict"],
    )


def figure(value: float, unit: str, *, sign: str = "") -> str:
    """
    >>> figure(0.125, "share", sign="+"), figure(1.5, "nats")
    ('+12.5', '1.500')
    """
    return f"{100 * value:{sign}.1f}" if unit == "share" else f"{value:{sign}.3f}"
