"""What stands in two splits, and what stands twice with two labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from proband.suites.inference.triples import Example
from proband.suites.inference.words import content


def report(examples: Sequence[Example]) -> dict[str, Any]:
    """Counts for the manifest: repeated pairs, contradictions, and what the splits share."""
    seen: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for each in examples:
        seen[each.premise.text.lower(), each.hypothesis.text.lower()].append(each)
    groups = list(seen.values())
    found: dict[str, Any] = {
        "repeated_pairs": sum(len(group) - 1 for group in groups),
        "contradictory_pairs": sum(len({each.entailed for each in group}) > 1 for group in groups),
        "without_common_argument": sum(not each.matched for each in examples),
    }
    splits = sorted({each.split for each in examples})
    for what, key in KEYS.items():
        for n, one in enumerate(splits):
            for other in splits[n + 1 :]:
                sides = [{key(each) for each in examples if each.split == split} for split in (one, other)]
                found[f"{what}_in_{one}_and_{other}"] = len(sides[0] & sides[1])
    return found


KEYS: Mapping[str, Callable[[Example], Hashable]] = {
    "pairs": lambda each: each.pair,
    "questions": lambda each: each.question,
    "relation_pairs": lambda each: (content(each.premise.relation), content(each.hypothesis.relation), each.straight),
}
