"""Solver `cloze`: a language model fills the blanks from left to right, one word at a time (section 4.1).

Each word is chosen among the candidates C (the whitelist, or a file of words) by log P(w | text). A masked model sees
the text on both sides of the word, a causal one only what precedes it, and both see the abstract line first. Open
blanks are never shown: while one word of a blank is chosen, a masked model sees masks for its other open words, and the
right context ends at the next open blank.

    oracle           the earlier blanks hold the gold words
    greedy           the earlier blanks hold the model's words
    surprisal        -log P(gold) / sum_{w in C} P(w)     (as for our nets, which choose among the same words)
    surprisal, full  -log P(gold), over the whole vocabulary
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import group_by_key, sha256_text
from proband.core.plugins import Meta
from proband.core.protocols import Floats32, PredictsWords, ScoresText, Text
from proband.core.types import Answer, Item
from proband.suites.script.corpus import PROMPT, after, before, facts_of, prompt, read_words, running

# ---- the predictions of a language model for each blank word, from the text before and, if masked, after it ------


Query = tuple[str, str]
TOP = 5


@dataclass(frozen=True)
class Slot:
    """One word to predict: where it is, and which positions after it are open."""

    at: int
    open_after: frozenset[int]
    end: int  # of its blank


def slots(item: Item) -> list[Slot]:
    places = [(at, end) for start, end in facts_of(item).blanks for at in range(start, end)]
    return [Slot(at, frozenset(each for each, _ in places[n + 1 :]), end) for n, (at, end) in enumerate(places)]


def generator_of(item: Item, seed: int) -> np.random.Generator:
    """A generator seeded by item and seed, so that no answer depends on the other items."""
    return np.random.default_rng([seed, int(sha256_text(item.id)[:15], 16)])


@dataclass(frozen=True)
class Prediction:
    """What a model predicts for one blank word."""

    top: tuple[str, ...]
    rank: int
    surprisal: float
    full: float


class Filler:
    """Fills the blanks of items with the same candidates; predictions are cached."""

    def __init__(self, model: PredictsWords, words: Sequence[str], items: Sequence[Item], *, template: str) -> None:
        self.model, self.items = model, items
        self.hidden = str(getattr(model, "hidden_word", ""))  # the mask that replaces an open word
        self.prompts = {item.id: prompt(item, template) for item in items}
        self.slots = {item.id: slots(item) for item in items}
        self.steps = range(max(map(len, self.slots.values())))
        golds = dict.fromkeys(word for item in items for gold in facts_of(item).gold for word in gold)
        self.candidates = len(words)
        self.words = [*words, *(word for word in golds if word not in set(words))]
        self.column = {word: i for i, word in enumerate(self.words)}
        self.rows: dict[Query, Floats32] = {}
        self.predictions: dict[tuple[Query, str], Prediction] = {}

    def query(self, item: Item, slot: Slot, filled: Sequence[str]) -> Query:
        left = self.prompts[item.id] + before(filled[: slot.at])
        hidden = [self.hidden] * (slot.end - slot.at - 1) if self.hidden else []
        later = [at for at in slot.open_after if not self.hidden or at >= slot.end]
        last = min(later, default=len(filled))
        following = (i for i in range(slot.at + 1, last) if i not in slot.open_after)
        return left, after([*hidden, *(filled[i] for i in following)])

    def ask(self, queries: Sequence[Query]) -> None:
        fresh = [query for query in dict.fromkeys(queries) if query not in self.rows]
        if fresh:
            self.rows.update(zip(fresh, self.model.predict_words(fresh, self.words), strict=True))

    def among(self, query: Query) -> NDArray[np.float64]:
        """log P of each candidate."""
        return self.rows[query][: self.candidates].astype(np.float64)

    def predict(self, query: Query, gold: str) -> Prediction:
        """The five likeliest candidates, and rank and surprisal of the gold word. The earlier, more frequent word of
        the list wins a tie. A gold word outside the candidates is added to them."""
        if (query, gold) in self.predictions:
            return self.predictions[query, gold]
        right, among = float(self.rows[query][self.column[gold]]), self.among(query)
        top = np.argsort(-among, kind="stable")[:TOP]
        all_of_them = among if self.column[gold] < self.candidates else np.append(among, right)
        total = np.logaddexp.reduce(all_of_them)
        rank = 1 + int((among > right).sum())
        prediction = Prediction(tuple(self.words[i] for i in top), rank, float(total - right), -right)
        self.predictions[query, gold] = prediction
        return prediction


# ---- greedy filling: the earlier blanks of a text hold the model's own words (A.4) ---------------------------------
#
#     draws   several texts, each word drawn from p(w)^(1/T) among the candidates, T = 0.1; or the likeliest word
#     beam    the `width` texts that are likeliest up to the next blank, each step among their likeliest words
# The text that is likeliest as a whole is kept, since each word was chosen from its left context only. A causal model
# uses the text after a blank in no other way.


@dataclass(frozen=True)
class TextDraft:
    """A text with some of its blanks filled; `total` is log P of the words filled in so far."""

    item: Item
    words: tuple[str, ...]
    predictions: tuple[Prediction, ...] = ()
    total: float = 0.0


def sample_texts(filler: Filler, *, samples: int, temperature: float, seed: int) -> dict[str, TextDraft]:
    """The best of several drawn texts; `samples` random numbers per blank word belong to the item and the seed."""
    drafts = [TextDraft(item, tuple(facts_of(item).concrete)) for item in filler.items for _ in range(samples)]
    noise = [
        row for item in filler.items for row in generator_of(item, seed).random((samples, len(filler.slots[item.id])))
    ]
    for step in filler.steps:
        for at, slot, query in _queries_at(filler, drafts, step):
            word = inverse(filler.among(query) / temperature, float(noise[at][step]))
            (drafts[at],) = _extend(filler, drafts[at], slot, query, [word])
    return {each[0].item.id: each[0] for each in _best(filler, drafts, 1)}


def beam(filler: Filler, *, width: int) -> dict[str, TextDraft]:
    """The likeliest text that a beam of the given width finds; of width 1: the likeliest word in every blank."""
    drafts = [TextDraft(item, tuple(facts_of(item).concrete)) for item in filler.items]
    for step in filler.steps:
        longer = [draft for draft in drafts if step >= len(filler.slots[draft.item.id])]
        for at, slot, query in _queries_at(filler, drafts, step):
            top = np.argsort(-filler.among(query), kind="stable")[:width].tolist()
            longer += _extend(filler, drafts[at], slot, query, top)
        drafts = [draft for each in _best(filler, longer, width) for draft in each]
    return {each[0].item.id: each[0] for each in _best(filler, drafts, 1)}


def inverse(logits: NDArray[np.float64], uniform: float) -> int:
    """The draw from softmax(logits) that belongs to a number in [0, 1).

    >>> [inverse(np.log([0.5, 0.3, 0.2]), u) for u in (0.0, 0.49, 0.51, 0.81)]
    [0, 0, 1, 2]
    """
    summed = np.exp(logits - logits.max()).cumsum()
    return int(min(np.searchsorted(summed, uniform * summed[-1], side="right"), len(logits) - 1))


def _queries_at(filler: Filler, drafts: Sequence[TextDraft], step: int) -> list[tuple[int, Slot, Query]]:
    """The drafts with an open word at this step, and their queries, which the model has answered."""
    open_drafts = [(at, draft) for at, draft in enumerate(drafts) if step < len(filler.slots[draft.item.id])]
    slots = [filler.slots[draft.item.id][step] for _, draft in open_drafts]
    queries = [filler.query(draft.item, slot, draft.words) for (_, draft), slot in zip(open_drafts, slots)]
    filler.ask(queries)
    return [(at, slot, query) for (at, _), slot, query in zip(open_drafts, slots, queries)]


def _extend(filler: Filler, draft: TextDraft, slot: Slot, query: Query, chosen: Sequence[int]) -> list[TextDraft]:
    """The draft with each of the chosen words in the slot."""
    predictions = (*draft.predictions, filler.predict(query, facts_of(draft.item).concrete[slot.at]))
    scores = filler.among(query)
    left, right = draft.words[: slot.at], draft.words[slot.at + 1 :]
    return [
        TextDraft(draft.item, (*left, filler.words[number], *right), predictions, draft.total + float(scores[number]))
        for number in chosen
    ]


def _best(filler: Filler, drafts: Sequence[TextDraft], most: int) -> list[list[TextDraft]]:
    """The likeliest drafts of each item, at most `most`; the earlier draft wins a tie."""
    groups: dict[str, dict[tuple[str, ...], TextDraft]] = {}
    for draft in drafts:
        groups.setdefault(draft.item.id, {}).setdefault(draft.words, draft)
    crowded = [draft for group in groups.values() if len(group) > most for draft in group.values()]
    value = _values(filler, crowded)
    return [
        sorted(group.values(), key=lambda draft: -value.get((draft.item.id, draft.words), 0.0))[:most]
        for group in groups.values()
    ]


def _values(filler: Filler, drafts: Sequence[TextDraft]) -> Mapping[tuple[str, tuple[str, ...]], float]:
    """log P of each text up to its next open blank, or of its filled words if the model cannot score texts."""
    if not drafts:
        return {}
    totals = [draft.total for draft in drafts]
    model: Any = filler.model
    if isinstance(model, ScoresText):
        texts = []
        for draft in drafts:
            slots = filler.slots[draft.item.id]
            done = len(draft.predictions)
            end = slots[done].at if done < len(slots) else len(draft.words)
            before = filler.prompts[draft.item.id]
            texts.append(Text(before + running(draft.words[:end]), len(before)))
        totals = [score.total for score in model.score(texts, method=model.methods[0])]
    return {(draft.item.id, draft.words): total for draft, total in zip(drafts, totals, strict=True)}


# ---- the solver -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClozeOptions:
    """How a language model fills the blanks."""

    words: Annotated[Path | None, Meta(description="file of candidate words (default: the items' whitelist)")] = None
    template: Annotated[str, Meta(description="text before the concrete one; {abstract} is the abstract line")] = PROMPT
    samples: Annotated[
        int | None,
        Meta(
            description="texts sampled for the greedy mode, the likeliest is kept; 0: the likeliest word in each blank"
            " (default: 5; 0 for a masked model, which sees both sides)"
        ),
    ] = None
    temperature: Annotated[float, Meta(description="sampling temperature, if samples > 0", gt=0)] = 0.1
    beam: Annotated[int, Meta(description="width of a beam search instead of sampling (0: none)", ge=0)] = 0


def is_question(item: Item, *, longest: int = 0) -> bool:
    """Whether an item is a question, with blanks among its first `longest` words (0: all), and not a training text."""
    blanks = facts_of(item).blanks
    return bool(blanks) and item.split != "train" and (not longest or blanks[0][0] < longest)


def solve(items: Sequence[Item], model: PredictsWords, *, seed: int, options: ClozeOptions) -> list[Answer]:
    """One answer per item; answers of training texts have no records."""
    listed = read_words(options.words) if options.words else None
    answers = {item.id: Answer(item_id=item.id) for item in items}
    groups = group_by_key(("" if listed else candidates_of(item), item) for item in items if is_question(item))
    for text, group in groups.items():
        filler = Filler(model, listed or text.split(), group, template=options.template)
        given, own = oracle(filler), fill_greedily(filler, options, seed=seed)
        for item in group:
            draft = own[item.id]
            words = [draft.words[slot.at] for slot in filler.slots[item.id]]
            answers[item.id] = Answer(
                item_id=item.id, blanks=tuple(records(item, given[item.id], draft.predictions, words))
            )
    return [answers[item.id] for item in items]


def candidates_of(item: Item) -> str:
    words = facts_of(item).candidates
    if not isinstance(words, str) or not words.split():
        raise ProbandError(f"{item.id}: 'candidates' is missing; build the items again or give --words FILE")
    return words


def oracle(filler: Filler) -> dict[str, list[Prediction]]:
    """Every blank word of every item, with the gold words before it."""
    queries = [
        (item.id, filler.query(item, slot, facts_of(item).concrete), facts_of(item).concrete[slot.at])
        for item in filler.items
        for slot in filler.slots[item.id]
    ]
    filler.ask([query for _, query, _ in queries])
    predictions: dict[str, list[Prediction]] = {item.id: [] for item in filler.items}
    for name, query, gold in queries:
        predictions[name].append(filler.predict(query, gold))
    return predictions


def fill_greedily(filler: Filler, options: ClozeOptions, *, seed: int) -> dict[str, TextDraft]:
    """Fill each item in the greedy mode."""
    if options.beam > 0:
        return beam(filler, width=options.beam)
    samples = options.samples
    if samples is None:  # a masked model has seen the right context
        samples = 0 if isinstance(filler.model, ScoresText) and "ll" not in filler.model.methods else 5
    if samples > 1:
        return sample_texts(filler, samples=samples, temperature=options.temperature, seed=seed)
    return beam(filler, width=1)


def records(
    item: Item, oracle: Sequence[Prediction], greedy: Sequence[Prediction], words: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One record per blank, as metrics.py reads them; `words` are those of the greedy mode."""
    at = 0
    for gold in facts_of(item).gold:
        here = slice(at, at + len(gold))
        at += len(gold)
        yield {
            "gold": list(gold),
            "oracle": [each.top[0] for each in oracle[here]],
            "guess": list(words[here]),
            "ranks": [each.rank for each in oracle[here]],
            "top5": [list(each.top) for each in oracle[here]],
            "greedy_top5": [list(each.top) for each in greedy[here]],
            "surprisals": [round(each.surprisal, 6) for each in oracle[here]],
            "full_surprisals": [round(each.full, 6) for each in oracle[here]],
        }
