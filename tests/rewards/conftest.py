"""Streams, and kinds of replies filled in for an item."""

from __future__ import annotations

from functools import cache

from proband.core.types import Item
from proband.rewards import Stream
from proband.rewards.attacks import filled as fill
from proband.rewards.attacks import read_kinds

KINDS = read_kinds()


@cache
def stream() -> Stream:
    return Stream("kinship", k="2,3", seed=7)


def filled(kind: str, item: Item) -> str:
    return fill(kind, item, question=stream().question(item))
