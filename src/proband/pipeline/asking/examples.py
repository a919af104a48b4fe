"""Worked examples for `--shots`: items of the train split, of the same folder or of another one."""

from __future__ import annotations

import random
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items
from proband.core.types import Item

MOST = 1000  # examples to choose from


def pool(folder: Path, *, suite: str, seed: int) -> list[Item]:
    """At most MOST items of the train split, drawn by seed from all of them in one pass (reservoir sampling). A folder
    without a train split gives none."""
    kept, seen, draw = list[Item](), 0, random.Random(f"{seed} examples")
    for item in read_items(folder):
        if item.suite != suite:
            raise ProbandError(f"contains items of {item.suite}, not of {suite}", file=items_path(folder))
        if item.split != "train":
            continue
        seen += 1
        if len(kept) < MOST:
            kept.append(item)
        elif (place := draw.randrange(seen)) < MOST:
            kept[place] = item
    return kept
