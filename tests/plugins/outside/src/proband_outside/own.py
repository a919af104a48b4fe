"""What the suite `more` declares besides items: a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, validators

from proband.core.files import read_items


def largest(
    items: Path, /, *, top: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 3
) -> dict[str, Any]:
    """Print the largest numbers of an item set.

    Example: proband more largest items --top 5

    :param items: Folder of items.
    :param top: How many to print.
    """
    numbers = {int(choice) for item in read_items(items) for choice in item.choices}
    return {"largest": sorted(numbers, reverse=True)[:top]}
