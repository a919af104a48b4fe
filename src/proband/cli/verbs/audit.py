"""`proband audit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Json, Out, Seed
from proband.cli.output import fields, give


def audit(
    source: Annotated[str, Parameter(help="A file of rows (CLUTRR CSV, items) or a folder of them.")],
    /,
    *,
    out: Out,
    suite: Annotated[
        str,
        Parameter(metavar="SUITE", help="Suite whose auditor reads it (default: the one that reads such sources)."),
    ] = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Certify the labels of a data set, ours or anyone's (CLUTRR CSV included).

    Example: proband audit items -o audit
    """
    from proband.pipeline.checking import audit

    give(audit(source, out=out, suite=suite, seed=seed), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield fields({name: value for name, value in result.items() if name != "page" and value not in ({}, [], None)})
    if result.get("page"):
        yield f"open {result['page']}"
