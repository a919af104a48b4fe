r"""Solver `cloze`: a language model fills the blanks from left to right, one word at a time (section 4.1).

Each word is chosen among the candidates C (the whitelist, or a file of words) by log P(w | text). A masked model sees
the text on both sides of the word, a causal one only what stands before it, and both see the abstract line first. What
is not filled yet is never shown: the right side of a masked model ends at the next open blank (`right` = stop) or runs
on without those words (`right` = skip).

    oracle   the earlier blanks hold the gold words        greedy   they hold the model's own (drafts.py)
    surprisal         -log P(gold) / sum_{w in C} P(w)     (as for our nets, which choose among the same words)
    surprisal, full   -log P(gold), over all the model can say
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.protocols import PredictsWords, ScoresText
from proband.core.types import Answer, Item
from proband.suites.script import drafts
from proband.suites.script.corpus import lines_of
from proband.suites.script.drafts import Draft
from proband.suites.script.filler import Filler, Said
from proband.suites.script.texts import PROMPT


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
    samples: int | None = None,
    temperature: float = 0.1,
    beam: int = 0,
) -> list[Answer]:
    """One answer per item; items of other splits get one without records."""
    if temperature <= 0:
        raise ProbandError(
            f"the temperature is {temperature}, but must be above 0; samples=0 takes the likeliest words"
        )
    if samples is None:  # a masked model has seen what stands behind
        samples = 0 if isinstance(model, ScoresText) and "ll" not in model.methods else 5
    listed = read_words(words) if words else None
    answers = {item.id: Answer(item_id=item.id) for item in items}
    groups: dict[str, list[Item]] = {}
    for item in items:
        if evaluated(item, splits):
            groups.setdefault("" if listed else candidates_of(item), []).append(item)
    for text, group in groups.items():
        filler = Filler(model, listed or text.split(), group, template=template, right=right)
        given = oracle(filler)
        own = greedy(filler, samples=samples, temperature=temperature, beam=beam, seed=seed)
        for item in group:
            draft = own[item.id]
            filled = draft.filled(filler.slots[item.id])
            answers[item.id] = Answer(item_id=item.id, blanks=tuple(records(item, given[item.id], draft.said, filled)))
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


def oracle(filler: Filler) -> dict[str, list[Said]]:
    """Every blank word of every item, with the gold words before it."""
    queries = {
        item.id: [filler.query(item, slot, item.facts["concrete"]) for slot in filler.slots[item.id]]
        for item in filler.items
    }
    filler.ask([query for found in queries.values() for query in found])
    return {
        item.id: [
            filler.said(query, item.facts["concrete"][slot.at])
            for query, slot in zip(queries[item.id], filler.slots[item.id], strict=True)
        ]
        for item in filler.items
    }


def greedy(filler: Filler, *, samples: int, temperature: float, beam: int, seed: int) -> dict[str, Draft]:
    """The text that each item is filled with."""
    if beam > 0:
        return drafts.beam(filler, width=beam)
    if samples > 1:
        return drafts.drawn(filler, samples=samples, temperature=temperature, seed=seed)
    return drafts.likeliest(filler)


def records(
    item: Item, oracle: Sequence[Said], greedy: Sequence[Said], words: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """One record per blank, as metrics.py reads them; `words` are those put into the blanks in the greedy mode."""
    at = 0
    for gold in item.facts["gold"]:
        here = slice(at, at + len(gold))
        at += len(gold)
        yield {
            "gold": list(gold),
            "oracle": [said.top[0] for said in oracle[here]],
            "guess": list(words[here]),
            "ranks": [said.rank for said in oracle[here]],
            "top5": [list(said.top) for said in oracle[here]],
            "greedy_top5": [list(said.top) for said in greedy[here]],
            "surprisals": [round(said.surprisal, 6) for said in oracle[here]],
            "full_surprisals": [round(said.full, 6) for said in oracle[here]],
        }
