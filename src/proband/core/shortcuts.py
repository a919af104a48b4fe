"""Which items the shortcuts that a suite declares (`Suite.baselines`) answer rightly, whether or not they were run.

Each learns from what it may see (training items, or all others where there are none) and answers the items of the other
splits. Reports ask twice, for a table and for a column, and pay once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proband.core.errors import ProbandError
from proband.core.metrics import best_choices
from proband.core.types import Item

Right = Mapping[str, Mapping[str, bool]]  # shortcut -> item -> whether its answer is right
_last: tuple[str, Right] | None = None


def answered_rightly(
    baselines: Mapping[str, Callable[[], Any]], items: Callable[[], Iterable[Item]], *, known_as: str
) -> Right:
    """By shortcut and item; empty where an item lacks what they need. `known_as` is the hash of the items."""
    global _last
    key = f"{known_as} {sorted(baselines)}"
    if _last is None or _last[0] != key:
        _last = key, _answered(baselines, list(items())) if baselines else {}
    return _last[1]


def _answered(baselines: Mapping[str, Callable[[], Any]], items: list[Item]) -> Right:
    asked = [item for item in items if item.split != "train" and item.gold is not None and item.choices]
    right: dict[str, Mapping[str, bool]] = {}
    for name, make in baselines.items():
        try:
            answers = make().learn(items).answer(asked)
        except ProbandError:  # hidden answers, rows of others without facts
            return {}
        pairs = zip(asked, answers, strict=True)
        right[name] = {item.id: best_choices(answer)[:1] == (item.gold,) for item, answer in pairs}
    return right
