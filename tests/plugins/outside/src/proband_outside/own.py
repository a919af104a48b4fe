"""What the suite `more` declares besides items: a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from proband.core.files import read_items


def largest(
    items: Annotated[Path, Meta(description="Folder of items.")],
    /,
    *,
    top: Annotated[int, Meta(title="N", ge=1, description="How many to print.")] = 3,
) -> dict[str, Any]:
    """Print the largest numbers of an item set.

    Example: proband more largest items --top 5
    """
    numbers = {int(choice) for item in read_items(items) for choice in item.choices}
    return {"largest": sorted(numbers, reverse=True)[:top]}
