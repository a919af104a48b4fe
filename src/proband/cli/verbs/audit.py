"""What `proband audit` and `proband verify` print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table

SHOWN = 12  # findings on the terminal
KINDS = ("full", "partial", "none")  # of credit


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    below = ("page", "finding", "models", "credit", "check failed")
    yield {name: value for name, value in result.items() if name not in below and value not in ({}, [], None)}
    if findings := result.get("finding"):
        lines = [(each["rows"], each["severity"], each["claim"]) for each in findings[:SHOWN]]
        yield table(("rows", "", "finding"), lines, numbers=(0,))
        if len(findings) > SHOWN:
            yield f"... and {len(findings) - SHOWN} more in findings.jsonl"
    if credit := result.get("credit"):
        lines = [(each["probe"], *(each.get("credit", {}).get(k, 0) for k in KINDS), each["fault"]) for each in credit]
        yield table(("reply", *KINDS, "fault"), lines, numbers=range(1, len(KINDS) + 1))
    for level, scores in result.get("models", {}).items():
        from proband.pipeline.replies import HEAD, table_rows

        yield f"{level}: {scores['settled items']} of {scores['items']} items have a proved answer"
        yield table(HEAD, table_rows(scores), numbers=range(1, len(HEAD)))
        for a, b in scores.get("swapped", ()):
            yield f"{a} is published as better than {b}; under the proved labels it is not"
    if result.get("page"):
        yield f"open {result['page']}"


def verify_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield table(("items", "checked"), ((count, method) for method, count in result["checked"].items()), numbers=(0,))
    yield from result["problems"]
