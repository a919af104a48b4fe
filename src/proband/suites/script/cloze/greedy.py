r"""Greedy filling: a model's own words stand in the earlier blanks of a text (A.4).

    draws   several texts, each word drawn from p(w)^(1/T) among the candidates, T = 0.1; or the likeliest word
    beam    the `width` texts that are likeliest up to the next blank, each step among their likeliest words

Of several texts the likeliest as a whole is kept, since each word was chosen for what stands before it: for a causal
model only this brings in what stands behind a blank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.protocols import ScoresText, Text
from proband.core.types import Item
from proband.suites.script.cloze.word_scores import Filler, Query, Said, Slot, generator_of
from proband.suites.script.corpus.running_text import running


@dataclass(frozen=True)
class Draft:
    """A text with some of its blanks filled; `total` is log P of the words said so far."""

    item: Item
    words: tuple[str, ...]
    said: tuple[Said, ...] = ()
    total: float = 0.0


def drawn(filler: Filler, *, samples: int, temperature: float, seed: int) -> dict[str, Draft]:
    """The best of several drawn texts; `samples` random numbers per blank word belong to the item and the seed."""
    drafts = [Draft(item, tuple(item.facts["concrete"])) for item in filler.items for _ in range(samples)]
    noise = [
        row for item in filler.items for row in generator_of(item, seed).random((samples, len(filler.slots[item.id])))
    ]
    for step in filler.steps:
        for at, slot, query in _asked(filler, drafts, step):
            word = inverse(filler.among(query) / temperature, float(noise[at][step]))
            (drafts[at],) = _extended(filler, drafts[at], slot, query, [word])
    return {found[0].item.id: found[0] for found in _best(filler, drafts, 1)}


def beam(filler: Filler, *, width: int) -> dict[str, Draft]:
    """The likeliest text that a beam of the given width finds; of width 1: the likeliest word in every blank."""
    drafts = [Draft(item, tuple(item.facts["concrete"])) for item in filler.items]
    for step in filler.steps:
        longer = [draft for draft in drafts if step >= len(filler.slots[draft.item.id])]
        for at, slot, query in _asked(filler, drafts, step):
            top = np.argsort(-filler.among(query), kind="stable")[:width].tolist()
            longer += _extended(filler, drafts[at], slot, query, top)
        drafts = [draft for found in _best(filler, longer, width) for draft in found]
    return {found[0].item.id: found[0] for found in _best(filler, drafts, 1)}


def inverse(logits: NDArray[np.float64], uniform: float) -> int:
    """The draw from softmax(logits) that belongs to a number in [0, 1).

    >>> [inverse(np.log([0.5, 0.3, 0.2]), u) for u in (0.0, 0.49, 0.51, 0.81)]
    [0, 0, 1, 2]
    """
    summed = np.exp(logits - logits.max()).cumsum()
    return int(min(np.searchsorted(summed, uniform * summed[-1], side="right"), len(logits) - 1))


def _asked(filler: Filler, drafts: Sequence[Draft], step: int) -> list[tuple[int, Slot, Query]]:
    """The drafts that have a word to say at this step, with the model's view of it got ready."""
    found = []
    for at, draft in enumerate(drafts):
        if step < len(filler.slots[draft.item.id]):
            slot = filler.slots[draft.item.id][step]
            found.append((at, slot, filler.query(draft.item, slot, draft.words)))
    filler.ask([query for _, _, query in found])
    return found


def _extended(filler: Filler, draft: Draft, slot: Slot, query: Query, chosen: Sequence[int]) -> list[Draft]:
    """The draft with each of the chosen words in the slot."""
    said = (*draft.said, filler.said(query, draft.item.facts["concrete"][slot.at]))
    scores = filler.among(query)
    made = []
    for number in chosen:
        words = (*draft.words[: slot.at], filler.words[number], *draft.words[slot.at + 1 :])
        made.append(Draft(draft.item, words, said, draft.total + float(scores[number])))
    return made


def _best(filler: Filler, drafts: Sequence[Draft], most: int) -> list[list[Draft]]:
    """Of each item's drafts the likeliest, at most so many, the earlier one where two are alike."""
    groups: dict[str, dict[tuple[str, ...], Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.item.id, {}).setdefault(draft.words, draft)
    crowded = [draft for group in groups.values() if len(group) > most for draft in group.values()]
    value = _values(filler, crowded)
    return [
        sorted(group.values(), key=lambda draft: -value.get((draft.item.id, draft.words), 0.0))[:most]
        for group in groups.values()
    ]


def _values(filler: Filler, drafts: Sequence[Draft]) -> Mapping[tuple[str, tuple[str, ...]], float]:
    """log P of each text up to its next open blank; of its words alone for a model that cannot score texts."""
    if not drafts:
        return {}
    totals = [draft.total for draft in drafts]
    model: Any = filler.model
    if isinstance(model, ScoresText):
        texts = []
        for draft in drafts:
            slots = filler.slots[draft.item.id]
            end = slots[len(draft.said)].at if len(draft.said) < len(slots) else len(draft.words)
            before = filler.prompts[draft.item.id]
            texts.append(Text(before + running(draft.words[:end]), len(before)))
        totals = [score.total for score in model.score(texts, method=model.methods[0])]
    return {(draft.item.id, draft.words): total for draft, total in zip(drafts, totals, strict=True)}
