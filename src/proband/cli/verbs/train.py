"""What `proband train` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What net.json says; of several seeds, one line each."""
    if "net" in result:
        yield {name: value for name, value in result.items() if name not in ("versions", "curve", "identity")}
        return
    columns = ("seed", "epochs", "kept", "valid", "seconds")
    rows = ((folder, *(note.get(name) for name in columns)) for folder, note in result.items())
    yield table(("folder", *columns), rows, numbers=range(1, 6))
