"""`proband verify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Json
from proband.cli.output import give, table
from proband.core.errors import ProbandError


def verify(
    items: Annotated[Path, Parameter(help="Folder of built items.")],
    /,
    *,
    allow_uncertified: Annotated[
        bool, Parameter(negative="", help="Items without a certificate that holds are counted, not refused.")
    ] = False,
    json: Json = False,
) -> None:
    """Re-check the certificate of every item, with a small checker that is independent of the generator.

    Example: proband verify items
    """
    from proband.pipeline.checking import verify

    result = verify(items, allow_uncertified=allow_uncertified)
    give(result, layout, json=json)
    if result["problems"]:
        raise ProbandError(
            f"{items}: {result['failed']} of {result['items']} items failed; first: {result['problems'][0]}"
        )


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield table(("items", "checked"), ((count, how) for how, count in result["checked"].items()), numbers=(0,))
    yield from result["problems"]
