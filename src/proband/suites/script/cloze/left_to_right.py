r"""Solver `cloze`: a language model fills the blanks from left to right, one word at a time (section 4.1).

Each word is chosen among the candidates C (the whitelist, or a file of words) by log P(w | text). A masked model sees
the text on both sides of the word, a causal one only what stands before it, and both see the abstract line first. What
is not filled yet is never shown: the right side of a masked model ends at the next open blank (`right` = stop) or runs
on without those words (`right` = skip).

    oracle   the earlier blanks hold the gold words        greedy   they hold the model's own (greedy.py)
    surprisal         -log P(gold) / sum_{w in C} P(w)     (as for our nets, which choose among the same words)
    surprisal, full   -log P(gold), over all the model can say
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from proband.core.errors import ProbandError
from proband.core.options import Meta
from proband.core.protocols import PredictsWords, ScoresText
from proband.core.types import Answer, Item
from proband.suites.script.cloze import greedy
from proband.suites.script.cloze.greedy import Draft
from proband.suites.script.cloze.word_scores import Filler, Said
from proband.suites.script.corpus.readers import read_words
from proband.suites.script.corpus.running_text import PROMPT


@dataclass(frozen=True, kw_only=True)
class ClozeOptions:
    """How a language model fills the blanks."""

    words: Annotated[Path | None, Meta(description="file of candidate words (default: the items' whitelist)")] = None
    template: Annotated[str, Meta(description="text before the concrete one; {abstract} is the abstract line")] = PROMPT
    right: Annotated[
        Literal["stop", "skip"],
        Meta(description="what a masked model sees behind a blank: up to the next open blank, or all but open words"),
    ] = "stop"
    samples: Annotated[
        int | None,
        Meta(
            description="texts sampled for the greedy mode, the likeliest is kept; 0: the likeliest word in each blank"
            " (default: 5; 0 for a masked model, which sees both sides)"
        ),
    ] = None
    temperature: Annotated[float, Meta(description="sampling temperature, if samples > 0", gt=0)] = 0.1
    beam: Annotated[int, Meta(description="width of a beam search instead of sampling (0: none)", ge=0)] = 0


def evaluated(item: Item, *, longest: int = 0) -> bool:
    """Whether an item is a question, with blanks among its first `longest` words (0: all): training texts are none."""
    blanks = item.facts.get("blanks") or []
    return bool(blanks) and item.split != "train" and (not longest or blanks[0][0] < longest)


def solve(items: Sequence[Item], model: PredictsWords, *, seed: int, options: ClozeOptions) -> list[Answer]:
    """One answer per item; training texts get one without records."""
    listed = read_words(options.words) if options.words else None
    answers = {item.id: Answer(item_id=item.id) for item in items}
    groups: dict[str, list[Item]] = {}
    for item in items:
        if evaluated(item):
            groups.setdefault("" if listed else candidates_of(item), []).append(item)
    for text, group in groups.items():
        filler = Filler(model, listed or text.split(), group, template=options.template, right=options.right)
        given, own = oracle(filler), filled(filler, options, seed=seed)
        for item in group:
            draft = own[item.id]
            words = [draft.words[slot.at] for slot in filler.slots[item.id]]
            answers[item.id] = Answer(item_id=item.id, blanks=tuple(records(item, given[item.id], draft.said, words)))
    return [answers[item.id] for item in items]


def candidates_of(item: Item) -> str:
    found = item.facts.get("candidates")
    if not isinstance(found, str) or not found.split():
        raise ProbandError(f"{item.id}: 'candidates' is missing; build the items anew or give --words FILE")
    return found


def oracle(filler: Filler) -> dict[str, list[Said]]:
    """Every blank word of every item, with the gold words before it."""
    queries = [
        (item.id, filler.query(item, slot, item.facts["concrete"]), item.facts["concrete"][slot.at])
        for item in filler.items
        for slot in filler.slots[item.id]
    ]
    filler.ask([query for _, query, _ in queries])
    said: dict[str, list[Said]] = {item.id: [] for item in filler.items}
    for name, query, gold in queries:
        said[name].append(filler.said(query, gold))
    return said


def filled(filler: Filler, options: ClozeOptions, *, seed: int) -> dict[str, Draft]:
    """The text that each item is filled with in the greedy mode."""
    if options.beam > 0:
        return greedy.beam(filler, width=options.beam)
    samples = options.samples
    if samples is None:  # a masked model has seen what stands behind
        samples = 0 if isinstance(filler.model, ScoresText) and "ll" not in filler.model.methods else 5
    if samples > 1:
        return greedy.drawn(filler, samples=samples, temperature=options.temperature, seed=seed)
    return greedy.beam(filler, width=1)


def records(
    item: Item, oracle: Sequence[Said], greedy: Sequence[Said], words: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One record per blank, as analysis/metrics.py reads them; `words` are those of the greedy mode."""
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
