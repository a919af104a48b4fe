"""The measures again for some blanks only: by what they ask for and by their number of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proband.core.metrics import Metric
from proband.core.types import Answer, Item
from proband.suites.script.analysis.metrics import METRICS, Measure, alignment_length
from proband.suites.script.cloze.categories import CATEGORIES, category

LENGTHS: Mapping[str, Callable[[int], bool]] = {
    "1-word": lambda n: n == 1,
    "2-words": lambda n: n == 2,
    "3-words-or-more": lambda n: n >= 3,
}


def only(metric: Metric, part: str, keep: Callable[[Mapping[str, Any], str], bool]) -> Metric:
    """A metric over the blanks that `keep(record, category)` keeps."""

    def kept(item: Item, answer: Answer) -> Sequence[float] | None:
        kinds = item.facts.get("kinds") or [category(blank["gold"]) for blank in answer.blanks]
        blanks = tuple(blank for blank, kind in zip(answer.blanks, kinds) if keep(blank, kind))
        return metric.numbers(item, Answer(item_id=answer.item_id, blanks=blanks)) or None

    title = f"{metric.title or metric.name}: blanks of kind {part}"
    return replace(metric, name=f"{metric.name}:{part}", of=kept, title=title)


def _of_kind(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: kind == name


def _of_length(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: LENGTHS[name](len(blank["gold"]))


def full_surprisal(item: Item, answer: Answer) -> Sequence[float] | None:
    """-log P(gold) over all a language model can say, mean over the words of a blank."""
    given = [blank["full_surprisals"] for blank in answer.blanks if blank.get("full_surprisals")]
    return [sum(values) / len(values) for values in given] or None


def top5_words(field: str) -> Measure:
    """Whether each single word is among the five likeliest: one number per word, as the released program counts."""

    def measure(item: Item, answer: Answer) -> Sequence[float] | None:
        found = [
            float(word in five)
            for blank in answer.blanks
            if field in blank
            for word, five in zip(blank["gold"], blank[field], strict=True)
        ]
        return found or None

    return measure


def path_length(item: Item, answer: Answer) -> float | None:
    """Concrete words per abstract word that has any, in one text (section 4.1); only for nets that align."""
    path = next((blank["path"] for blank in answer.blanks if blank.get("path")), None)
    return alignment_length([path]) if path else None


BASE = tuple(metric for metric in METRICS if metric.name in ("match_greedy", "match_oracle", "top5_oracle"))
BREAKDOWN = (
    *(only(base, name, _of_kind(name)) for base in BASE for name in CATEGORIES),
    *(only(base, name, _of_length(name)) for base in BASE for name in LENGTHS),
    Metric(name="top5_word_oracle", of=top5_words("top5"), title="Words among the five likeliest, oracle"),
    Metric(name="top5_word_greedy", of=top5_words("greedy_top5"), title="Words among the five likeliest, greedy"),
    Metric(name="surprisal_full", of=full_surprisal, unit="nats", better="low"),
    Metric(
        name="alignment_length",
        of=path_length,
        unit="count",
        title="Concrete words per abstract word they are aligned to",
    ),
)
