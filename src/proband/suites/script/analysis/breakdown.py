"""The measures again for some blanks only: by what they ask for and by their number of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from proband.core.metrics import Metric
from proband.core.types import Answer, Item
from proband.suites.script.analysis.metrics import METRICS, blanks_of
from proband.suites.script.cloze.categories import CATEGORIES, category

LENGTHS: Mapping[str, Callable[[int], bool]] = {
    "1-word": lambda n: n == 1,
    "2-words": lambda n: n == 2,
    "3-words-or-more": lambda n: n >= 3,
}


def only(metric: Metric, part: str) -> Metric:
    """A metric over the blanks of one kind or length."""

    def kept(item: Item, answer: Answer) -> Sequence[float] | None:
        told = [blank for blank in blanks_of(item, answer) if "gold" in blank]
        kinds = item.facts.get("kinds") or [category(blank["gold"]) for blank in told]
        blanks = tuple(
            dict(blank)
            for blank, kind in zip(told, kinds)
            if (LENGTHS[part](len(blank["gold"])) if part in LENGTHS else kind == part)
        )
        return metric.numbers(item, Answer(item_id=answer.item_id, blanks=blanks)) or None

    return replace(metric, name=f"{metric.name}:{part}", of=kept, title=f"{metric.title}: {part} blanks")


BREAKDOWN = tuple(
    only(metric, part)
    for metric in METRICS
    if metric.name in ("match_greedy", "match_oracle", "top5_oracle")
    for part in (*CATEGORIES, *LENGTHS)
)
