"""Which items the shortcuts that a suite declares (`Suite.baselines`) answer rightly, whether or not they were run.

Each counts what it may see (training items, or all others where there are none) and answers the items of the other
splits. A shortcut uses little of an item (its clue), and many items have the same one: the items are read once, as a
stream, and a number is kept for each. Reports ask twice, for a table and for a column, and pay once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import Item

NOT_ASKED = -1
Right = Mapping[str, NDArray[np.int8]]  # shortcut -> per item, in order: 1 right, 0 wrong, NOT_ASKED
_last: tuple[str, Right] | None = None


class Shortcut(Protocol):
    """A model (`-m baseline:NAME`) that needs nothing of what a suite asks for."""

    def clue(self, item: Item) -> Hashable:
        """All that it uses of an item, its choices among it."""

    def count(self, clue: Any, *, train: bool) -> None:
        """Learn from an item, one after the other."""

    def scores(self, clue: Any, *, counted: bool) -> tuple[float, ...]:
        """Of the choices. An item that was `counted` itself must not count for its own answer."""


def answered_rightly(
    baselines: Mapping[str, Callable[[], Shortcut]], items: Callable[[], Iterable[Item]], *, known_as: str
) -> Right:
    """By shortcut and item; empty where an item lacks what they need. `known_as` is the hash of the items."""
    global _last
    key = f"{known_as} {sorted(baselines)}"
    if _last is None or _last[0] != key:
        try:
            _last = key, _answered({name: make() for name, make in baselines.items()}, items)
        except ProbandError:  # hidden answers, rows of others without facts
            _last = key, {}
    return _last[1]


def _answered(shortcuts: Mapping[str, Shortcut], items: Callable[[], Iterable[Item]]) -> Right:
    if not shortcuts:
        return {}
    seen: dict[str, dict[tuple[Hashable, int] | None, int]] = {name: {} for name in shortcuts}
    places = {name: array("i") for name in shortcuts}  # of each item's question among those seen
    for item in items():
        for name, shortcut in shortcuts.items():
            clue = shortcut.clue(item)
            shortcut.count(clue, train=item.split == "train")
            question = (clue, item.gold) if item.split != "train" and item.gold is not None and item.choices else None
            places[name].append(seen[name].setdefault(question, len(seen[name])))
    right = {}
    for name, shortcut in shortcuts.items():
        verdicts = [NOT_ASKED if question is None else _right(shortcut, *question) for question in seen.pop(name)]
        right[name] = np.array(verdicts, dtype=np.int8)[np.frombuffer(places[name], dtype=np.int32)]
    return right


def _right(shortcut: Shortcut, clue: Any, gold: int) -> bool:
    scores = shortcut.scores(clue, counted=True)
    return scores.index(max(scores)) == gold
