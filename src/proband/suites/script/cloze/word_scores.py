"""What a language model thinks of each blank word, given what stands before it and, if it looks there, behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.core.files import sha256_text
from proband.core.protocols import Floats, PredictsWords
from proband.core.types import Item
from proband.suites.script.corpus.running_text import after, before, prompt

Query = tuple[str, str]
TOP = 5


@dataclass(frozen=True)
class Slot:
    """One word to predict: where it stands, and which positions after it are open."""

    at: int
    open_after: frozenset[int]


def slots(item: Item) -> list[Slot]:
    places = [at for start, end in item.facts["blanks"] for at in range(start, end)]
    return [Slot(at, frozenset(places[n + 1 :])) for n, at in enumerate(places)]


def generator_of(item: Item, seed: int) -> np.random.Generator:
    """Randomness that belongs to the item and the seed, so that no answer depends on what else was asked."""
    return np.random.default_rng([seed, int(sha256_text(item.id)[:15], 16)])


@dataclass(frozen=True)
class Said:
    """What a model thinks of one blank word."""

    top: tuple[str, ...]
    rank: int
    surprisal: float
    full: float


class Filler:
    """The blanks of some items with the same candidates; what was asked once is remembered."""

    def __init__(
        self, model: PredictsWords, words: Sequence[str], items: Sequence[Item], *, template: str, right: str
    ) -> None:
        self.model, self.items, self.right = model, items, right
        self.prompts = {item.id: prompt(item, template) for item in items}
        self.slots = {item.id: slots(item) for item in items}
        self.steps = range(max(map(len, self.slots.values())))
        golds = dict.fromkeys(word for item in items for gold in item.facts["gold"] for word in gold)
        self.candidates = len(words)
        self.words = [*words, *(word for word in golds if word not in set(words))]
        self.column = {word: i for i, word in enumerate(self.words)}
        self.rows: dict[Query, Floats] = {}
        self.thought: dict[tuple[Query, str], Said] = {}

    def query(self, item: Item, slot: Slot, filled: Sequence[str]) -> Query:
        left = self.prompts[item.id] + before(filled[: slot.at])
        following = range(slot.at + 1, len(filled))
        if self.right == "stop":
            following = range(slot.at + 1, min(slot.open_after, default=len(filled)))
        return left, after([filled[i] for i in following if i not in slot.open_after])

    def ask(self, queries: Sequence[Query]) -> None:
        fresh = [query for query in dict.fromkeys(queries) if query not in self.rows]
        if fresh:
            self.rows.update(zip(fresh, self.model.predict_words(fresh, self.words), strict=True))

    def among(self, query: Query) -> NDArray[np.float64]:
        """log P of each candidate."""
        return self.rows[query][: self.candidates].astype(np.float64)

    def said(self, query: Query, gold: str) -> Said:
        """The five likeliest candidates, and rank and surprisal of the gold word; a tie goes to the earlier word of
        the list, which is the more frequent one. A gold word that is no candidate counts as one more."""
        if (query, gold) in self.thought:
            return self.thought[query, gold]
        right, among = float(self.rows[query][self.column[gold]]), self.among(query)
        top = np.argsort(-among, kind="stable")[:TOP]
        all_of_them = among if self.column[gold] < self.candidates else np.append(among, right)
        total = np.logaddexp.reduce(all_of_them)
        rank = 1 + int((among > right).sum())
        said = Said(tuple(self.words[i] for i in top), rank, float(total - right), -right)
        self.thought[query, gold] = said
        return said
