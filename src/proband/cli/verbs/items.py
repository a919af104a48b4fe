"""`proband items`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Force, Json, Out, Scored, fields, give, table


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Looking:
    """What is asked of the items."""

    by: Annotated[
        str, Parameter(metavar="TAGS", help="Tags that may explain difficulty, with commas (default: all).")
    ] = ""
    group: Annotated[
        str, Parameter(metavar="NAMES", help="Systems to compare with the others: names with *, with commas.")
    ] = ""
    short: Annotated[int, Parameter(metavar="N", help="Write a short test of N items to OUT/short.")] = 0
    estimate: Annotated[
        Path | None, Parameter(metavar="RUN", help="A run on the short test of the same runs, N and seed: its score.")
    ] = None
    cluster: Annotated[
        str, Parameter(metavar="FIELD", help="Field of a log with what items share (default: cluster or clusters).")
    ] = ""


def items(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders on one set of items, or logs of other tools.")],
    /,
    *,
    out: Out,
    looking: Looking = Looking(),
    scored: Scored = Scored(),  # noqa: B008
    force: Force = False,
    json: Json = False,
) -> None:
    """Item analysis: difficulty, discrimination, suspected label errors, reliability of the ranking.

    Example: proband items runs -o items
    """
    from proband.pipeline.items import items

    given = {**asdict(looking), "by": [tag.strip() for tag in looking.by.split(",") if tag.strip()], **asdict(scored)}
    give(items(runs, out=out, force=force, **given), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields({name: result[name] for name in ("systems", "items", "suspects")})
    for sheet in result["sheets"]:
        yield sheet["title"]
        yield table(sheet["header"], ([("" if c is None else c) for c in row] for row in sheet["rows"][:12]))
        yield sheet["note"]
    if result.get("short"):
        yield fields({"short test": result["short"]})
    yield f"open {result['page']}"
