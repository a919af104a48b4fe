r"""Solver `cloze`: a language model fills the blanks from left to right, one word at a time (section 4.1).

Each word is chosen among the candidates C (the whitelist, or a file of words) by log P(w | text). A masked model sees
the text on both sides of the word, a causal one only what stands before it, and both see the abstract line first. What
is not filled yet is never shown: the right side of a masked model ends at the next open blank (`right` = stop) or runs
on without those words (`right` = skip).

    oracle   the earlier blanks hold the gold words        greedy   they hold the model's own
    surprisal         -log P(gold) / sum_{w in C} P(w)     (as for our nets, which choose among the same words)
    surprisal, full   -log P(gold), over all the model can say
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats, PredictsWords
from proband.core.types import Answer, Item
from proband.suites.script.corpus import lines_of
from proband.suites.script.texts import PROMPT, after, before, prompt

Query = tuple[str, str]
TOP = 5


def evaluated(item: Item, splits: str) -> bool:
    """Whether a solver is to answer: an item with blanks in one of the splits asked for."""
    return bool(item.facts.get("blanks")) and str(item.tags.get("split")) in splits.replace(" ", "").split(",")


def solve(
    items: Sequence[Item],
    model: PredictsWords,
    *,
    seed: int = 0,
    splits: str = "valid,test",
    words: Path | None = None,
    template: str = PROMPT,
    right: str = "stop",
) -> list[Answer]:
    """One answer per item; items of other splits get one without records."""
    listed = read_words(words) if words else None
    answers = {item.id: Answer(item_id=item.id) for item in items}
    groups: dict[str, list[Item]] = {}
    for item in items:
        if evaluated(item, splits):
            groups.setdefault("" if listed else candidates_of(item), []).append(item)
    for text, group in groups.items():
        filler = Filler(model, listed or text.split(), group, template=template, right=right)
        answers.update({answer.item_id: answer for answer in filler.answers()})
    return [answers[item.id] for item in items]


def candidates_of(item: Item) -> str:
    found = item.facts.get("candidates")
    if not isinstance(found, str) or not found.split():
        raise ProbandError(f"{item.id}: 'candidates' is missing; build the items anew or give --words FILE")
    return found


def read_words(path: Path) -> list[str]:
    found = list(dict.fromkeys(word for _, line in lines_of(path) for word in line.split()))
    if not found:
        raise ProbandError("holds no words", file=path)
    return found


@dataclass(frozen=True)
class Slot:
    """One word to predict: where it stands, and which positions after it are open."""

    at: int
    open_after: frozenset[int]


def slots(item: Item) -> list[Slot]:
    places = [at for start, end in item.facts["blanks"] for at in range(start, end)]
    return [Slot(at, frozenset(places[n + 1 :])) for n, at in enumerate(places)]


@dataclass(frozen=True)
class Said:
    """What a model thinks of one blank word."""

    top: tuple[str, ...]
    rank: int
    surprisal: float
    full: float


class Filler:
    """All blanks of some items with the same candidates."""

    def __init__(
        self, model: PredictsWords, words: Sequence[str], items: Sequence[Item], *, template: str, right: str
    ) -> None:
        self.model, self.items, self.right = model, items, right
        self.prompts = {item.id: prompt(item, template) for item in items}
        golds = dict.fromkeys(word for item in items for gold in item.facts["gold"] for word in gold)
        self.candidates = len(words)
        self.words = [*words, *(word for word in golds if word not in set(words))]
        self.column = {word: i for i, word in enumerate(self.words)}
        self.rows: dict[Query, Floats] = {}

    def answers(self) -> Iterator[Answer]:
        slotted = {item.id: slots(item) for item in self.items}
        gold = {item.id: list(item.facts["concrete"]) for item in self.items}
        self.ask([self.query(item, slot, gold[item.id]) for item in self.items for slot in slotted[item.id]])
        oracle = {
            item.id: [self.said(self.query(item, slot, text), text[slot.at]) for slot in slotted[item.id]]
            for item in self.items
            for text in [gold[item.id]]
        }
        own = {item.id: list(item.facts["concrete"]) for item in self.items}
        greedy: dict[str, list[Said]] = {item.id: [] for item in self.items}
        for step in range(max(len(found) for found in slotted.values())):
            now = [(item, slotted[item.id][step]) for item in self.items if step < len(slotted[item.id])]
            self.ask([self.query(item, slot, own[item.id]) for item, slot in now])
            for item, slot in now:
                said = self.said(self.query(item, slot, own[item.id]), gold[item.id][slot.at])
                greedy[item.id].append(said)
                own[item.id][slot.at] = said.top[0]
        for item in self.items:
            yield Answer(item_id=item.id, blanks=tuple(records(item, oracle[item.id], greedy[item.id])))

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

    def said(self, query: Query, gold: str) -> Said:
        """The five likeliest candidates, and rank and surprisal of the gold word; a tie goes to the earlier word of
        the list, which is the more frequent one. A gold word that is no candidate counts as one more."""
        row = self.rows[query].astype(np.float64)
        right, among = row[self.column[gold]], row[: self.candidates]
        top = np.argsort(-among, kind="stable")[:TOP]
        all_of_them = among if self.column[gold] < self.candidates else np.append(among, right)
        total = np.logaddexp.reduce(all_of_them)
        rank = 1 + int((among > right).sum())
        return Said(tuple(self.words[i] for i in top), rank, float(total - right), float(-right))


def records(item: Item, oracle: Sequence[Said], greedy: Sequence[Said]) -> Iterator[Mapping[str, Any]]:
    """One record per blank, as metrics.py reads them."""
    at = 0
    for gold in item.facts["gold"]:
        here = slice(at, at + len(gold))
        at += len(gold)
        yield {
            "gold": list(gold),
            "oracle": [said.top[0] for said in oracle[here]],
            "guess": [said.top[0] for said in greedy[here]],
            "ranks": [said.rank for said in oracle[here]],
            "top5": [list(said.top) for said in oracle[here]],
            "greedy_top5": [list(said.top) for said in greedy[here]],
            "surprisals": [round(said.surprisal, 6) for said in oracle[here]],
            "full_surprisals": [round(said.full, 6) for said in oracle[here]],
        }
