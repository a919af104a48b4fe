"""`baseline:random` and `baseline:majority`: what a model has to beat.

random    a uniform score for every choice, drawn from the item's id and the seed: the order of items is irrelevant.
majority  prefers what is right most often. Where the items share their choices (the relation words of kinship, say)
          each choice is scored by how often its text is the gold one; where choices are texts of their own, by how
          often its position is. Counted over the items tagged `split: train` if there are any among those asked,
          otherwise over all of them, which makes it an upper bound for a constant answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.models.kind import ModelKind


class Random:
    """Draws its scores.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> Random().answer([item])[0].scores == Random().answer([item])[0].scores
    True
    """

    def __init__(self, *, name: str = "baseline:random", seed: int = 0) -> None:
        self.name, self.seed = name, seed

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": "random", "seed": str(self.seed)}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [
            Answer(item_id=item.id, scores=tuple(self._draw(item.id, i) for i in range(len(item.choices))))
            for item in items
        ]

    def _draw(self, item: str, choice: int) -> float:
        digest = hashlib.sha256(f"{self.seed}\n{choice}\n{item}".encode()).digest()
        return int.from_bytes(digest[:7], "big") / 2**56


class Majority:
    """Prefers the most frequent gold text, or position where texts do not repeat.

    >>> def item(id, gold): return Item(id=id, suite="s", prompt="?", choices=("aunt", "uncle"), gold=gold)
    >>> Majority().answer([item("a", 1), item("b", 1), item("c", 0)])[2].scores
    (0.333..., 0.666...)
    """

    whole = True  # must see all items at once

    def __init__(self, *, name: str = "baseline:majority") -> None:
        self.name = name

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": "majority"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        known = [item for item in items if item.gold is not None and item.choices]
        seen = [item for item in known if item.tags.get("split") == "train"] or known
        by_text = shares_choices(seen)
        counts: Counter[str | int] = Counter(_gold(item, by_text=by_text) for item in seen)
        return [
            Answer(
                item_id=item.id,
                scores=tuple(
                    counts[text if by_text else place] / max(1, len(seen)) for place, text in enumerate(item.choices)
                ),
            )
            for item in items
        ]


def shares_choices(items: Sequence[Item]) -> bool:
    """Whether the items choose among the same texts: on average a gold text is a choice of more than half of them.

    >>> shares_choices([Item(id=i, suite="s", prompt="?", choices=(i, "b" + i), gold=0) for i in "xyz"])
    False
    """
    held = Counter(text for item in items for text in set(item.choices))
    golds = [held[item.choices[item.gold]] for item in items if item.gold is not None]
    return bool(golds) and len(items) > 1 and sum(golds) / len(golds) > len(items) / 2


def _gold(item: Item, *, by_text: bool) -> str | int:
    assert item.gold is not None
    return item.choices[item.gold] if by_text else item.gold


@dataclass(frozen=True, kw_only=True)
class BaselineOptions:
    """Loading a baseline."""

    seed: Annotated[int, Meta(description="of the scores that `random` draws")] = 0


def load(rest: str, *, options: BaselineOptions) -> Random | Majority:
    """`baseline:random` (seeded) or `baseline:majority`."""
    if rest == "random":
        return Random(seed=options.seed)
    if rest == "majority":
        return Majority()
    raise ProbandError(f"no model baseline:{rest}; there are random, majority")


KIND = ModelKind(name="baseline", help="random, majority", options=BaselineOptions, load=load)
