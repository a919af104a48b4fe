"""What `proband items` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield {name: result[name] for name in ("systems", "items", "suspects")}
    for sheet in result["sheets"]:
        yield sheet["title"]
        yield table(sheet["header"], sheet["rows"][:12])
        yield sheet["note"]
    if result.get("short"):
        yield {"short test": result["short"]}
    yield f"open {result['page']}"
