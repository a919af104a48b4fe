"""`proband plan`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Count, Json, Share, fields, give, table


def plan(
    source: Path,
    second: Path | None = None,
    /,
    *,
    difference: Annotated[float, Parameter(name=("--difference", "-d"), metavar="X")] = 0.05,
    power: Share = 0.8,
    by: Annotated[str | None, Parameter(metavar="TAG")] = None,
    metric: Annotated[str | None, Parameter(metavar="METRIC")] = None,
    tests: Count = 1,
    accuracy: Share = 0.7,
    agreement: Share = 0.5,
    within: Share = 0.1,
    json: Json = False,
) -> None:
    """Plan a comparison: the number of items and clusters needed to detect a difference between two systems.

    Example: proband plan items -d 0.05

    :param source: A pilot run, a folder of items, or the name of a suite.
    :param second: A second pilot run on the same items.
    :param difference: True difference to detect.
    :param power: Probability of detecting it.
    :param by: Also plan by the values of this tag, such as relation.
    :param metric: Name of the metric (default: the main one).
    :param tests: Comparisons that will be corrected together (columns, pairs of models).
    :param accuracy: Without pilot runs: accuracy of the two systems.
    :param agreement: Without pilot runs: correlation of two systems' answers to the same item.
    :param within: Without pilot runs: correlation of the differences on two items that share a cluster.
    """
    from proband.pipeline.plan import Assumed, plan

    assumed = Assumed(accuracy=accuracy, agreement=agreement, within=within)
    wanted: dict[str, Any] = {"difference": difference, "power": power, "by": by, "metric": metric, "tests": tests}
    give(plan(source, second, **wanted, assumed=assumed), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    now, power = result["now"], result["power"]
    yield fields(
        {
            "basis": result["basis"],
            "goal": f"detect a difference of {result['difference']:g} at p < 0.05 with {100 * power:.0f} % power",
            "this design": f"{100 * now['power']:.0f} % power; 80 % power to detect {now['detectable']:.3f}"
            + (" [{:.3f}, {:.3f}]".format(*now["interval"]) if now["interval"] else ""),
        }
    )
    counted = [name for name in result["design"] if name != "effective_clusters"]
    ways = {
        "this design": result["design"],
        "needed, with clusters as large as these": result["more_clusters"],
        "needed, in these clusters": result["more_items_per_cluster"],
    }
    ends = [None, *(result["interval"] or {"": None, " ": None}).values()]
    rows = ((way, *(_number(name, each, both) for name in counted)) for (way, each), both in zip(ways.items(), ends))
    yield table(("", *counted), rows, numbers=tuple(range(1, 1 + len(counted))))
    if result["more_items_per_cluster"] is None:
        yield "–: no number of items is enough without more clusters"
    if result["interval"]:
        yield "[ ]: 95 % interval, given the variance between the pilot's clusters"


def _number(name: str, results: Mapping[str, int] | None, both: Sequence[Mapping[str, int] | None] | None) -> str:
    """A number with its interval.

    >>> _number("items", {"items": 1200}, [{"items": 700}, None]), _number("items", None, None)
    ('1,200 [700, –]', '–')
    """
    needed = f"{results[name]:,}" if results else "–"
    return f"{needed} [{', '.join(f'{end[name]:,}' if end else '–' for end in both)}]" if both else needed
