"""What `proband study`, `proband paper` and `proband demo` print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table, words

COLUMNS = ("verb", "name", "state", "folder", "reason")


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """The stages, the claims, and where the page is."""
    yield result["title"]
    columns = [name for name in COLUMNS if any(stage.get(name) is not None for stage in result["stages"])]
    rows = ([stage.get(name) for name in columns] for stage in result["stages"])
    yield table(columns, rows)
    if claims := result.get("claims"):
        yield ""
        yield table(("claims", ""), claims.items())
    if tables := result.get("tables"):
        yield f"\ntables: {words(tables)}"
    if result.get("page"):
        yield f"\nopen {result['page']}"


def demo_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['runs']} runs in {result['seconds']} s"
    for line in result["learnt"]:
        yield f"- {line}"
    for line in result["left_out"]:
        yield f"left out: {line}"
    yield f"open {result['page']}"
