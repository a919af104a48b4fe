"""What `proband plan` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proband.cli.arguments_and_output import table


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    now, power = result["now"], result["power"]
    yield {
        "basis": result["basis"],
        "goal": f"detect a difference of {result['difference']:g} at p < 0.05 with {100 * power:.0f} % power",
        "this design": f"{100 * now['power']:.0f} % power; 80 % power to detect {now['detectable']:.3f}"
        + (" [{:.3f}, {:.3f}]".format(*now["interval"]) if now["interval"] else ""),
    }
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
