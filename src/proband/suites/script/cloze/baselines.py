r"""Models that come with the suite: what a blank asks for without reading the text.

solver:frequent   P(w) = (count of w in the blanks of the training items + 1) / (all of them + |C|)
solver:chance     a word of the whitelist, drawn with the seed from the item's name
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.script.cloze.filling import TOP, Said, candidates_of, generator_of, records


def answer(item: Item, said: Iterable[Said]) -> Answer:
    said = list(said)
    return Answer(item_id=item.id, blanks=tuple(records(item, said, said, [each.top[0] for each in said])))


def gold_words(item: Item) -> list[str]:
    return [word for words in item.facts.get("gold", ()) for word in words]


@dataclass(frozen=True)
class Frequent:
    """The most frequent words of the training blanks, whatever the text says."""

    name: str = "solver:frequent"
    counts: Mapping[str, int] = field(default_factory=Counter)

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name}

    def learn(self, items: Iterable[Item]) -> Frequent:
        seen = Counter(word for item in items if item.split == "train" for word in gold_words(item))
        if not seen:
            raise ProbandError(f"{self.name} counts training blanks, and there are no items of the split train")
        return Frequent(self.name, seen)

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [answer(item, self._said(item, candidates_of(item).split())) for item in items]

    def _said(self, item: Item, listed: Sequence[str]) -> Iterable[Said]:
        place = {word: i for i, word in enumerate(sorted(listed, key=lambda w: (-self.counts[w], w)))}
        total = sum(self.counts[word] for word in listed) + len(listed)
        for gold in gold_words(item):
            surprisal = math.log(total / (self.counts[gold] + 1))
            yield Said(tuple(place)[:TOP], place.get(gold, len(listed)) + 1, surprisal, surprisal)


@dataclass(frozen=True)
class Chance:
    """Draws words of the whitelist."""

    name: str = "solver:chance"
    seed: int = 0

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name, "seed": str(self.seed)}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [answer(item, self._said(item, candidates_of(item).split())) for item in items]

    def _said(self, item: Item, listed: Sequence[str]) -> Iterable[Said]:
        generator = generator_of(item, self.seed)
        for gold in gold_words(item):
            order = [listed[i] for i in generator.permutation(len(listed))]
            rank = order.index(gold) + 1 if gold in order else len(listed) + 1
            yield Said(tuple(order[:TOP]), rank, math.log(len(listed)), math.log(len(listed)))
