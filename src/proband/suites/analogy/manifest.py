"""What manifest.json says of a build of this suite besides counts: how the items compare with published ones, and how
many negatives were true after all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.types import Tag
from proband.suites.analogy.probes import PROBES, Spoiler

NEGATIVES = {
    "paper": "as section 2.2 prints them",
    "right": "made from the right tuple",
    "other": "made from any other tuple",
    "query": "made from the query",
}


def conditions(options: Any, *, relations: int, trained: Mapping[Any, int]) -> dict[str, Tag]:
    """What published figures must have in common with items built by these options, besides the data."""
    found: dict[str, Tag] = {
        "negatives": NEGATIVES[options.base] + ("" if options.faithful else ", true ones left out"),
        "choice of negatives": options.negatives,
        "options": options.options,
        "halves share no": {"tuples": "tuple", "lexical": "word"}[options.split],
        "relations": relations,
    }
    if trained:
        found["training items per relation and probe"] = max(trained.values())
    return found


def asked(spoilers: Sequence[Spoiler]) -> list[str]:
    """The sources that said which negatives are true after all."""
    others = [spoiler.others for spoiler in spoilers if spoiler.others]
    found = ["usual values"] if others else []
    return ["the list", *found, *(["WordNet"] if any(each.links for each in others) else [])]


def rates(spoilers: Sequence[Spoiler], *, elsewhere: bool = False) -> dict[str, float]:
    """By probe: the share of first draws that were true after all, by the list or by another source alone."""
    drawn = sum((spoiler.drawn for spoiler in spoilers), Counter())
    true = sum((spoiler.true_elsewhere if elsewhere else spoiler.true for spoiler in spoilers), Counter())
    return {probe: round(true[probe] / drawn[probe], 4) for probe in PROBES if drawn[probe]}
