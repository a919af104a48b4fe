"""`baseline:random` and `baseline:majority`: baselines that a model must beat.

random    a uniform score for every choice, drawn from the item's id and the seed: the order of items is irrelevant.
majority  prefers the most frequent right answer. If items share their choices (as the relation words of kinship), a
          choice is scored by how often its text is the gold answer. If each item has choices of its own, a choice
          is scored by how often its position is the gold one. The counts are over the training items, or over
          all items if there are none; the score is then an upper bound for a constant answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.plugins import ModelKind
from proband.core.types import Answer, Item


class Random:
    """Random scores.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> Random().answer([item])[0].scores == Random().answer([item])[0].scores
    True
    """

    def __init__(self, *, seed: int = 0) -> None:
        self.name, self.seed = "baseline:random", seed

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
    """Prefers the most frequent gold text, or gold position if texts do not repeat (protocol LearnsFromItems).

    >>> def item(id, gold): return Item(id=id, suite="s", prompt="?", choices=("aunt", "uncle"), gold=gold)
    >>> Majority().learn([item("a", 1), item("b", 1), item("c", 0)]).answer([item("c", 0)])[0].scores
    (0.333..., 0.666...)
    """

    name = "baseline:majority"
    _tally: LabelTally | None = None

    def identity(self) -> Mapping[str, str]:
        return {"kind": "baseline", "name": "majority"}

    def learn(self, items: Iterable[Item]) -> Majority:
        """Count the training items, or all items if there are none."""
        train, every, item = LabelTally(), LabelTally(), None
        for item in items:
            if item.gold is not None and item.choices:
                (train if item.split == "train" else every).add(item)
        if item is not None and not item.choices:
            raise ProbandError(f"{self.name} needs items with choices; items of {item.suite!r} have none")
        self._tally = train if train.items else every
        return self

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        """Answer the items; without a call of `learn`, count these items."""
        tally = self._tally or Majority().learn(items)._tally
        assert tally is not None
        share = tally.shares()
        lists = {item.choices for item in items}  # most items of a suite have the same choices
        scores = {each: tuple(share(place, text) for place, text in enumerate(each)) for each in lists}
        return [Answer(item_id=item.id, scores=scores[item.choices]) for item in items]


class LabelTally:
    """How often each text and each position is the gold one.

    >>> tally = LabelTally()
    >>> for name in "xyz": tally.add(Item(id=name, suite="s", prompt="?", choices=(name, "b" + name), gold=0))
    >>> tally.shares_choices
    False
    """

    def __init__(self) -> None:
        self.items = 0
        self._texts: Counter[str] = Counter()
        self._places: Counter[int] = Counter()
        self._held: Counter[str] = Counter()  # items that have the text as a choice

    def add(self, item: Item) -> None:
        assert item.gold is not None
        self.items += 1
        self._texts[item.choices[item.gold]] += 1
        self._places[item.gold] += 1
        self._held.update(set(item.choices))

    @property
    def shares_choices(self) -> bool:
        """Is a gold text, on average, a choice of more than half of the items?"""
        held = sum(count * self._held[text] for text, count in self._texts.items())
        return self.items > 1 and held > self.items * self.items / 2

    def shares(self) -> Callable[[int, str], float]:
        """(place, text) of a choice -> how often it is gold."""
        total = max(1, self.items)
        if self.shares_choices:
            return lambda place, text: self._texts[text] / total
        return lambda place, text: self._places[place] / total


@dataclass(frozen=True, kw_only=True)
class BaselineOptions:
    """Loading a baseline."""

    seed: Annotated[int, Meta(description="random seed of `random`")] = 0


def load(rest: str, *, options: BaselineOptions) -> Random | Majority:
    """`baseline:random` (seeded) or `baseline:majority`."""
    if rest == "random":
        return Random(seed=options.seed)
    if rest == "majority":
        return Majority()
    raise ProbandError(f"no model baseline:{rest}; there are random, majority")


KIND = ModelKind(name="baseline", help="random, majority", options=BaselineOptions, load=load)
