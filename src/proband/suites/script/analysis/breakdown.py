"""The measures again for some blanks only: by what they ask for and by their number of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proband.core.metrics import Metric
from proband.core.types import Answer, Item
from proband.suites.script.analysis.metrics import METRICS
from proband.suites.script.cloze.categories import CATEGORIES, category

LENGTHS: Mapping[str, Callable[[int], bool]] = {
    "1-word": lambda n: n == 1,
    "2-words": lambda n: n == 2,
    "3-words-or-more": lambda n: n >= 3,
}


def only(metric: Metric, part: str, keep: Callable[[Mapping[str, Any], str], bool]) -> Metric:
    """A metric over the blanks that `keep(record, category)` keeps."""

    def kept(item: Item, answer: Answer) -> Sequence[float] | None:
        told = [blank for blank in answer.blanks if "gold" in blank]
        kinds = item.facts.get("kinds") or [category(blank["gold"]) for blank in told]
        blanks = tuple(blank for blank, kind in zip(told, kinds) if keep(blank, kind))
        return metric.numbers(item, Answer(item_id=answer.item_id, blanks=blanks)) or None

    title = f"{metric.title}: {part} blanks"
    return replace(metric, name=f"{metric.name}:{part}", of=kept, title=title)


def _of_kind(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: kind == name


def _of_length(name: str) -> Callable[[Mapping[str, Any], str], bool]:
    return lambda blank, kind: LENGTHS[name](len(blank["gold"]))


BASE = tuple(metric for metric in METRICS if metric.name in ("match_greedy", "match_oracle", "top5_oracle"))
BREAKDOWN = (
    *(only(base, name, _of_kind(name)) for base in BASE for name in CATEGORIES),
    *(only(base, name, _of_length(name)) for base in BASE for name in LENGTHS),
)
