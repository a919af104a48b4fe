"""`proband items`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Force, Json, Names, Out, Scored, fields, give, split_names, table


def items(
    runs: Sequence[Path],
    /,
    *,
    out: Out,
    by: Names = "",
    group: Names = "",
    short: Annotated[int, Parameter(metavar="N")] = 0,
    estimate: Annotated[Path | None, Parameter(metavar="RUN")] = None,
    cluster: Annotated[str, Parameter(metavar="FIELD")] = "",
    scored: Scored = Scored(),  # noqa: B008
    force: Force = False,
    json: Json = False,
) -> None:
    """Item analysis: difficulty, discrimination, suspected label errors, reliability of the ranking.

    Example: proband items runs -o items

    :param runs: Run folders on one set of items, or logs of other tools.
    :param by: Tags that may explain difficulty, with commas (default: all).
    :param group: Systems to compare with the others: names with *, with commas.
    :param short: Write a short test of N items to OUT/short.
    :param estimate: A run on the short test of the same runs, N and seed: its score.
    :param cluster: Field of a log with what items share (default: cluster or clusters).
    """
    from proband.pipeline.items import items

    given: dict[str, Any] = {
        "by": split_names(by),
        "group": group,
        "short": short,
        "estimate": estimate,
        "cluster": cluster,
    }
    give(items(runs, out=out, force=force, **given, **asdict(scored)), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields({name: result[name] for name in ("systems", "items", "suspects")})
    for sheet in result["sheets"]:
        yield sheet["title"]
        yield table(sheet["header"], sheet["rows"][:12])
        yield sheet["note"]
    if result.get("short"):
        yield fields({"short test": result["short"]})
    yield f"open {result['page']}"
