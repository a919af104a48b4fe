"""The measures again for some blanks only: by what they ask for and by their number of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proband.core.types import Answer, Item, Metric, numbers
from proband.suites.script.categories import CATEGORIES, category
from proband.suites.script.metrics import METRICS, alignment_length

LENGTHS: Mapping[str, Callable[[int], bool]] = {
    "1-word": lambda n: n == 1,
    "2-words": lambda n: n == 2,
    "3-words-or-more": lambda n: n >= 3,
}


def only(metric: Metric, keep: Callable[[Mapping[str, Any], str], bool]) -> Metric:
    """A metric over the blanks that `keep(record, category)` keeps."""

    def kept(item: Item, answer: Answer) -> Sequence[float] | None:
        kinds = item.facts.get("kinds") or [category(blank["gold"]) for blank in answer.blanks]
        blanks = tuple(blank for blank, kind in zip(answer.blanks, kinds) if keep(blank, kind))
        return numbers(metric(item, Answer(item_id=answer.item_id, blanks=blanks))) or None

    return kept


def _of_kind(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: kind == name


def _of_length(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: LENGTHS[name](len(blank["gold"]))


def full_surprisal(item: Item, answer: Answer) -> Sequence[float] | None:
    """-log P(gold) over all a language model can say, mean over the words of a blank."""
    given = [blank["full_surprisals"] for blank in answer.blanks if blank.get("full_surprisals")]
    return [sum(values) / len(values) for values in given] or None


def top5_words(field: str) -> Metric:
    """Whether each single word is among the five likeliest: one number per word, as the released program counts."""

    def metric(item: Item, answer: Answer) -> Sequence[float] | None:
        found = [
            float(word in five)
            for blank in answer.blanks
            if field in blank
            for word, five in zip(blank["gold"], blank[field], strict=True)
        ]
        return found or None

    return metric


def path_length(item: Item, answer: Answer) -> float | None:
    """Concrete words per abstract word that has any, in one text (section 4.1); only for nets that align."""
    path = next((blank["path"] for blank in answer.blanks if blank.get("path")), None)
    return alignment_length([path]) if path else None


BASE = ("match_greedy", "match_oracle", "top5_oracle")
BREAKDOWN: Mapping[str, Metric] = {
    **{f"{base}:{name}": only(METRICS[base], _of_kind(name)) for base in BASE for name in CATEGORIES},
    **{f"{base}:{name}": only(METRICS[base], _of_length(name)) for base in BASE for name in LENGTHS},
    "top5_word_oracle": top5_words("top5"),
    "top5_word_greedy": top5_words("greedy_top5"),
    "surprisal_full": full_surprisal,
    "alignment_length": path_length,
}
