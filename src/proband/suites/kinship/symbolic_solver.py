"""`solver:symbolic`: the told facts of an item, closed under its rule base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.world.rules import of_item


class Symbolic:
    """Closes the told facts of an item under its rule base; every relation still possible scores 1, the others 0.

    It sees the facts, never the text: what a perfect reader would score. An item without facts cannot be solved.
    """

    name = "solver:symbolic"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": "symbolic", "method": "forward closure"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        facts = item.facts
        if "edges" not in facts or "query" not in facts:
            raise ProbandError(f"item {item.id!r} has no fact graph: 'edges' and 'query' are missing")
        genders, edges, (x, z) = facts["genders"], facts["edges"], facts["query"]
        words = close(of_item(item), genders, edges).answers(x, z)
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))


def scores(item: Item, words: Sequence[str]) -> tuple[float, ...]:
    """The possible relations as scores of the item's choices; for yes/no, how far they speak for the asked one.

    >>> item = Item(id="a", suite="kinship", prompt="...\\nIs Sharon the aunt of Arthur?", choices=("yes", "no"))
    >>> scores(item, ["aunt"]), scores(item, ["mother"])
    ((1.0, 0.0), (0.0, 1.0))
    """
    if item.choices == ("yes", "no"):
        asked = item.prompt.rsplit("\n", 1)[-1]
        true = [w for w in words if f" the {w} of " in asked or f" {w} of " in asked]
        yes = len(true) / len(words) if words else 0.0
        return (yes, 1.0 - yes)
    return tuple(1.0 if choice in words else 0.0 for choice in item.choices)
