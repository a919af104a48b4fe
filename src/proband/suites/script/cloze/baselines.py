r"""Models that come with the suite: what a blank asks for without reading the text.

solver:frequent   P(w) = (count of w in the blanks of the training items + 1) / (all of them + |C|)
solver:chance     a word of the whitelist, drawn with the seed from the item's name
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import sha256_text
from proband.core.types import Answer, Item
from proband.suites.script.cloze.left_to_right import candidates_of, evaluated, records
from proband.suites.script.cloze.word_scores import TOP, Said


@dataclass(frozen=True)
class Frequent:
    """The most frequent words of the training blanks, whatever the text says."""

    name: str = "solver:frequent"
    counts: Mapping[str, int] | None = None

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name}

    def learn(self, items: Iterable[Item]) -> Frequent:
        seen = Counter(
            word for item in items if item.split == "train" for gold in item.facts.get("gold", ()) for word in gold
        )
        if not seen:
            raise ProbandError(f"{self.name} counts training blanks, and there are none: run it without --limit")
        return Frequent(self.name, dict(seen))

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        counted = self.counts or {}
        answers = []
        for item in items:
            listed = candidates_of(item).split()
            place = {word: i for i, word in enumerate(sorted(listed, key=lambda w: (-counted.get(w, 0), w)))}
            top = tuple(place)[:TOP]
            total = sum(counted.get(word, 0) for word in listed) + len(listed)
            said = []
            for gold in (word for words in item.facts["gold"] for word in words):
                surprisal = math.log(total / (counted.get(gold, 0) + 1))
                said.append(Said(top, place.get(gold, len(listed)) + 1, surprisal, surprisal))
            answers.append(
                Answer(item_id=item.id, blanks=tuple(records(item, said, said, [each.top[0] for each in said])))
            )
        return answers


@dataclass(frozen=True)
class Chance:
    """Draws words of the whitelist."""

    name: str = "solver:chance"
    seed: int = 0

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name, "seed": str(self.seed)}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        answers = []
        for item in items:
            if not evaluated(item, item.split):
                answers.append(Answer(item_id=item.id))
                continue
            listed = candidates_of(item).split()
            generator = np.random.default_rng([self.seed, int(sha256_text(item.id)[:15], 16)])
            said = []
            for gold in (word for words in item.facts["gold"] for word in words):
                order = [listed[i] for i in generator.permutation(len(listed))]
                rank = order.index(gold) + 1 if gold in order else len(listed) + 1
                said.append(Said(tuple(order[:TOP]), rank, math.log(len(listed)), math.log(len(listed))))
            answers.append(
                Answer(item_id=item.id, blanks=tuple(records(item, said, said, [each.top[0] for each in said])))
            )
        return answers
